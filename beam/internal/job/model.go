package job

import (
	"fmt"
	"slices"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/descent"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/input"
	"github.com/bloomgml/bloom/internal/ondisk"
	"github.com/bloomgml/bloom/internal/solve"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/task/node"
	"github.com/bloomgml/bloom/train"
)

// model is one descent whose step of a row needs numbers and neighbours alone, built on a sample of nodes: what a
// descent is does not depend on the graph.
type model struct {
	*node.Task
	local   descent.Local
	steps   int
	trained bool // rows are π of the weights of a run; else they are features
	ones    bool // with a last column of ones, as all steps together are a linear map
	width   int
}

// newModel returns the model of a config, with the weights of a run folder if there is one. The error says what cannot
// be done in parts.
func newModel(c config.Config, runDir string, s *ondisk.Store) (*model, error) {
	refuse := func(why string) error {
		return &train.BadSetting{Key: "recipe", Value: c.Recipe, Want: "one that can run in parts: " + why}
	}
	if c.Energy == nil || c.Energy.FromLabels() {
		return nil, refuse("one with an energy of the features of nodes, such as base, robust or robust-logcosh")
	}
	d, err := sample(s)
	if err != nil {
		return nil, err
	}
	m := &model{trained: runDir != ""}
	if m.trained {
		t, err := node.Load(runDir, c, d, node.Options{})
		if err != nil {
			return nil, err
		}
		m.Task = t.Task
	} else if m.Task, err = node.Build(c, d, train.Trial{Seed: c.Train.Seed}, node.Options{}); err != nil {
		return nil, err
	}
	var ok bool
	if m.local, m.steps, ok = m.Local(); !ok || m.local.Rate == nil || m.steps < 1 {
		return nil, refuse("its steps read more than numbers of neighbours; those of base, robust and robust-logcosh " +
			"do not")
	}
	if m.width = m.local.Pi.Cols(); !m.trained {
		m.ones, m.width = solve.NewForm(m.local).Linear(), s.Columns
		if m.ones {
			m.width++
		}
	}
	return m, nil
}

// pi returns π of rows of features, or the features.
func (m *model) pi(x dataset.Matrix) (pi []mat.Real, err error) {
	if m.trained {
		all, err := mat.Load(x.Rows, x.Cols, x.Values)
		if err != nil {
			return nil, err
		}
		return ad.Eval(m.Stack.Levels[0].Pi.Forward(input.Evaluation(), input.Dense(all))).Slice(), nil
	}
	for r := range x.Rows {
		pi = append(pi, x.Values[r*x.Cols:(r+1)*x.Cols]...)
		if m.ones {
			pi = append(pi, 1)
		}
	}
	return pi, nil
}

// sample returns three nodes like those in a store.
func sample(s *ondisk.Store) (*dataset.Dataset, error) {
	if s.Nodes < 3 || s.Columns == 0 || len(s.Classes) == 0 {
		return nil, fmt.Errorf("%s: too few nodes, or none with features and classes", s.Dir())
	}
	d := &dataset.Dataset{Name: s.Name, Metric: s.Metric,
		Labels:   dataset.Labels{Names: s.Classes, Class: make([]int32, 3)},
		Features: []dataset.Matrix{{Rows: 3, Cols: s.Columns, Values: make([]mat.Real, 3*s.Columns)}}}
	for range max(1, s.Splits) {
		d.Splits = append(d.Splits, dataset.Split{Train: []int32{0}, Valid: []int32{1}, Test: []int32{2}})
	}
	var err error
	d.Graph, err = graph.Build(graph.Spec{Nodes: 3, Undirected: true, Triples: []graph.Triple{{U: 0, V: 1}}})
	return d, err
}

// NewSpec returns the job of a config, or of a run folder with its own, on the parts in a folder. The error says what
// cannot be done in parts.
func NewSpec(parts string, c config.Config, runDir string) (Spec, error) {
	f, s, err := openData(parts)
	if err != nil {
		return Spec{}, err
	}
	defer s.Close()
	if c.Data.Scale, err = scaling(s, c.Data.Scale); err != nil {
		return Spec{}, err
	}
	m, err := newModel(c, runDir, s)
	if err != nil {
		return Spec{}, err
	}
	return Spec{Parts: parts, Cut: f.Sum(), Config: string(c.YAML()), Run: runDir, Steps: m.steps, Width: m.width,
		Ones: m.ones}, nil
}

// scaling returns how features are scaled, provided that a row can be scaled by itself. Bags of words are read once
// for that.
func scaling(s *ondisk.Store, how string) (string, error) {
	switch {
	case how == "columns":
		return "", &train.BadSetting{Key: "data.scale", Value: how, Want: "none or rows: the scale of columns needs " +
			"all rows at once; bloom data blocks standardises numbers while it writes them"}
	case how != "" && how != "auto":
		return how, nil
	case !s.Sparse:
		return "none", nil
	}
	var x []mat.Real
	var err error
	for b := range s.Blocks() {
		if x, err = s.Features(b, x); err != nil {
			return "", err
		}
		if slices.ContainsFunc(x, func(v mat.Real) bool { return v < 0 }) {
			return "none", nil
		}
	}
	return "rows", nil
}
