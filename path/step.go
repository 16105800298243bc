package path

import (
	"fmt"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/mat"
)

// Trainer takes a model through batches of the facts of a graph.
//
// A batch is run part by part, and the derivatives are added up in order: its queries meet in the loss
// alone, and the states of a few of them stay in cache where those of all would not.
type Trainer struct {
	Model *Model

	batch   *batch
	all     *rows
	plans   []*plan // from little room to much; the last has room for any part
	weight  *mat.Dense
	weights []mat.Real
	part    []query // the queries of a part, the last one again where they are fewer
	answers []int32
	sums    []*mat.Dense // derivatives, by parameter
	adam    *adam
	last    *plan // that of the last part
}

// plan is the loss and its derivatives for parts that fit into a field.
type plan struct {
	*field
	prog  *ad.Program
	loss  ad.Var
	grads []ad.Var
}

// NewTrainer prepares m to be trained on the facts of g.
func NewTrainer(m *Model, g *graph.Graph) (*Trainer, error) {
	if g.NumRelations() > len(m.Names) {
		return nil, fmt.Errorf("path: a graph of %d relations for a model of %d", g.NumRelations(), len(m.Names))
	}
	if g.NumEdges() == 0 {
		return nil, fmt.Errorf("path: a graph of %d nodes and no facts", g.NumNodes())
	}
	v := newView(newNet(g, len(m.Names)), m.pna())
	t := &Trainer{Model: m, batch: newBatch(m, v), adam: newAdam(m.params)}
	b := m.queriesAtOnce()
	t.all = newRows(v, b, shape{v.nodes, v.edges()}, nil, m.onebyone())
	t.weight, t.weights = mat.New(b, 1), make([]mat.Real, b)
	t.part, t.answers = make([]query, b), make([]int32, b*t.batch.wide())
	for _, p := range m.params {
		t.sums = append(t.sums, mat.New(p.Rows(), p.Cols()))
	}
	for _, rooms := range t.rooms() {
		t.plans = append(t.plans, t.plan(rooms))
	}
	return t, nil
}

// plan writes the loss down for a field with the given room.
func (t *Trainer) plan(rooms []shape) *plan {
	f := newField(t.batch.view, t.all, t.Model.Layers, t.batch.wide(), rooms, t.Model.onebyone())
	p := &plan{field: f, loss: newPass(t.Model, f).loss(ad.Input(t.weight))}
	vars := make([]ad.Var, len(t.Model.params))
	for i, x := range t.Model.params {
		vars[i] = x.Var
	}
	p.grads = ad.Grad(p.loss, vars...)
	p.prog = ad.Compile(append([]ad.Var{p.loss}, p.grads...)...)
	return p
}

// Batches is how many batches an epoch has.
func (t *Trainer) Batches() int { return t.batch.count() }

// Step is forward, backward and one step of Adam on batch i of an epoch, both from 0. It returns the
// loss before the step.
func (t *Trainer) Step(epoch, i int) (float64, error) {
	loss, err := t.evaluate(epoch, i)
	if err != nil {
		return 0, err
	}
	t.adam.step(t.sums, t.Model.Rate)
	return loss, nil
}

// evaluate is the loss of a batch, and its derivatives in t.sums.
func (t *Trainer) evaluate(epoch, i int) (float64, error) {
	t.batch.draw(epoch, i)
	t.all.all()
	loss, b := 0.0, len(t.part)
	for from := 0; from < len(t.batch.queries); from += b {
		p := t.place(from)
		t.last = p
		if err := p.prog.Run(); err != nil {
			return 0, err
		}
		loss += float64(p.prog.Value(p.loss).Item())
		for i, g := range p.grads {
			if from == 0 {
				mat.Copy(t.sums[i], p.prog.Value(g))
			} else {
				mat.Axpby(t.sums[i], t.sums[i], p.prog.Value(g), 1, 1)
			}
		}
	}
	return loss, nil
}

// place puts the queries from number from on in place, and returns the first plan that they fit into.
func (t *Trainer) place(from int) *plan {
	wide, n := t.batch.wide(), len(t.batch.queries)
	for i := range t.part {
		k := min(from+i, n-1)
		t.part[i] = t.batch.queries[k]
		copy(t.answers[i*wide:(i+1)*wide], t.batch.answers[k*wide:])
		t.weights[i] = 0
		if from+i < n {
			t.weights[i] = 1 / mat.Real(n)
		}
	}
	t.weight.Write(t.weights)
	for _, p := range t.plans {
		if err := p.ask(t.part, t.answers); err == nil {
			return p
		}
	}
	panic("path: a part of a batch fits into no plan") // the last plan has room for all
}

// Profile runs the last part once more and returns the time that its operations take, by name. A Step
// must have gone before.
func (t *Trainer) Profile() ([]ad.Cost, error) { return t.last.prog.Profile() }
