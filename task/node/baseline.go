package node

import (
	"fmt"
	"slices"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/energy"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/input"
	"github.com/bloomgml/bloom/internal/baseline"
	"github.com/bloomgml/bloom/train"
	"github.com/bloomgml/bloom/upper"
)

// plain is the network of a baseline.
type plain struct {
	baseline.Model
	x             input.Features
	dropNodes     float64
	pi            typed            // makes x where types of nodes have features of their own; else nil
	labels, train []int32          // for a loss of its own
	up            upper.Supervised // its criterion alone
}

// typed is a byType, or its rows for some nodes.
type typed interface {
	input.Model
	input.Stateful
}

var _ network = plain{}

func (p plain) Predict(c input.Context) (ad.Var, error) { return p.Forward(c, p.features(c)), nil }

func (p plain) Loss(c input.Context) (ad.Var, error) {
	loss := p.up.Criterion.Of(p.Forward(c, p.features(c)), p.up.Target)
	a, ok := p.Model.(baseline.Auxiliary)
	if !ok {
		return loss, nil
	}
	more, err := a.Auxiliary(c, p.features(c), p.labels, p.train)
	if err != nil || more.IsZero() {
		return loss, err
	}
	return loss.Add(more), nil
}

// features returns x, or what π computes from the features of every type.
func (p plain) features(c input.Context) input.Features {
	if p.pi == nil {
		return p.x.DropRows(c, p.dropNodes, "rows")
	}
	return input.Of(p.pi.Forward(c, p.x))
}

// Params returns the parameters of π, if there is one, then of the baseline.
func (p plain) Params() []*ad.Param {
	if p.pi == nil {
		return p.Model.Params()
	}
	return append(p.pi.Params(), p.Model.Params()...)
}

// State returns the state that π and then the baseline keep besides their parameters, if any.
func (p plain) State() []*ad.Param {
	var state []*ad.Param
	if p.pi != nil {
		state = p.pi.State()
	}
	if s, ok := p.Model.(input.Stateful); ok {
		state = append(state, s.State()...)
	}
	return state
}

// unweighted are the baselines that have their own edge weights, or none.
var unweighted = []string{"gat", "rgcn", "mlp"}

// baseline builds the network that the recipe names. Baselines for relations get the graph as it is, others one
// undirected relation. If node types have different features, a layer per type maps them to the same width first.
func (t *Task) baseline() error {
	c, g := t.Config.Model, t.Data.Graph
	c.Input = "" // which only an energy reads
	if g.Weights() != nil && slices.Contains(unweighted, t.Config.Recipe) {
		return &train.BadData{Data: t.Data.Name, Text: fmt.Sprintf("edges have weights, which %s does not use: --set "+
			"data.weights=none lets every edge count the same, and recipes such as base and gcn use them",
			t.Config.Recipe)}
	}
	if err := t.place(g); err != nil {
		return err
	}
	in, net := t.On.X.Shape().Cols, plain{x: t.On.X, dropNodes: c.DropNodes, labels: t.Data.Labels.Class,
		train: t.Split.Train, up: t.Up(nil)}
	if g.NumTypes() > 1 && slices.ContainsFunc(t.Data.Features, func(x dataset.Matrix) bool { return x.Cols > 0 }) {
		pi, err := newByType(c, t.Data, c.Hidden, t.Trial.Seed)
		if err != nil {
			return err
		}
		net.pi, in = pi, c.Hidden
	}
	g, err := t.suited(g)
	if err != nil {
		return err
	}
	if net.Model, err = t.convolve(in, g); err != nil {
		return err
	}
	if _, ok := net.Model.(baseline.Auxiliary); ok && t.Data.Labels.Task != "" {
		return &train.BadData{Data: t.Data.Name,
			Text: t.Config.Recipe + " has a loss for one class per node, but labels are for " + t.Data.Labels.Task}
	}
	t.On.On = energy.NewStructure(g)
	t.network = net
	return nil
}

// convolve returns the baseline that the recipe names, for features of in columns, on g.
func (t *Task) convolve(in int, g *graph.Graph) (baseline.Model, error) {
	c := t.Config.Model
	return baseline.New(t.Config.Recipe, baseline.Options{In: in, Hidden: c.Hidden, Out: t.Classes(), Layers: c.Layers,
		Heads: c.Heads, InputDropout: c.InputDropout, Dropout: c.Dropout, Norm: normOf(c.Norm),
		Residual: c.Residual, Blocks: c.Blocks, Separate: c.Separate, Seed: t.Trial.Seed}, g)
}
