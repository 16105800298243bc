package job

import (
	"fmt"
	"slices"

	"github.com/bloomgml/bloom"
	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/energy"
	"github.com/bloomgml/bloom/input"
	"github.com/bloomgml/bloom/internal/ondisk"
	"github.com/bloomgml/bloom/mat"
)

// kinds is π of a graph with types of nodes: of each by a model of its own, and of types without features the trained
// rows of a run.
type kinds struct {
	*model
	rows   [][]mat.Real // by type; nil if there are features
	before [][]int      // nodes of every type before every block
	width  int
}

// chooseTyped returns how the descent of a task on a graph with types or several relations is done in parts: π by type
// first, then the rounds of the level above it.
func (m *model) chooseTyped(s *ondisk.Store, trained bool) (method, error) {
	if !trained || m.Stack == nil {
		return nil, refusal(m.Config, "a graph with types or several relations needs a run of halo or a similar recipe")
	}
	level := m.Stack.Levels[0]
	aboutFeatures := slices.ContainsFunc(level.F, func(f energy.EdgeTerm) bool {
		_, is := f.(energy.GivenEdges)
		return is
	})
	if len(m.Stack.Levels) > 1 || m.Stack.In != nil || level.Norm != nil || level.Residual || aboutFeatures {
		return nil, refusal(m.Config, "on a graph with several types or relations it must be one level above π")
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

// Params returns nil.
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

// pi returns the rows of all nodes of block b, whose features are x.
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
		rows, err := g.firstRows(dataset.Matrix{Rows: end - first, Cols: width, Values: pi[first*width : end*width]})
		all.Told, all.Kept = append(all.Told, rows.Told...), append(all.Kept, rows.Kept...)
		return err
	})
	if err != nil {
		return err
	}
	return w.Keep(i, 0, all, false)
}
