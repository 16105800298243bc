package audit

import (
	"slices"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/graph"
)

// Description is what can be said about a data set without training on it. `bloom data info` shows it; the JSON keys
// are stable.
type Description struct {
	Name   string `json:"name"`
	Metric string `json:"metric,omitempty"`
	Nodes  int    `json:"nodes"` // for a link set the entities of all parts
	// Edges are counted as the literature does: for a graph with one relation the distinct undirected edges without
	// self loops, for a link set or several relations the triples.
	Edges    int  `json:"edges"`
	Features int  `json:"features"`
	Nonzeros int  `json:"nonzeros"` // stored feature values
	Weighted bool `json:"weighted,omitempty"`
	// EdgeFeatures is the number of features of every edge, and EdgeColumns the columns that they come from.
	EdgeFeatures int      `json:"edge_features,omitempty"`
	EdgeColumns  []string `json:"edge_columns,omitempty"`
	Classes      int      `json:"classes"`
	Relations    int      `json:"relations"`

	Types      []typeCount  `json:"types,omitempty"` // if there are several node types
	ClassSizes []classCount `json:"class_sizes,omitempty"`
	Labelled   int          `json:"labelled"`         // nodes whose class is known
	Splits     []SplitSizes `json:"splits"`           // one for a link set: its triples
	Corrupted  int          `json:"corrupted"`        // nodes with corrupted features
	Loops      int          `json:"self_loops"`       // edges from a node to itself
	Repeats    int          `json:"duplicate_edges"`  // edges that repeat an earlier one
	Isolated   int          `json:"isolated"`         // nodes without an edge to another node
	Components int          `json:"components"`       // connected components, edges taken both ways
	Degrees    spread       `json:"degrees"`          // distinct other nodes that a node shares an edge with
	Homophily  *homophily   `json:"labels,omitempty"` // nil if no edge joins two labelled nodes
	Warnings   []Warning    `json:"warnings,omitempty"`
	Notes      []string     `json:"notes,omitempty"`
	Twin       *Description `json:"twin,omitempty"` // the graph of new entities
}

// typeCount is the size of a node type.
type typeCount struct {
	Name     string `json:"name"`
	Nodes    int    `json:"nodes"`
	Features int    `json:"features"`
}

// classCount is the size of a class.
type classCount struct {
	Name  string `json:"name"`
	Nodes int    `json:"nodes"`
}

// SplitSizes are the sizes of the parts of a split: nodes, or triples of a link set.
type SplitSizes struct {
	Train int `json:"train"`
	Valid int `json:"valid"`
	Test  int `json:"test"`
}

// Describe counts what d holds and looks for signs that its test is easier than it seems. Its time is proportional to
// nodes, edges and stored features; it sorts only degrees.
func Describe(d *dataset.Dataset) Description {
	g := d.Graph
	s := g.Stats()
	out := Description{
		Name: d.Name, Metric: d.Metric, Nodes: s.Nodes, Edges: s.Pairs, Features: d.NumFeatures(),
		Classes: len(d.Labels.Names), Relations: s.Relations, Corrupted: len(d.Corrupted), Loops: s.Loops,
		Repeats: s.Duplicates, Isolated: s.Isolated, Components: s.Components, Notes: d.Notes,
		Degrees: describeDegrees(g), Homophily: Homophily(d),
	}
	var w warnings
	if d.IsLinks() {
		w.triples(d)
	}
	w.splits(d)
	out.Warnings = w
	if d.IsLinks() || g.NumRelations() > 1 {
		out.Edges = g.NumEdges()
	}
	for _, x := range d.Features {
		out.Nonzeros += x.Nonzeros()
	}
	out.Types = countTypes(d)
	out.Weighted, out.EdgeFeatures = g.Weights() != nil, g.Features().Cols
	if d.Schema != nil && d.Schema.Edges != nil {
		for _, c := range d.Schema.Edges.Columns {
			out.EdgeColumns = append(out.EdgeColumns, c.Name)
		}
	}
	out.ClassSizes, out.Labelled = countClasses(d.Labels)
	out.Splits = countSplits(d)
	if d.Twin != nil {
		twin := Describe(d.Twin)
		out.Twin = &twin
	}
	return out
}

// countTypes counts the nodes and features of every type; it returns nil if there is one type.
func countTypes(d *dataset.Dataset) []typeCount {
	if d.Graph.NumTypes() < 2 {
		return nil
	}
	types := make([]typeCount, d.Graph.NumTypes())
	for t := range types {
		types[t].Name = d.TypeName(int32(t))
		if t < len(d.Features) {
			types[t].Features = d.Features[t].Cols
		}
	}
	for _, t := range d.Graph.NodeTypes() {
		types[t].Nodes++
	}
	return types
}

// countClasses counts the nodes of every class, and all labelled nodes.
func countClasses(l dataset.Labels) (sizes []classCount, labelled int) {
	sizes = make([]classCount, len(l.Names))
	for c, name := range l.Names {
		sizes[c].Name = name
	}
	for _, c := range l.Class {
		if c >= 0 {
			sizes[c].Nodes++
			labelled++
		}
	}
	return sizes, labelled
}

// countSplits counts the parts of every split.
func countSplits(d *dataset.Dataset) []SplitSizes {
	if d.IsLinks() {
		return []SplitSizes{{Train: d.Graph.NumEdges(), Valid: len(d.Valid), Test: len(d.Test)}}
	}
	sizes := make([]SplitSizes, len(d.Splits))
	for i, s := range d.Splits {
		sizes[i] = SplitSizes{Train: len(s.Train), Valid: len(s.Valid), Test: len(s.Test)}
	}
	return sizes
}

// spread is how the degrees of a graph are distributed.
type spread struct {
	Min       int         `json:"min"`
	Mean      float64     `json:"mean"`
	Median    int         `json:"median"`
	P90       int         `json:"p90"` // nine of ten nodes have at most this degree
	P99       int         `json:"p99"`
	Max       int         `json:"max"`
	Histogram []degreeBin `json:"histogram,omitempty"`
}

// degreeBin counts the nodes of degree From ≤ d < To. Bins double: 0, 1, 2–3, 4–7, …
type degreeBin struct {
	From  int `json:"from"`
	To    int `json:"to"`
	Nodes int `json:"nodes"`
}

// describeDegrees sorts the numbers of distinct neighbours.
func describeDegrees(g *graph.Graph) spread {
	n := g.NumNodes()
	if n == 0 {
		return spread{}
	}
	degrees, sum := make([]int, n), 0
	var buf []int32
	for v := range degrees {
		buf = Neighbours(buf[:0], g, v)
		degrees[v] = len(buf)
		sum += len(buf)
	}
	slices.Sort(degrees)
	at := func(q float64) int { return degrees[int(q*float64(n-1)+0.5)] }
	return spread{
		Min: degrees[0], Mean: float64(sum) / float64(n), Median: at(0.5), P90: at(0.9), P99: at(0.99),
		Max: degrees[n-1], Histogram: histogram(degrees),
	}
}

// histogram puts ascending degrees into bins that double.
func histogram(degrees []int) []degreeBin {
	bins := []degreeBin{{From: 0, To: 1}}
	for _, d := range degrees {
		for last := bins[len(bins)-1]; d >= last.To; last = bins[len(bins)-1] {
			bins = append(bins, degreeBin{From: last.To, To: 2 * last.To})
		}
		bins[len(bins)-1].Nodes++
	}
	return bins
}

// Neighbours appends to dst the distinct nodes other than v that share an edge with it, ascending,
// whatever the direction and the relation.
func Neighbours(dst []int32, g *graph.Graph, v int) []int32 {
	a, _ := g.In().Row(v)
	b, _ := g.Out().Row(v)
	for len(a) > 0 || len(b) > 0 {
		var u int32
		if len(b) == 0 || len(a) > 0 && a[0] <= b[0] {
			u, a = a[0], a[1:]
		} else {
			u, b = b[0], b[1:]
		}
		if int(u) != v && (len(dst) == 0 || dst[len(dst)-1] != u) {
			dst = append(dst, u)
		}
	}
	return dst
}
