package path

import (
	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/mat"
)

// RefactorTrainer is a Refactor while it is trained on the facts of a graph, all of them at once. The states of the
// nodes go on from epoch to epoch, and start again in every epoch after a multiple of Reset.
type RefactorTrainer struct {
	Model *Refactor

	on    *refactored
	prog  *ad.Program
	after ad.Var // states after an epoch
	loss  *mat.Dense
	grads []*mat.Dense
}

// NewRefactorTrainer prepares r to be trained on the facts of g.
func NewRefactorTrainer(r *Refactor, g *graph.Graph) (*RefactorTrainer, error) {
	on, err := newRefactored(r, g)
	if err != nil {
		return nil, err
	}
	t := &RefactorTrainer{Model: r, on: on, after: on.steps()}
	loss := on.energy(t.after).Scale(1 / float64(len(on.source)))
	grads := ad.Grad(loss, r.relations.Var, r.first.Var)
	t.prog = ad.Compile(append([]ad.Var{loss, t.after}, grads...)...)
	t.loss = t.prog.Value(loss)
	for _, g := range grads {
		t.grads = append(t.grads, t.prog.Value(g))
	}
	return t, nil
}

// Params returns the weights of the model.
func (t *RefactorTrainer) Params() []*ad.Param { return t.Model.Params() }

// State returns the states of the nodes, with which the next epoch goes on.
func (t *RefactorTrainer) State() []*ad.Param { return []*ad.Param{t.on.states} }

// Batches returns 1: an epoch is one step, on all facts.
func (t *RefactorTrainer) Batches() int { return 1 }

// Batch computes loss and derivatives of an epoch, counted from 1, and leaves the states after it.
func (t *RefactorTrainer) Batch(epoch, _ int) error {
	fresh := mat.Real(0)
	if (epoch-1)%t.Model.Reset == 0 {
		fresh = 1
	}
	mat.Fill(t.on.fresh, fresh)
	if err := t.prog.Run(); err != nil {
		return err
	}
	mat.Copy(t.on.states.Value(), t.prog.Value(t.after))
	return nil
}

// Loss returns the loss of the last Batch, 1×1.
func (t *RefactorTrainer) Loss() *mat.Dense { return t.loss }

// Grads returns the derivatives of the last Batch, as Params, until the next.
func (t *RefactorTrainer) Grads() []*mat.Dense { return t.grads }
