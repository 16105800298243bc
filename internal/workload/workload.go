package workload

import (
	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/mat"
)

// Workload is a model with its data, ready to be trained batch by batch.
type Workload struct {
	ID
	Edges   int // undirected edges after dropping repetitions; triples of a knowledge graph
	Batches int // of an epoch
	adam    mat.AdamConfig
	clock   *ad.Clock // Epoch counts batches
	prog    *ad.Program
	loss    ad.Var
	params  []*ad.Param
	grads   []ad.Var
	first   []*mat.Dense // moments of Adam
	second  []*mat.Dense
	trained *trained // takes the steps of a knowledge graph; nil for others
}

// adam is the outer optimiser of the energies.
var adam = mat.AdamConfig{Rate: 0.01, Beta1: 0.9, Beta2: 0.999, Eps: 1e-8, Decay: 5e-4}

// New builds the data and the model of id.
func New(id ID) *Workload {
	if k := id.KG; k != nil {
		t := k.train(k)
		return &Workload{ID: id, Edges: k.Edges, Batches: (k.Edges + k.Batch - 1) / k.Batch,
			clock: &ad.Clock{Seed: seed}, params: t.params, trained: t}
	}
	b := &builder{
		shape: id.Shape, g: PowerLaw(id.Nodes, id.Shape.Edges, seed),
		x: newFeatures(id.Shape), clock: &ad.Clock{Seed: seed},
	}
	labels, train := task(id.Shape)
	w := &Workload{ID: id, Edges: b.g.NumEdges(), Batches: 1, adam: adam}
	w.compile(b, b.logits(id.Energy).CrossEntropy(labels, train))
	return w
}

// compile prepares one run of loss and its derivatives to the parameters of b.
func (w *Workload) compile(b *builder, loss ad.Var) {
	w.clock, w.loss, w.params = b.clock, loss, b.params
	vars := make([]ad.Var, len(w.params))
	for i, p := range w.params {
		vars[i] = p.Var
		s := p.Shape()
		w.first = append(w.first, mat.New(s.Rows, s.Cols))
		w.second = append(w.second, mat.New(s.Rows, s.Cols))
	}
	w.grads = ad.Grad(w.loss, vars...)
	w.prog = ad.Compile(append([]ad.Var{w.loss}, w.grads...)...)
}

// Step is forward, backward and one step of Adam on the next batch. It returns the loss before the
// step.
func (w *Workload) Step() mat.Real {
	w.clock.Epoch++
	if w.trained != nil {
		at := int(w.clock.Epoch - 1)
		loss, err := w.trained.step(at/w.Batches, at%w.Batches)
		must(err)
		return mat.Real(loss)
	}
	must(w.prog.Run())
	w.update()
	return w.prog.Value(w.loss).Item()
}

func (w *Workload) update() {
	for i, p := range w.params {
		mat.Adam(p.Value(), w.first[i], w.second[i], w.prog.Value(w.grads[i]), w.adam, int(w.clock.Epoch))
	}
}

// must is for programs without an operation that can fail, and for graphs and patterns that were drawn in range.
func must(err error) {
	if err != nil {
		panic(err)
	}
}
