package dataset

import (
	"fmt"
	"math"
	"slices"

	"github.com/bloomgml/bloom/graph"

	"github.com/bloomgml/bloom/mat"
)

// Fact is a fact by names, such as a new one.
type Fact struct{ Head, Relation, Tail string }

// Newcomers are rows that come after a data set was imported and trained on.
type Newcomers struct {
	IDs      []string
	Features Matrix         // a row each, by the transforms of the import
	Class    []int32        // of each, −1 if unknown; nil if all are unknown
	Edges    []graph.Triple // newcomer i is node n+i, n being the number of old nodes
	Weights  []mat.Real     // of the edges; nil if the table has none
	// Told are the features of the edges; zeros if the table has none and the old edges have some.
	Told graph.Features
	// Old are the old nodes whose features change, because columns are made from their edges, with their new values.
	Old         []int32
	OldFeatures Matrix
	OldRaw      []RawColumn // the columns that change, a row for each of Old

	Raw    *Raw     // the original rows, in the columns of the old tables; nil if those were not kept
	Filled int      // values that were missing and filled
	Notes  []string // what is odd about them, one sentence each
}

// Join returns d with the newcomers after its own nodes and their edges after its own, in no part of a split. d must
// have one node type and no facts for validation or test.
func (n *Newcomers) Join(d *Dataset) (*Dataset, error) {
	if d.Graph.NumTypes() > 1 || len(d.Valid)+len(d.Test) > 0 {
		return nil, fmt.Errorf("%s has %d node types and %d held-out facts: nodes can be added only to data sets "+
			"with one node type and no held-out facts",
			d.Name, d.Graph.NumTypes(), len(d.Valid)+len(d.Test))
	}
	g, err := n.graph(d.Graph)
	if err != nil {
		return nil, err
	}
	out := *d
	out.Graph, out.Features = g, []Matrix{d.Features[0].withRows(n.Old, n.OldFeatures).Append(n.Features)}
	names := make([]string, 0, g.NumNodes())
	for v := range d.Graph.NumNodes() {
		names = append(names, d.IDs.At(int32(v)))
	}
	out.IDs = NewIDs(append(names, n.IDs...))
	out.Labels = n.labels(d.Labels)
	if d.Times != nil { // unknown for newcomers
		out.Times = append(slices.Clone(d.Times), slices.Repeat([]int64{math.MinInt64}, n.Features.Rows)...)
	}
	if d.Raw != nil {
		out.Raw = d.Raw.withRows(n.Old, n.OldRaw).With(n.Raw, n.Features.Rows, len(n.Edges))
	}
	return &out, nil
}

// graph returns g with the newcomers.
func (n *Newcomers) graph(g *graph.Graph) (*graph.Graph, error) {
	s := graph.Spec{Nodes: g.NumNodes() + n.Features.Rows, Relations: g.NumRelations(), Undirected: g.Undirected(),
		Triples: append(g.Triples(), n.Edges...)}
	if g.Weights() != nil || n.Weights != nil {
		s.Weights = append(weightsOr1(g.Weights(), g.NumEdges()), weightsOr1(n.Weights, len(n.Edges))...)
	}
	if f := g.Features(); f.Cols > 0 {
		if n.Told.Cols == 0 {
			n.Told = graph.Features{Cols: f.Cols, Values: make([]mat.Real, f.Cols*len(n.Edges))}
		}
		if n.Told.Cols != f.Cols {
			return nil, fmt.Errorf("new edges have %d features, want %d", n.Told.Cols, f.Cols)
		}
		s.Features = graph.Features{Cols: f.Cols, Values: slices.Concat(f.Values, n.Told.Values)}
	}
	return graph.Build(s)
}

// weightsOr1 returns a copy of w, or n ones if w is nil.
func weightsOr1(w []mat.Real, n int) []mat.Real {
	if w != nil {
		return slices.Clone(w)
	}
	return slices.Repeat([]mat.Real{1}, n)
}

// labels returns l with the labels of the newcomers; their sets and numbers are unknown.
func (n *Newcomers) labels(l Labels) Labels {
	if l.Class == nil {
		return l
	}
	all := l.Extend(n.Features.Rows)
	if l.Task == "" {
		copy(all.Class[len(l.Class):], n.Class)
	}
	return all
}
