package job

import (
	"fmt"
	"slices"

	"github.com/bloomgml/bloom"
	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/energy"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/input"
	"github.com/bloomgml/bloom/internal/ondisk"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/train"
)

// kinds is π of a graph with types of nodes: of each by a model of its own, and of types without features the trained
// rows of a run.
type kinds struct {
	*model
	rows   [][]mat.Real // by type; nil where there are features
	before [][]int      // nodes of every type before every block
	width  int
}

// chooseTyped is how the descent of a task on a graph with types or several relations is done in parts: π by type
// first, then the rounds of the level above it.
func (m *model) chooseTyped(s *ondisk.Store, trained bool) (method, error) {
	if !trained || m.Stack == nil {
		return nil, refusal(m.Config, "a graph with types or several relations needs a run of halo or its like")
	}
	level := m.Stack.Levels[0]
	aboutFeatures := slices.ContainsFunc(level.F, func(f energy.EdgeTerm) bool {
		_, is := f.(energy.GivenEdges)
		return is
	})
	if len(m.Stack.Levels) > 1 || m.Stack.In != nil || level.Norm != nil || level.Residual || aboutFeatures {
		return nil, refusal(m.Config, "of a graph with types or several relations it is one level above π")
	}
	if _, both := m.On.On.Graph.Inverse(0); !both || m.On.On.Graph.Undirected() {
		return nil, refusal(m.Config, "relations and their inverses have matrices of their own, as in halo")
	}
	width := level.Pi.Forward(input.Evaluation(), m.On.X).Cols()
	level.Pi = given{}
	r, err := NewRounds(&bloom.Stack{Levels: []bloom.Level{level}}, width)
	if err != nil {
		return nil, refusal(m.Config, err.Error())
	}
	k, err := newKinds(m, s, width)
	return &general{Rounds: r, inverses: true, relations: s.Typed.Relations, kinds: k}, err
}

// given is π where rows are π already.
type given struct{}

var _ input.Model = given{}

// Forward is x.
func (given) Forward(_ input.Context, x input.Features) ad.Var { return x.Var() }

// Params is empty.
func (given) Params() []*ad.Param { return nil }

// newKinds finds the trained rows of a model, and goes through the types of all nodes once.
func newKinds(m *model, s *ondisk.Store, width int) (*kinds, error) {
	k := &kinds{model: m, rows: make([][]mat.Real, len(s.Typed.Types)), width: width}
	for t, of := range s.Typed.Types {
		if of.Columns > 0 || of.Nodes == 0 {
			continue
		}
		name := "pi.E"
		if len(s.Typed.Types) > 1 {
			name = "pi." + of.Name + ".E"
		}
		for _, p := range m.Job().Params() {
			if p.Name == name {
				k.rows[t] = p.Value().Slice()
			}
		}
		if len(k.rows[t]) != of.Nodes*width {
			return nil, fmt.Errorf("%s has %d numbers, want %d rows of %d", name, len(k.rows[t]), of.Nodes, width)
		}
	}
	count := make([]int, len(s.Typed.Types))
	for i := range s.Blocks() {
		k.before = append(k.before, slices.Clone(count))
		list, err := s.Types(i)
		if err != nil {
			return nil, err
		}
		for _, t := range list {
			count[t]++
		}
	}
	return k, nil
}

// pi are the rows of all nodes of block b, whose features are x.
func (k *kinds) pi(s *ondisk.Store, b int, x []mat.Real) ([]mat.Real, error) {
	list, err := s.Types(b)
	if err != nil {
		return nil, err
	}
	out := make([]mat.Real, len(list)*k.width)
	at := slices.Clone(k.before[b])
	features := make([]dataset.Matrix, len(k.rows))
	places := make([][]int, len(k.rows)) // of features in the block
	for r, t := range list {
		if cols := s.Typed.Types[t].Columns; cols > 0 {
			features[t].Cols = cols
			features[t].AppendRow(x[:cols])
			places[t], x = append(places[t], r), x[cols:]
			continue
		}
		copy(out[r*k.width:(r+1)*k.width], k.rows[t][at[t]*k.width:])
		at[t]++
	}
	k.Lock()
	defer k.Unlock()
	for t, rows := range places {
		if len(rows) == 0 {
			continue
		}
		p, err := k.Project(t, features[t])
		if err != nil {
			return nil, err
		}
		for i, r := range rows {
			copy(out[r*k.width:(r+1)*k.width], p.Slice()[i*k.width:])
		}
	}
	return out, nil
}

// projectTyped writes the rows of part i before the first round, of a graph with types.
func (w *Worker) projectTyped(i int, g *general) error {
	var all Rows
	var room []mat.Real
	err := eachBlock(w.Graph, w.store, i, func(b, first, end int) (err error) {
		if room, err = w.store.Features(b, room); err != nil {
			return err
		}
		pi, err := g.kinds.pi(w.store, b, room)
		if err != nil {
			return err
		}
		width := g.kinds.width
		rows, err := g.begin(dataset.Matrix{Rows: end - first, Cols: width, Values: pi[first*width : end*width]})
		all.Told, all.Kept = append(all.Told, rows.Told...), append(all.Kept, rows.Kept...)
		return err
	})
	if err != nil {
		return err
	}
	return w.Keep(i, 0, all, false)
}

// sampleTyped is a set like that of a store with types: three nodes of types with features, of others, whose rows are
// trained, all.
func sampleTyped(s *ondisk.Store) (*dataset.Dataset, error) {
	t := s.Typed
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
	if spec.Nodes = len(spec.NodeTypes); spec.Nodes < 3 || len(s.Classes) == 0 {
		return nil, fmt.Errorf("%s: too few nodes, or none with classes", s.Dir())
	}
	d.Labels.Class = make([]int32, spec.Nodes)
	for range max(1, s.Splits) {
		d.Splits = append(d.Splits, dataset.Split{Train: []int32{0}, Valid: []int32{1}, Test: []int32{2}})
	}
	var err error
	d.Graph, err = graph.Build(spec)
	return d, err
}

// scalingTyped is how the features of all types are scaled, where that is the same for all.
func scalingTyped(s *ondisk.Store, how string) (string, error) {
	if how != "" && how != "auto" {
		return scaling(s, how)
	}
	bags, signed := make([]bool, len(s.Typed.Types)), make([]bool, len(s.Typed.Types))
	var x []mat.Real
	for b := range s.Blocks() {
		list, err := s.Types(b)
		if err != nil {
			return "", err
		}
		if x, err = s.Features(b, x); err != nil {
			return "", err
		}
		rest := x
		for _, t := range list {
			of := s.Typed.Types[t]
			bags[t] = of.Sparse
			for _, v := range rest[:of.Columns] {
				signed[t] = signed[t] || v < 0
			}
			rest = rest[of.Columns:]
		}
	}
	found := map[string]bool{}
	for t, of := range s.Typed.Types {
		switch {
		case of.Columns == 0:
		case bags[t] && !signed[t]:
			found["rows"] = true
		default:
			found["none"] = true
		}
	}
	if len(found) > 1 {
		return "", &train.BadSetting{Key: "data.scale", Value: how, Want: "none or rows: types differ in what is usual"}
	}
	for one := range found {
		return one, nil
	}
	return how, nil // no type has features
}
