package job

import (
	"fmt"
	"sync"

	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/internal/ondisk"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/task/node"
	"github.com/bloomgml/bloom/train"
)

// model is the energy of a job with its weights, on a sample of nodes: what a descent is does not depend on the graph.
type model struct {
	sync.Mutex // of who builds on the task
	*node.Task
	method
}

// newModel is the model of a config, with the weights of a run folder where there is one.
func newModel(c config.Config, runDir string, s *ondisk.Store) (*model, error) {
	if c.Energy != nil && c.Energy.FromLabels() {
		return nil, refusal(c, "labels of all nodes are in the energy")
	}
	like := sample
	if s.Typed != nil {
		like = sampleTyped
	}
	d, err := like(s)
	if err != nil {
		return nil, err
	}
	m := new(model)
	if runDir == "" {
		m.Task, err = node.Build(c, d, train.Trial{Seed: c.Train.Seed}, node.Options{})
	} else {
		var t *node.Trained
		if t, err = node.Load(runDir, c, d, node.Options{}); err == nil {
			m.Task = t.Task
		}
	}
	switch {
	case err != nil:
	case s.Typed != nil:
		m.method, err = m.chooseTyped(s, runDir != "")
	default:
		m.method, err = m.choose(runDir != "")
	}
	return m, err
}

// refusal is the error for a recipe that does not go in parts.
func refusal(c config.Config, why string) error {
	return &train.BadSetting{Key: "recipe", Value: c.Recipe, Want: "one that goes in parts: " + why}
}

// choose is how the descents of a task are done in parts: by the fused step where that is all they need, else, with the
// weights of a run, by rounds.
func (m *model) choose(trained bool) (method, error) {
	if l, steps, ok := m.Local(); ok && l.Rate != nil && steps > 0 {
		return newSeparable(m, l, steps, trained), nil
	}
	switch {
	case !trained:
		return nil, refusal(m.Config, "states of features, without a run, need a step of numbers and neighbours "+
			"alone, such as that of base, robust or robust-logcosh")
	case m.Stack == nil:
		return nil, refusal(m.Config, "a baseline has no descent")
	}
	r, err := NewRounds(m.Stack, m.Features(0).Cols)
	if err != nil {
		return nil, refusal(m.Config, err.Error())
	}
	return &general{Rounds: r, inverses: !m.On.On.Graph.Undirected()}, nil
}

// sample is a set like that of a store, with three nodes of which two are joined.
func sample(s *ondisk.Store) (*dataset.Dataset, error) {
	if s.Columns == 0 || len(s.Classes) == 0 {
		return nil, fmt.Errorf("%s: nodes without features or classes", s.Dir())
	}
	g, err := graph.Build(graph.Spec{Nodes: 3, Triples: []graph.Triple{{U: 0, V: 1}}, Undirected: true})
	d := &dataset.Dataset{Name: s.Name, Metric: s.Metric, Graph: g,
		Labels:   dataset.Labels{Class: make([]int32, 3), Names: s.Classes},
		Features: []dataset.Matrix{{Rows: 3, Cols: s.Columns, Values: make([]mat.Real, 3*s.Columns)}}}
	for range max(1, s.Splits) {
		d.Splits = append(d.Splits, dataset.Split{Train: []int32{0}, Valid: []int32{1}, Test: []int32{2}})
	}
	return d, err
}

// NewSpec is the job of a config, or of a run folder with its own, on the parts in a folder. The error says what
// cannot be done in parts.
func NewSpec(parts string, c config.Config, runDir string) (Spec, error) {
	f, s, err := openData(parts)
	if err != nil {
		return Spec{}, err
	}
	defer s.Close()
	scale := scaling
	if s.Typed != nil {
		scale = scalingTyped
	}
	if c.Data.Scale, err = scale(s, c.Data.Scale); err != nil {
		return Spec{}, err
	}
	m, err := newModel(c, runDir, s)
	if err != nil {
		return Spec{}, err
	}
	out := Spec{Parts: parts, Cut: f.Sum(), Config: string(c.YAML()), Run: runDir, Steps: m.Len(),
		Width: m.Told(m.Len())}
	for round := range m.Len() + 1 {
		if round == 0 || m.Level(round) != m.Level(round-1) {
			out.Levels = append(out.Levels, round)
		}
	}
	if x, ok := m.method.(*separable); ok {
		out.Ones = x.ones
	}
	return out, nil
}

// scaling is how features are scaled, where a row needs no others for it. Bags of words are read once for that.
func scaling(s *ondisk.Store, how string) (string, error) {
	switch {
	case how == "columns":
		return "", &train.BadSetting{Key: "data.scale", Value: how, Want: "none or rows: the scale of columns needs " +
			"all rows at once; bloom data blocks standardises numbers in passing"}
	case how != "" && how != "auto":
		return how, nil
	case !s.Sparse:
		return "none", nil
	}
	var x []mat.Real
	var err error
	for i := range s.Blocks() {
		if x, err = s.Features(i, x); err != nil {
			return "", err
		}
		for _, v := range x {
			if v < 0 {
				return "none", nil
			}
		}
	}
	return "rows", nil
}
