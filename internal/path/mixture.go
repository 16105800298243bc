package path

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/internal/host"
	"github.com/bloomgml/bloom/mat"
)

// Mixture trains a model whose weights belong to no relation (Graph) on several graphs: an epoch has batches of all of
// them in random order.
type Mixture struct {
	model  *Model
	list   []*Trainer
	visits []visit // of an epoch
	order  []visit // the same in the order of epoch drawn
	drawn  int
	last   *Trainer // that ran
}

// visit is batch i of a graph.
type visit struct{ graph, batch int32 }

// NewMixture prepares m to be trained on the facts of graphs, which need not have the relations that m has names for.
// An epoch has at most that many batches of a graph, 0 for all.
func NewMixture(m *Model, graphs []*graph.Graph, most int) (*Mixture, error) {
	if m.Relations != Graph {
		return nil, fmt.Errorf("path: relations %s on several graphs, want graph", m.Relations)
	}
	_, records := mat.Default().(mat.Recorder)
	x, arena := &Mixture{model: m, list: make([]*Trainer, len(graphs))}, &ad.Arena{}
	errs := make([]error, len(graphs))
	var wait host.Group
	free := make(chan struct{}, host.Cores())
	for k, g := range graphs {
		wait.Go(func() {
			free <- struct{}{}
			defer func() { <-free }()
			x.list[k], errs[k] = newTrainerOn(m.on(g), g, records, arena)
		})
	}
	wait.Wait()
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	for k, t := range x.list {
		for i := range min(t.Batches(), cmp.Or(most, t.Batches())) {
			x.visits = append(x.visits, visit{int32(k), int32(i)})
		}
	}
	x.order, x.last = make([]visit, len(x.visits)), x.list[0]
	return x, nil
}

// on returns m, with the same weights, for the relations of g.
func (m *Model) on(g *graph.Graph) *Model {
	own := *m
	own.Names = make([]string, g.NumRelations())
	related := *m.related
	related.model, own.related = &own, &related
	return &own
}

// Params returns the weights of the model.
func (x *Mixture) Params() []*ad.Param { return x.model.params }

// State returns nil: weights are all that changes.
func (x *Mixture) State() []*ad.Param { return nil }

// Batches returns the number of batches of all graphs.
func (x *Mixture) Batches() int { return len(x.order) }

// Batch computes loss and derivatives of batch i = 0, 1, … of epoch 1, 2, …
func (x *Mixture) Batch(epoch, i int) error {
	now := x.visit(epoch, i)
	x.last = x.list[now.graph]
	err := x.last.way.run(epoch-1, int(now.batch))
	if i+1 < len(x.order) {
		next := x.visit(epoch, i+1)
		x.list[next.graph].way.prepare(epoch-1, int(next.batch))
	}
	return err
}

// visit returns which batch of which graph is batch i of an epoch.
func (x *Mixture) visit(epoch, i int) visit {
	if epoch != x.drawn {
		x.drawn = epoch
		copy(x.order, x.visits)
		seed := mat.Mix(x.model.Seed, 1<<33+uint64(epoch))
		for i := range x.order {
			j := below(seed, uint64(i), i+1)
			x.order[i], x.order[j] = x.order[j], x.order[i]
		}
	}
	return x.order[i]
}

// Loss returns the loss of the last Batch, 1×1.
func (x *Mixture) Loss() *mat.Dense { return x.last.Loss() }

// Grads returns the derivatives of the last Batch, as Params, until the next.
func (x *Mixture) Grads() []*mat.Dense { return x.last.Grads() }

// Profile returns the time that operations of the last batch take.
func (x *Mixture) Profile() ([]ad.Cost, error) { return x.last.Profile() }
