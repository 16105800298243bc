package node

import (
	"slices"
	"strconv"
	"strings"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/optim"
	"github.com/bloomgml/bloom/recipe"
	"github.com/bloomgml/bloom/task"
)

// unweighted reports whether the data give no weights that data.weights could leave out.
func (t *Task) unweighted() bool {
	return t.raw.Graph.Weights() == nil || t.Config.Data.Decay > 0 && t.raw.Schema.Weight != ""
}

// checkIdle rejects keys that have no effect under the other settings. A width, a number of layers or of heads of 0,
// which files cannot contain, was not set.
func (t *Task) checkIdle() error {
	c, params := t.Config, t.network.Params()
	untrained := len(params) == 0 && t.forest == nil
	_, inParts := t.rows.(*sampled)
	rules := []task.IdleRule{
		{Keys: "train.epochs " + task.TrainingKeys, Is: untrained, Why: "it has no parameters to train"},
		{Keys: "train.class_weight", Is: untrained || c.Train.Epochs == 0, Why: "nothing is trained"},
		{Keys: "train.class_weight", Is: t.Data.Labels.Task != "", Why: "nodes have no class to be weighted by"},
		{Keys: "train.weight_decay", Is: !slices.ContainsFunc(params, optim.Decays), Why: "no parameter is a matrix"},
		{Keys: "model.dropout model.input_dropout model.drop_nodes train.consistency.weight",
			Is: c.Train.Epochs == 0, Why: "train.epochs is 0"},
		{Keys: "train.optimizer train.momentum train.schedule train.warmup train.clip",
			Is: t.forest != nil && len(params) == 0, Why: "only trees are trained, and they use no optimiser"},
		{Keys: "model.before model.input_dropout model.drop_nodes model.dropout model.norm model.residual " +
			"model.hidden model.layers model.heads train.sample.batch", Is: t.forest != nil, Why: "π is trees"},
		{Keys: "model.before model.hidden model.layers model.heads model.norm model.residual train.label_rate",
			Is: t.Solved(), Why: "the closed form has no layers"},
		{Keys: "model.input", Is: !t.choosesInput(), Why: "it has no π that may be layers, pieces or trees"},
		{Keys: "model.neighbours model.closed", Is: t.forest == nil, Why: "only trees see it"},
		{Keys: "model.alike", Is: t.forest == nil && !t.Solved(), Why: "only trees and closed forms see it"},
		{Keys: "model.alike", Is: t.raw.Raw == nil, Why: "the data set does not come from tables"},
		{Keys: "model.neighbours", Is: t.raw.Graph.NumEdges() == 0, Why: "there are no edges"},
		{Keys: "train.consistency.weight", Is: untrained, Why: "it has no parameters to train"},
		{Keys: "train.consistency.temperature", Is: c.Train.Consistency.Weight == 0,
			Why: "train.consistency.weight is 0"},
		{Keys: "train.consistency.samples", Is: len(params) == 0 || c.Train.Epochs == 0 || !t.drops(),
			Why: "there is no dropout: all samples are equal"},
		{Keys: "train.sample.batch", Is: len(params) == 0 || c.Train.Epochs == 0, Why: "nothing is trained"},
		{Keys: "train.sample.accumulate train.sample.clusters train.sample.fanout train.sample.hops " +
			"train.sample.gamma train.sample.forget",
			Is: !inParts, Why: "train.sample.batch is 0: training uses the full graph"},
		{Keys: "train.sample.fanout train.sample.hops", Is: c.Train.Sample.Clusters > 0 && t.Data.Of == 0,
			Why: "mini-batches are clusters (train.sample.clusters), and metrics use the full graph"},
		{Keys: "train.sample.fanout", Is: c.Train.Sample.Hops == 0, Why: "train.sample.hops is 0"},
		{Keys: "train.sample.forget", Is: c.Train.Sample.Gamma == 0, Why: "train.sample.gamma is 0"},
		{Keys: "data.scale data.corrupt model.drop_nodes", Is: !slices.ContainsFunc(t.Data.Features, has),
			Why: "the nodes have no features"},
		{Keys: "data.weights", Is: t.unweighted(), Why: "edges have no weights, or data.decay makes them"},
		{Keys: "data.edge_features", Is: t.raw.Graph.Features().Cols == 0,
			Why: "edges have no features: bloom data import makes them from numeric and categorical columns of " +
				"edges, if nodes have a label"},
		{Keys: "data.edge_features", Is: c.Train.Epochs == 0, Why: "weights of edges are trained, and epochs is 0"},
		{Keys: "data.scale_rows", Is: c.Data.Scale != "columns", Why: "data.scale is not columns"},
		{Keys: "train.label_rate", Is: c.Energy == nil || !c.Energy.FromLabels(),
			Why: "its energy does not depend on labels"},
		{Keys: "model.hidden", Is: c.Model.Hidden > 0 && !t.wide(),
			Why: "no layer has that width: see model.before, model.after and model.layers"},
		{Keys: "model.dropout", Is: !t.deep() && !t.levelled(), Why: nothingBetween},
		{Keys: "model.norm", Is: !t.deep() || t.levelled() && !t.deepPi() && c.Model.After < 2, Why: nothingBetween},
		{Keys: "stack.norm stack.residual", Is: !t.levelled(), Why: "there are no levels: stack.levels is 1, or idle"},
		{Keys: "model.residual", Is: !t.skips(), Why: "no layer inside has an input as wide as its output"},
	}
	rules = append(rules, t.idleByLabels()...)
	if c.Energy == nil {
		rules = append(rules, t.idleInBaseline()...)
	} else {
		rules = append(rules, t.idleInEnergy()...)
	}
	return task.CheckIdle(c, t.Data.Name, rules)
}

// idleByLabels returns the keys that have no effect given the labels, or how they are divided.
func (t *Task) idleByLabels() []task.IdleRule {
	c := t.Config
	return []task.IdleRule{
		{Keys: "train.target", Is: t.Data.Labels.Task != dataset.Numbers, Why: "labels are not numbers"},
		{Keys: "train.cost", Is: t.Data.Labels.Task != "", Why: "there are not exactly two classes"},
		{Keys: "data.holdout", Is: c.Data.Folds < 2, Why: "the split of the data has the test nodes: data.folds is 0"},
		{Keys: "data.holdout", Is: windows(t.raw, c.Data.Folds) != nil,
			Why: "the data is divided by time, and its split has the test nodes"},
		{Keys: "data.split data.splits", Is: c.Data.Folds > 1, Why: "folds are drawn: data.folds is not 0"},
	}
}

// nothingBetween says why norms and dropout are idle.
const nothingBetween = "there are no hidden layers: see model.before, model.after and model.layers"

// levelled reports whether the model is a stack of several levels.
func (t *Task) levelled() bool { return t.Stack != nil && len(t.Stack.Levels) > 1 }

// has reports whether there are features.
func has(x dataset.Matrix) bool { return x.Cols > 0 }

// idleInEnergy returns the keys that a model with an energy does not read.
func (t *Task) idleInEnergy() []task.IdleRule {
	c, e := t.Config, t.Config.Energy
	value := c.Values()
	start, _ := strconv.Atoi(value("energy.descent.at"))
	weights := value("energy.descent.algorithm") == "weights" // it starts from features
	trained := func(p *ad.Param) bool { return strings.Contains(p.Name, "λ") }
	return []task.IdleRule{
		{Keys: "model.layers", Is: c.Model.Layers > 0, Why: "its layers are the steps of the descent, energy.steps"},
		{Keys: "model.heads", Is: c.Model.Heads > 0, Why: "only gat has heads"},
		{Keys: "model.blocks model.separate", Is: true,
			Why: "blocks and matrices for the node itself are for baselines"},
		{Keys: "data.weights data.edge_features", Is: e.L == 0 && !weights, Why: "energy.steps is 0"},
		{Keys: "energy.f energy.kappa energy.descent model.learn_lambda model.adjoint",
			Is:  e.L == 0 && !weights,
			Why: "energy.steps is 0"},
		{Keys: "energy.eta", Is: e.L == 0 && !weights && value("energy.eta.l1") != "",
			Why: "energy.steps is 0, and ‖h‖₁ is finite wherever a descent starts"},
		{Keys: "energy.descent.p energy.descent.floor energy.descent.cut", Is: start >= e.L && start > 0,
			Why: "edges have new weights from step energy.descent.at on, which energy.steps does not reach"},
		{Keys: "model.learn_lambda", Is: c.Model.LearnLambda && !slices.ContainsFunc(t.network.Params(), trained),
			Why: "no term of energy.f has a λ"},
		{Keys: "stack.levels model.before model.after model.input_dropout model.drop_nodes", Is: e.FromLabels(),
			Why: "its energy depends on labels, which need neither π nor g nor levels"},
		{Keys: "data.scale data.corrupt", Is: e.FromLabels() && e.Eta != recipe.Range && !weights,
			Why: "its energy depends on labels and not on features"},
		{Keys: "model.before", Is: !slices.ContainsFunc(t.Data.Features, has) &&
			(c.Model.Before > 0 || c.Model.After == 0),
			Why: "the nodes have no features: π is a row for each of them"},
	}
}

// idleInBaseline returns the keys that a baseline does not read.
func (t *Task) idleInBaseline() []task.IdleRule {
	c, name := t.Config.Model, t.Config.Recipe
	return []task.IdleRule{
		{Keys: "stack.levels model.after model.learn_lambda model.adjoint", Is: true,
			Why: "a baseline has no energy and no head g"},
		{Keys: "data.edge_features", Is: true,
			Why: "a baseline has no energy whose edges they could weight; recipes such as base have one"},
		{Keys: "model.before", Is: !t.typedFeatures(),
			Why: "a baseline has a π only where nodes of several types have features"},
		{Keys: "model.heads", Is: c.Heads > 0 && (name != "gat" || c.Layers == 1 && !c.Blocks),
			Why: "only gat has heads, in all layers but the last"},
		{Keys: "model.blocks", Is: !slices.Contains(inBlocks, name),
			Why: "only mlp, gcn, sage and gat can be blocks"},
		{Keys: "model.separate", Is: name != "gcn" && name != "gat",
			Why: "only gcn and gat have the choice; sage always has it"},
		{Keys: "model.layers", Is: c.Layers > 0 && (name == "fsgnn" || name == "jacobi"), Why: "it has one layer"},
		{Keys: "model.norm", Is: slices.Contains([]string{"appnp", "fagcn", "fsgnn", "jacobi"}, name) && !t.deepPi(),
			Why: "it has no norms"},
		{Keys: "model.input_dropout", Is: !slices.ContainsFunc(t.Data.Features, has),
			Why: "the nodes have no features"},
	}
}

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
