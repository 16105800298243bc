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
	IDs []string
	// Things is how many of the IDs, the last ones, are not rows of a table but values that rows share or lead to.
	Things   int
	Types    []int32        // the node type of each; nil if all are of type 0
	Features []Matrix       // by node type, a row for each of them, by the transforms of the import
	Class    []int32        // of each, −1 if unknown; nil if all are unknown
	Times    []int64        // of each, the least number if unknown; nil if all are
	Edges    []graph.Triple // newcomer i is node n+i, n being the number of old nodes
	Weights  []mat.Real     // of the edges; nil if the table has none
	// Told are the features of the edges; zeros if the table has none and the old edges have some.
	Told graph.Features
	Old  []OldRows // by node type; nil if none change

	Raw    *Raw     // the original rows, in the columns of the old tables; nil if those were not kept
	Filled int      // values that were missing and filled
	Notes  []string // what is odd about them, one sentence each
}

// OldRows are the old nodes of a type whose features change, because columns are made from their edges.
type OldRows struct {
	Rows     []int32 // among the nodes of the type
	Features Matrix
	Raw      []RawColumn // the columns that change
}

// at returns the places of the nodes in Rows.
func (o *OldRows) at() map[int32]int {
	at := make(map[int32]int, len(o.Rows))
	for i, v := range o.Rows {
		at[v] = i
	}
	return at
}

func (n *Newcomers) count() (nodes int) {
	for _, x := range n.Features {
		nodes += x.Rows
	}
	return nodes
}

// Join returns d with the newcomers after its own nodes and their edges after its own, in no part of a split. d must
// have no facts for validation or test.
func (n *Newcomers) Join(d *Dataset) (*Dataset, error) {
	if len(n.Features) != len(d.Features) || len(d.Valid)+len(d.Test) > 0 {
		return nil, fmt.Errorf("%s has features of %d node types and %d held-out facts: nodes with features of %d "+
			"types can be added only to data sets with as many types and no such facts", d.Name, len(d.Features),
			len(d.Valid)+len(d.Test), len(n.Features))
	}
	g, err := n.graph(d.Graph)
	if err != nil {
		return nil, err
	}
	out := *d
	out.Graph, out.Features = g, slices.Clone(d.Features)
	for t, x := range d.Features {
		if t < len(n.Old) && len(n.Old[t].Rows) > 0 {
			at, row := n.Old[t].at(), make([]mat.Real, x.Cols)
			x = x.WithRows(func(v int32) []mat.Real {
				i, other := at[v]
				if !other {
					return nil
				}
				n.Old[t].Features.Row(row, i)
				return row
			})
		}
		if out.Features[t] = x; n.Features[t].Rows > 0 {
			out.Features[t] = x.Append(n.Features[t])
		}
	}
	names := make([]string, 0, g.NumNodes())
	for v := range d.Graph.NumNodes() {
		names = append(names, d.IDs.At(int32(v)))
	}
	out.IDs = NewIDs(append(names, n.IDs...))
	out.Labels = n.labels(d.Labels)
	if d.Times != nil {
		out.Times = append(slices.Clone(d.Times), slices.Repeat([]int64{math.MinInt64}, n.count())...)
		copy(out.Times[len(d.Times):], n.Times)
	}
	if d.Raw != nil {
		out.Raw = d.Raw.withRows(n.Old).With(n.Raw, n.Features, len(n.Edges))
	}
	return &out, nil
}

func (n *Newcomers) graph(g *graph.Graph) (*graph.Graph, error) {
	s := graph.Spec{Nodes: g.NumNodes() + n.count(), Relations: g.NumRelations(), Undirected: g.Undirected(),
		Triples: append(g.Triples(), n.Edges...)}
	if g.NumTypes() > 1 {
		types := n.Types
		if types == nil {
			types = make([]int32, n.count())
		}
		s.Types, s.NodeTypes = g.NumTypes(), slices.Concat(g.NodeTypes(), types)
	}
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
	all := l.Extend(n.count())
	if l.Task == "" {
		copy(all.Class[len(l.Class):], n.Class)
	}
	return all
}
