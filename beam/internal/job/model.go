package job

import (
	"fmt"
	"slices"
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

// newModel returns the model of a config, with the weights of a run folder if there is one.
func newModel(c config.Config, runDir string, s *ondisk.Store) (*model, error) {
	if c.Energy != nil && c.Energy.FromLabels() {
		return nil, refusal(c, "its energy depends on the labels of all nodes")
	}
	d, err := sample(s)
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
	return &train.BadSetting{Key: "recipe", Value: c.Recipe, Want: "one that can run in parts: " + why}
}

// choose returns how the descents of a task are done in parts: by the fused step if that is all they need, else, with
// the weights of a run, by rounds.
func (m *model) choose(trained bool) (method, error) {
	if l, steps, ok := m.Local(); ok && l.Rate != nil && steps > 0 {
		return newSeparable(m, l, steps, trained), nil
	}
	switch {
	case !trained:
		return nil, refusal(m.Config, "states of features, without a run, need a step without trained matrices, such "+
			"as that of base, robust or robust-logcosh")
	case m.Stack == nil:
		return nil, refusal(m.Config, "a baseline has no descent")
	}
	r, err := NewRounds(m.Stack, m.Features(0).Cols)
	if err != nil {
		return nil, refusal(m.Config, err.Error())
	}
	return &general{Rounds: r, inverses: !m.On.On.Graph.Undirected()}, nil
}

// sample returns a small set like the one in a store: three nodes of every type with features, and all nodes of the
// others, whose rows are trained.
func sample(s *ondisk.Store) (*dataset.Dataset, error) {
	t := ondisk.Typed{Types: typesOf(s), Relations: 1}
	if s.Typed != nil {
		t = *s.Typed
	}
	spec := graph.Spec{Relations: t.Relations, Types: len(t.Types), Undirected: !t.Directed,
		Triples: []graph.Triple{{U: 0, R: 0, V: 1}}}
	d := &dataset.Dataset{Name: s.Name, Metric: s.Metric, Relations: t.Names,
		Labels: dataset.Labels{Names: s.Classes}, Features: make([]dataset.Matrix, len(t.Types))}
	for k, of := range t.Types {
		n := of.Nodes
		if of.Columns > 0 {
			n = min(n, 3)
			d.Features[k] = dataset.Matrix{Rows: n, Cols: of.Columns, Values: make([]mat.Real, n*of.Columns)}
		}
		for range n {
			spec.NodeTypes = append(spec.NodeTypes, int32(k))
		}
		if len(t.Types) > 1 {
			d.Types = append(d.Types, of.Name)
		}
	}
	if spec.Nodes = len(spec.NodeTypes); spec.Nodes < 3 || len(s.Classes) == 0 || s.Typed == nil && s.Columns == 0 {
		return nil, fmt.Errorf("%s: too few nodes, or none with features and classes", s.Dir())
	}
	if s.Typed == nil {
		spec.NodeTypes, spec.Types = nil, 0
	}
	d.Labels.Class = make([]int32, spec.Nodes)
	for range max(1, s.Splits) {
		d.Splits = append(d.Splits, dataset.Split{Train: []int32{0}, Valid: []int32{1}, Test: []int32{2}})
	}
	var err error
	d.Graph, err = graph.Build(spec)
	return d, err
}

// typesOf returns the types of nodes, one if the store names none.
func typesOf(s *ondisk.Store) []ondisk.Kind {
	if s.Typed != nil {
		return s.Typed.Types
	}
	return []ondisk.Kind{{Nodes: s.Nodes, Columns: s.Columns, Sparse: s.Sparse}}
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

// scaling returns how features are scaled, provided that a row can be scaled by itself and the scaling is the same for
// all types of nodes. Bags of words are read once for that.
func scaling(s *ondisk.Store, how string) (string, error) {
	switch {
	case how == "columns":
		return "", &train.BadSetting{Key: "data.scale", Value: how, Want: "none or rows: the scale of columns needs " +
			"all rows at once; bloom data blocks standardises numbers while it writes them"}
	case how != "" && how != "auto":
		return how, nil
	}
	types := typesOf(s)
	signed, err := negative(s, types)
	if err != nil {
		return "", err
	}
	found := map[string]bool{}
	for t, of := range types {
		switch {
		case of.Columns == 0:
		case of.Sparse && !signed[t]:
			found["rows"] = true
		default:
			found["none"] = true
		}
	}
	if len(found) > 1 {
		return "", &train.BadSetting{Key: "data.scale", Value: how, Want: "none or rows: the usual scaling differs " +
			"between node types"}
	}
	for one := range found {
		return one, nil
	}
	return how, nil // no type has features
}

// negative reports the types that have a negative sparse feature.
func negative(s *ondisk.Store, types []ondisk.Kind) ([]bool, error) {
	signed := make([]bool, len(types))
	if !slices.ContainsFunc(types, func(k ondisk.Kind) bool { return k.Sparse }) {
		return signed, nil
	}
	var x []mat.Real
	for b := range s.Blocks() {
		list, err := s.Types(b)
		if err != nil {
			return nil, err
		}
		if x, err = s.Features(b, x); err != nil {
			return nil, err
		}
		first, end := s.Rows(b)
		rest := x
		for r := range end - first {
			t := 0
			if list != nil {
				t = int(list[r])
			}
			cols := types[t].Columns
			signed[t] = signed[t] || slices.ContainsFunc(rest[:cols], func(v mat.Real) bool { return v < 0 })
			rest = rest[cols:]
		}
	}
	return signed, nil
}
