package workload

import (
	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/mat"
)

// Workload is a model with its data, ready to be trained epoch by epoch.
type Workload struct {
	ID
	Edges  int // undirected edges after dropping repetitions
	clock  *ad.Clock
	prog   *ad.Program
	loss   ad.Var
	params []*ad.Param
	grads  []ad.Var
	first  []*mat.Dense // moments of Adam
	second []*mat.Dense
}

// adam is the outer optimiser of all workloads.
var adam = mat.AdamConfig{Rate: 0.01, Beta1: 0.9, Beta2: 0.999, Eps: 1e-8, Decay: 5e-4}

// New builds the data and the model of id.
func New(id ID) *Workload {
	b := &builder{
		shape: id.Shape, g: PowerLaw(id.Nodes, id.Shape.Edges, seed),
		x: newFeatures(id.Shape), clock: &ad.Clock{Seed: seed},
	}
	labels, train := task(id.Shape)
	w := &Workload{ID: id, Edges: b.g.NumEdges(), clock: b.clock}
	w.loss = b.logits(id.Energy).CrossEntropy(labels, train)
	w.params = b.params
	vars := make([]ad.Var, len(w.params))
	for i, p := range w.params {
		vars[i] = p.Var
		s := p.Shape()
		w.first = append(w.first, mat.New(s.Rows, s.Cols))
		w.second = append(w.second, mat.New(s.Rows, s.Cols))
	}
	w.grads = ad.Grad(w.loss, vars...)
	w.prog = ad.Compile(append([]ad.Var{w.loss}, w.grads...)...)
	return w
}

// Epoch is forward, backward and one step of Adam. It returns the loss before the step.
func (w *Workload) Epoch() mat.Real {
	w.clock.Epoch++
	must(w.prog.Run())
	for i, p := range w.params {
		mat.Adam(p.Value(), w.first[i], w.second[i], w.prog.Value(w.grads[i]), adam, int(w.clock.Epoch))
	}
	return w.prog.Value(w.loss).Item()
}

// Profile is the time an epoch's operations take, by name.
func (w *Workload) Profile() []ad.Cost {
	costs, err := w.prog.Profile()
	must(err)
	return costs
}

// must is for programs without an operation that can fail.
func must(err error) {
	if err != nil {
		panic(err)
	}
}

// Bytes is the working memory of an epoch, data and parameters not counted.
func (w *Workload) Bytes() int { return w.prog.Bytes() }
