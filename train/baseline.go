package train

import (
	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/baseline"
	"github.com/bloomgml/bloom/energy"
	"github.com/bloomgml/bloom/input"
	"github.com/bloomgml/bloom/recipe"
)

// plain is the Network of a baseline.
type plain struct {
	baseline.Model
	x             input.Features
	labels, train []int32 // for a loss of its own
}

var (
	_ Network   = plain{}
	_ assisting = plain{}
)

// Logits are the predictions of the baseline.
func (p plain) Logits(c input.Context) (ad.Var, error) { return p.Forward(c, p.x), nil }

// State is that of the baseline, if it has any.
func (p plain) State() []*ad.Param {
	if s, ok := p.Model.(input.Stateful); ok {
		return s.State()
	}
	return nil
}

// assist is the loss of the baseline's own, if it has one.
func (p plain) assist(c input.Context) (ad.Var, error) {
	if a, ok := p.Model.(baseline.Auxiliary); ok {
		return a.Auxiliary(c, p.x, p.labels, p.train)
	}
	return ad.Var{}, nil
}

// assisting is a Network with a loss of its own, 1×1, that is added to that of its predictions; absent where there is none.
type assisting interface {
	assist(input.Context) (ad.Var, error)
}

// baseline builds the network that recipe names. Those for relations get the graph as it is, others one relation without
// directions.
func (t *Task) baseline() error {
	c, g := t.Config.Model, t.Data.Graph
	if err := t.place(g); err != nil {
		return err
	}
	if t.Config.Recipe != "rgcn" && t.Config.Recipe != "refactor" {
		var err error
		if g, err = graphFor(recipe.Undirected, g); err != nil {
			return err
		}
	}
	m, err := baseline.New(t.Config.Recipe, baseline.Options{In: t.On.X.Shape().Cols, Hidden: c.Hidden, Out: t.classes(), Layers: c.Layers,
		Heads: c.Heads, InputDropout: c.InputDropout, Dropout: c.Dropout, Norm: normOf(c.Norm), Residual: c.Residual, Seed: t.Trial.Seed}, g)
	if err != nil {
		return err
	}
	t.On.On = energy.NewStructure(g)
	t.Network = plain{m, t.On.X, t.Data.Labels.Class, t.Split.Train}
	return nil
}
