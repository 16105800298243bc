package node

import (
	"fmt"
	"slices"

	"github.com/bloomgml/bloom"
	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/energy"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/input"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/recipe"
	"github.com/bloomgml/bloom/train"
	"github.com/bloomgml/bloom/upper"
)

// Trials returns the runs that c asks for on d: run i has seed+i, and split+i where splits is all.
func Trials(c config.Config, d *dataset.Dataset) []train.Trial {
	trials := make([]train.Trial, max(1, c.Train.Repeat))
	for i := range trials {
		trials[i] = train.Trial{Seed: c.Train.Seed + uint64(i), Split: c.Data.Split}
		if c.Data.Splits == "all" && len(d.Splits) > 0 {
			trials[i].Split = (c.Data.Split + i) % len(d.Splits)
		}
	}
	return trials
}

// Build makes the task of a trial, its parameters drawn and not trained. The error is a *train.BadSetting, also for a
// key that has no effect under the other settings, or a *train.BadData, or the error of an algorithm that does not
// suit the energy.
func Build(c config.Config, d *dataset.Dataset, trial train.Trial, o Options) (*Task, error) {
	t, err := assemble(c, d, trial, o)
	if err != nil || o.Model != nil || o.Resume {
		return t, err
	}
	return t, t.checkIdle()
}

// assemble is Build without the check for idle keys: an existing run keeps its keys, even if its data has been
// renamed.
func assemble(c config.Config, d *dataset.Dataset, trial train.Trial, o Options) (*Task, error) {
	c, err := filled(c)
	if err != nil {
		return nil, err
	}
	if c.Task == "links" {
		return nil, &train.BadSetting{Key: "task", Value: string(c.Task), Want: "auto: package pair learns links"}
	}
	if d.IsLinks() {
		return nil, &train.BadData{Data: d.Name,
			Text: "it has triples to predict, not classes of nodes: recipes such as distmult and path do that"}
	}
	t := &Task{Config: c, Trial: trial, raw: d, wantsEnergies: o.Energies, raced: o.Raced,
		closed: o.Closed, others: o.others}
	if t.Split, err = splitOf(c, d, trial); err != nil {
		return nil, err
	}
	if t.Warnings, err = checkSplit(d, t.Split); err != nil {
		return nil, err
	}
	if len(t.Split.Test) == 0 && c.Data.Folds < 2 {
		t.Warnings = slices.Insert(t.Warnings, 0, "no test nodes: there is no test metric")
	}
	if err := t.validate(d); err != nil {
		return nil, err
	}
	if t.Data = d; d.Settled.Energy == "" {
		if t.Data, err = ready(c.Data, d, trial.Seed); err != nil {
			return nil, err
		}
	}
	t.simultaneous = t.Data.Simultaneous()
	t.Warnings = append(t.Warnings, checkInputs(t.Data)...)
	if err := t.setGoal(); err != nil {
		return nil, err
	}
	build := t.bilevel
	switch {
	case o.Model != nil:
		build = func() error { return t.own(o.Model) }
	case d.Settled.Energy != "":
		build = func() error { return t.fromDisk(o) }
	case c.Recipe == "trees":
		build = t.treesAlone
	case c.Recipe == "closed":
		build = t.closedAlone
	case c.Energy == nil:
		build = t.baseline
	}
	if err := build(); err != nil {
		return nil, err
	}
	if err := unique(t.network); err != nil {
		return nil, err
	}
	return t, t.settleRows(o.parts())
}

// splitOf returns the split of a trial: one of the data, or all labelled nodes where folds measure. The error is a
// *train.BadData.
func splitOf(c config.Config, d *dataset.Dataset, trial train.Trial) (dataset.Split, error) {
	if d.Labels.Class != nil && c.Data.Folds > 1 {
		f, err := newPartition(d, c.Data, c.Train.Seed)
		if err != nil {
			return dataset.Split{}, err
		}
		return f.split(-1), nil
	}
	if trial.Split >= len(d.Splits) {
		return dataset.Split{}, &train.BadData{Data: d.Name,
			Text: fmt.Sprintf("split %d of %d", trial.Split, len(d.Splits))}
	}
	return d.Splits[trial.Split], nil
}

// validationShare is the share of the training nodes that validate if a split has no validation nodes, as in HALO.
const validationShare = 0.15

// validate draws validation nodes by the seed of the trial if the data has none and something is to be trained.
func (t *Task) validate(d *dataset.Dataset) error {
	if len(t.Split.Valid) > 0 && !d.DrawnValid || t.Config.Train.Epochs == 0 || t.Config.Data.Folds > 1 {
		return nil
	}
	drawn, err := d.WithValidation(validationShare, t.Trial.Seed)
	if err != nil {
		return err
	}
	t.Split = drawn.Splits[t.Trial.Split]
	text := "no validation nodes, and too few training nodes to draw some from: the last epoch is used"
	if n := len(t.Split.Valid); n > 0 {
		text = fmt.Sprintf("no validation nodes: %d training nodes are used for validation", n)
	}
	t.Warnings = append(t.Warnings, text)
	return nil
}

// Classes returns how many there are, 1 of a number: the width of the head.
func (t *Task) Classes() int { return len(t.Data.Labels.Names) }

// setGoal sets up the goal and the lists of the loss.
func (t *Task) setGoal() (err error) {
	if t.goal, err = newGoal(t.Data, t.Split, t.Config.Train); err != nil {
		return err
	}
	if t.criterion, err = t.goal.criterion(t.Config.Train.Loss); err != nil {
		return err
	}
	if t.metric, err = chooseMetric(string(t.Config.Train.Metric), t.Data, t.goal); err != nil {
		return err
	}
	if t.target, err = t.goal.target(nil); err != nil {
		return err
	}
	if w := t.Config.Train.Consistency.Weight; w > 0 && t.target.Class == nil {
		return &train.BadSetting{Key: "train.consistency.weight", Value: fmt.Sprint(w),
			Want: "0: it needs probabilities of one class per node, but labels are for " + t.Data.Labels.Task}
	}
	t.pick, err = mat.NewIndex(t.Split.Train, t.Data.Graph.NumNodes())
	return err
}

// place copies the graph, and the features if all nodes have the same, to the device.
func (t *Task) place(g *graph.Graph) (err error) {
	t.On = bloom.Data{On: energy.NewStructure(g), X: input.None(g.NumNodes())}
	if g.NumTypes() == 1 && len(t.Data.Features) > 0 && t.Data.Features[0].Cols > 0 {
		if t.On.X, err = load(t.Data.Features[0]); err != nil {
			return &train.BadData{Data: t.Data.Name, Text: "features: " + err.Error()}
		}
	}
	return nil
}

// bilevel builds the model of the config's energy.
func (t *Task) bilevel() error {
	err := t.descend()
	if err != nil {
		return err
	}
	if t.Config.Energy.FromLabels() {
		err = t.propagation()
	} else {
		err = t.buildModel()
	}
	t.network = bilevel{t.Stack, t.On}
	return err
}

// descend installs the graph that the energy is meant for.
func (t *Task) descend() error {
	g, err := t.suited(t.Data.Graph)
	if err != nil {
		return err
	}
	return t.place(g)
}

// suited returns g as the network of the config wants it. Baselines for relations want it as it is.
func (t *Task) suited(g *graph.Graph) (*graph.Graph, error) {
	if t.Config.Energy == nil {
		if t.Config.Recipe == "rgcn" || t.Config.Recipe == "refactor" {
			return g, nil
		}
		return graphFor(recipe.Undirected, g)
	}
	kind, err := t.Config.Energy.Edges()
	if err != nil {
		return nil, err
	}
	return graphFor(kind, g)
}

// at returns the place for which the terms of the energy are built.
func (t *Task) at(dim int) *recipe.Place {
	return &recipe.Place{On: t.On.On, X: t.On.X.Var(), Dim: dim, Known: t.Split.Train, Seed: t.Trial.Seed,
		TrainLambda: t.Config.Model.LearnLambda}
}

// model returns the energy of the config at p, with its descent, above π.
func (t *Task) model(pi input.Model, p *recipe.Place) (*bloom.Model, error) {
	r := t.Config.Energy
	if r.Eta == recipe.Range && p.X.IsZero() {
		return nil, &train.BadData{Data: t.Data.Name, Text: "the energy uses range(X), and there are no features"}
	}
	l, err := r.Terms(p)
	if err != nil {
		return nil, err
	}
	return &bloom.Model{Pi: pi, F: l.F, Kappa: l.Kappa, Eta: l.Eta, A: r.A, L: r.L,
		Adjoint: adjointOf(t.Config.Model.Adjoint), Edges: t.weighing(p.Prefix)}, nil
}

// width returns d.
func (t *Task) width() (int, error) {
	c, features := t.Config.Model, t.On.X.Shape().Cols
	switch {
	case c.Before == 0 && features > 0 && c.After == 0 && features != t.Classes():
		return 0, &train.BadSetting{Key: "model.after", Value: "0",
			Want: "1 or more if before is 0: features are not logits"}
	case c.Before == 0 && features > 0:
		return features, nil
	case c.After == 0:
		return t.Classes(), nil
	case c.Hidden < 1:
		return 0, &train.BadSetting{Key: "model.hidden", Value: fmt.Sprint(c.Hidden), Want: "1 or more"}
	}
	return c.Hidden, nil
}

// encode builds π and the energy, or the stack of energies, dim columns wide.
func (t *Task) encode(dim int) error {
	pi, err := t.input(dim)
	if err != nil {
		return err
	}
	if t.Config.Stack.Levels > 1 {
		return t.stack(pi, dim)
	}
	m, err := t.model(pi, t.at(dim))
	if err != nil {
		return err
	}
	t.Stack = m.Alone()
	return nil
}

// input returns π of the features, dim columns wide.
func (t *Task) input(dim int) (_ input.Model, err error) {
	if t.Config.Model.Input == "trees" {
		if t.Config.Model.After > 0 || t.Config.Stack.Levels > 1 {
			return nil, &train.BadSetting{Key: "model.input", Value: "trees",
				Want: "layers, or model.after 0 and stack.levels 1: the descent starts from the output of trees"}
		}
		t.forest, err = t.newForest()
		return t.forest, err
	}
	if t.Data.Graph.NumTypes() > 1 {
		return newByType(t.Config.Model, t.Data, dim, t.Trial.Seed)
	}
	return part("pi", t.Config.Model, t.On.X, dim, t.Trial.Seed)
}

// buildModel builds π, the energy and g.
func (t *Task) buildModel() error {
	dim, err := t.width()
	if err != nil {
		return err
	}
	if err := t.encode(dim); err != nil {
		return err
	}
	g, err := t.head(dim)
	if err != nil {
		return err
	}
	t.Stack.Up = t.Up(g)
	return nil
}

// head returns g of embeddings dim columns wide.
func (t *Task) head(dim int) (upper.Head, error) {
	c := t.Config.Model
	if c.After == 0 {
		return upper.Identity, nil
	}
	g, err := upper.NewMLP(input.MLP{Name: "head", Sizes: widths(dim, c.Hidden, t.Classes(), c.After),
		Dropout: c.Dropout,
		Norm:    normOf(c.Norm), Residual: c.Residual, Lead: c.Before > 0 && t.Config.Stack.Levels == 1,
		Seed: t.Trial.Seed})
	if err != nil {
		return nil, err
	}
	xavier(g.Params(), t.Trial.Seed)
	return g, nil
}

// propagation puts the training labels into the lower level; its rows are the logits. If it has parameters and
// label_rate is below 1, these are trained on samples of the labels.
//
// Chosen: π and g of the config are not used, since labels need neither.
func (t *Task) propagation() error {
	if t.target.Class == nil {
		return &train.BadData{Data: t.Data.Name,
			Text: "label propagation needs one class per node, but labels are for " + t.Data.Labels.Task}
	}
	if err := t.about(energy.Labels(t.target.Class, t.pick)); err != nil || len(t.Stack.Params()) == 0 ||
		t.Config.Train.LabelRate == 1 {
		return err
	}
	if t.Config.Energy.Eta == recipe.Clamp {
		return &train.BadData{Data: t.Data.Name,
			Text: "labels that are clamped cannot train anything: a loss on them would be the same for all parameters"}
	}
	if len(t.Split.Train) < 2 {
		return &train.BadData{Data: t.Data.Name, Text: "label sampling needs two training nodes or more"}
	}
	t.labelled = newSampler(t)
	t.pick = t.labelled.asked
	return t.about(t.labelled.labels())
}

// about builds the energy about labels.
func (t *Task) about(labels ad.Var) error {
	p := t.at(t.Classes())
	p.Labels = labels
	m, err := t.model(labelInput{labels}, p)
	if err != nil {
		return err
	}
	m.Up = t.Up(upper.Identity)
	t.Stack = m.Alone()
	return nil
}

// graphFor returns g as the terms of a recipe want it: undirected edges without loops and repeats, or with inverse
// relations.
func graphFor(kind recipe.Edges, g *graph.Graph) (*graph.Graph, error) {
	switch kind {
	case recipe.Inverses:
		return g.WithInverse()
	case recipe.Undirected:
		if s := g.Stats(); g.Undirected() && g.NumRelations() == 1 && s.Loops == 0 && s.Duplicates == 0 {
			return g, nil
		}
		triples := g.Triples()
		for i := range triples {
			triples[i].R = 0
		}
		return graph.Build(graph.Spec{Nodes: g.NumNodes(), Triples: triples, Weights: g.Weights(),
			Features:  g.Features(),
			NodeTypes: g.NodeTypes(),
			Types:     g.NumTypes(), Undirected: true, DropDuplicates: true, Loops: graph.DropLoops})
	}
	return g, nil
}

// unique returns an error where two parameters have the same name: files could not tell them apart.
func unique(n network) error {
	seen := map[string]bool{}
	for _, p := range append(n.Params(), n.State()...) {
		if seen[p.Name] {
			return fmt.Errorf("node: two parameters have the name %q", p.Name)
		}
		seen[p.Name] = true
	}
	return nil
}
