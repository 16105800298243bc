package node

import (
	"slices"

	"github.com/bloomgml/bloom/dataset"
)

// typedFeatures reports whether a baseline has a π, a layer for every type of nodes.
func (t *Task) typedFeatures() bool {
	return t.Data.Graph.NumTypes() > 1 && slices.ContainsFunc(t.Data.Features, has)
}

// surrounded reports whether the model has π and g.
func (t *Task) surrounded() bool { return t.Config.Energy != nil && !t.Config.Energy.FromLabels() }

// choosesInput reports whether model.input says what π is: trees, or pieces of numbers.
func (t *Task) choosesInput() bool {
	pieces := t.surrounded() && t.Config.Model.Input == "pieces" && slices.ContainsFunc(t.Data.Features, has)
	return t.Config.Energy != nil && (t.forest != nil || pieces)
}

// deepPi reports whether π has hidden layers.
func (t *Task) deepPi() bool {
	return (t.surrounded() || t.Config.Energy == nil && t.typedFeatures()) && t.Config.Model.Before > 1 &&
		slices.ContainsFunc(t.Data.Features, has)
}

// wide reports whether something has model.hidden columns.
func (t *Task) wide() bool {
	c := t.Config.Model
	if t.surrounded() {
		direct := c.Before == 0 && t.On.X.Shape().Cols > 0 // h has the same number of columns as x
		return t.deepPi() || c.After > 1 || c.After == 1 && !direct
	}
	return t.Config.Energy == nil && (t.typedFeatures() || t.stacked() || t.Config.Recipe == "fagcn" ||
		t.Config.Recipe == "fsgnn")
}

// deep reports whether there is something between two layers, where norms and dropout are.
func (t *Task) deep() bool {
	c := t.Config.Model
	if t.surrounded() {
		return t.deepPi() || c.After > 1 || c.After == 1 && c.Before > 0
	}
	return t.Config.Energy == nil && (t.deepPi() || t.stacked() ||
		slices.Contains([]string{"fagcn", "fsgnn", "jacobi"}, t.Config.Recipe))
}

// drops reports whether something may be dropped in training; it is true for custom models, about which nothing is
// known.
func (t *Task) drops() bool {
	c := t.Config.Model
	if t.made != nil || c.Dropout > 0 && (t.deep() || t.levelled()) {
		return true
	}
	return (t.Config.Energy == nil || t.surrounded()) && c.InputDropout+c.DropNodes > 0
}

// inBlocks are the baselines whose layers can be residual blocks.
var inBlocks = []string{"mlp", "gcn", "sage", "gat"}

// blocks reports whether the layers of a baseline are residual blocks.
func (t *Task) blocks() bool {
	return t.Config.Model.Blocks && slices.Contains(inBlocks, t.Config.Recipe)
}

// stacked reports whether a baseline is layers above each other, more than one of them.
func (t *Task) stacked() bool {
	if t.blocks() {
		return true
	}
	return t.Config.Model.Layers != 1 && !slices.Contains([]string{"fagcn", "fsgnn", "jacobi"}, t.Config.Recipe)
}

// skips reports whether a hidden layer of π, of g or of a baseline has the same number of columns as the one before
// it.
func (t *Task) skips() bool {
	c := t.Config.Model
	if t.deepPi() && (c.Before > 2 || slices.ContainsFunc(t.Data.Features,
		func(x dataset.Matrix) bool { return x.Cols == c.Hidden })) {
		return true
	}
	if t.surrounded() {
		dim, _ := t.width() // it was asked for before
		return c.After > 2 || c.After == 2 && dim == c.Hidden
	}
	if t.Config.Energy != nil || t.Config.Recipe == "appnp" || !t.stacked() || t.blocks() {
		return false
	}
	in := t.On.X.Shape().Cols
	return c.Layers != 2 || in == c.Hidden || t.typedFeatures()
}
