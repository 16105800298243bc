package dataset

import (
	"fmt"
	"slices"

	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/mat"
)

// Gone is what is taken out of a data set: nodes with their edges, edges by their numbers in Graph, and nodes whose
// labels are. Duplicates count once.
type Gone struct{ Nodes, Edges, Labels []int32 }

// Without returns d as if nodes, edges and labels had never been in it. What is left keeps its order, and nodes their
// ids: those that were called by their numbers keep these as names. A class without a label ends, unless nodes have
// sets of classes. Nodes that are values of rows (TypeSchema.Things) end with their last edge. Columns stay as they
// were fitted; importer.Refit fits them again.
//
// The error says what keeps d from forgetting.
func (d *Dataset) Without(gone Gone) (*Dataset, error) {
	if why := d.unforgetting(); why != "" {
		return nil, fmt.Errorf("%s: %s", d.Name, why)
	}
	w := d.newWithout(gone)
	if len(w.kept) == 0 {
		return nil, fmt.Errorf("%s: nothing is left if all %d nodes are forgotten", d.Name, d.Graph.NumNodes())
	}
	out := *d
	g, err := d.Graph.Subgraph(w.kept, w.edges)
	if err != nil {
		return nil, err
	}
	out.Graph, out.File, out.Notes = g, nil, nil // notes are about all that was read
	out.IDs = w.ids()
	out.Features = make([]Matrix, len(d.Features))
	for t, x := range d.Features {
		if out.Features[t] = x; x.Cols > 0 {
			out.Features[t] = x.only(w.rows[min(t, len(w.rows)-1)])
		}
	}
	out.Labels = w.labels()
	out.Splits = make([]Split, len(d.Splits))
	for i, s := range d.Splits {
		out.Splits[i] = Split{w.labelled(s.Train), w.labelled(s.Valid), w.labelled(s.Test)}
	}
	var valid, test []int
	out.Valid, valid = w.triples(d.Valid)
	out.Test, test = w.triples(d.Test)
	out.Corrupted = w.list(d.Corrupted)
	if d.Times != nil {
		out.Times = pick(d.Times, w.kept)
	}
	if d.Raw != nil {
		out.Raw = w.raw(valid, test)
	}
	return &out, nil
}

// unforgetting returns why nothing can be taken out of d; empty if it can.
func (d *Dataset) unforgetting() string {
	switch {
	case d.Twin != nil:
		return "it is two graphs, one to train on and one to test on; take the rows out of their files and train again"
	case d.Events != nil:
		return "it is a file of events; take the lines out of the file and train again"
	case d.Schema != nil && d.Schema.Database != nil:
		return "it is a database; delete the rows there, import it and train again"
	case d.Settled.Energy != "" || d.Of > 0:
		return "it is a part of a graph that stays on disk; take the rows out of its tables and train again"
	}
	return ""
}

// without is a data set while things are taken out of it.
type without struct {
	*Dataset
	place   []int32   // of every node among those that are kept, −1 for one that is not
	unlabel []bool    // of every node: its label is not kept
	kept    []int32   // nodes
	edges   []int32   // that are kept
	cut     []int32   // that were to go
	rows    [][]int32 // of every type: the rows that are kept
}

func (d *Dataset) newWithout(gone Gone) *without {
	n, g := d.Graph.NumNodes(), d.Graph
	w := &without{Dataset: d, place: make([]int32, n), unlabel: make([]bool, n), cut: gone.Edges}
	cut := make([]bool, g.NumEdges())
	for _, e := range gone.Edges {
		cut[e] = true
	}
	for _, v := range gone.Labels {
		w.unlabel[v] = true
	}
	for _, v := range gone.Nodes {
		w.place[v] = -1
	}
	left := make([]int, n)
	for e, u := range g.Sources() {
		v := g.Targets()[e]
		if cut[e] = cut[e] || w.place[u] < 0 || w.place[v] < 0; !cut[e] {
			w.edges = append(w.edges, int32(e))
			left[u]++
			left[v]++
		}
	}
	for e, u := range g.Sources() {
		for _, v := range []int32{u, g.Targets()[e]} {
			if cut[e] && left[v] == 0 && d.isThing(v) {
				w.place[v] = -1
			}
		}
	}
	for v := range int32(n) {
		if w.place[v] == 0 {
			w.place[v] = int32(len(w.kept))
			w.kept = append(w.kept, v)
		}
	}
	for t := range max(1, g.NumTypes()) {
		w.rows = append(w.rows, nil)
		for i, v := range g.NodesOfType(int32(t)) {
			if w.place[v] >= 0 {
				w.rows[t] = append(w.rows[t], int32(i))
			}
		}
	}
	return w
}

// isThing reports whether node v is a value that rows share.
func (d *Dataset) isThing(v int32) bool {
	types := d.Graph.NodeTypes()
	return d.Schema != nil && types != nil && int(types[v]) < len(d.Schema.Types) && d.Schema.Types[types[v]].Things
}

func (w *without) ids() IDs {
	if w.IDs.Ends == nil && len(w.kept) == w.Graph.NumNodes() {
		return w.IDs
	}
	names := make([]string, len(w.kept))
	for i, v := range w.kept {
		names[i] = w.IDs.At(v)
	}
	return NewIDs(names)
}

// list returns the new numbers of nodes that are kept.
func (w *without) list(nodes []int32) (list []int32) {
	for _, v := range nodes {
		if w.place[v] >= 0 {
			list = append(list, w.place[v])
		}
	}
	return list
}

// labelled is list of nodes whose labels are kept too.
func (w *without) labelled(nodes []int32) []int32 {
	return w.list(slices.DeleteFunc(slices.Clone(nodes), func(v int32) bool { return w.unlabel[v] }))
}

// labels returns the labels that are left, classes without any left out.
func (w *without) labels() Labels {
	l := w.Labels
	if l.Class == nil {
		return l
	}
	l.Class = pick(l.Class, w.kept)
	k := len(l.Names)
	if l.Values != nil {
		l.Values = nil
		for _, v := range w.kept {
			l.Values = append(l.Values, w.Labels.Values[int(v)*k:][:k]...)
		}
	}
	for i, v := range w.kept {
		if w.unlabel[v] {
			l.Class[i] = -1
			if l.Values != nil {
				clear(l.Values[i*k:][:k])
			}
		}
	}
	if l.Task == "" {
		l.Class, l.Names = usedClasses(l.Class, w.Labels)
	}
	return l
}

// usedClasses drops the classes whose last label was removed and renumbers the others. Classes that never had a label
// stay.
func usedClasses(class []int32, old Labels) ([]int32, []string) {
	was, is := make([]bool, len(old.Names)), make([]bool, len(old.Names))
	for _, c := range old.Class {
		if c >= 0 {
			was[c] = true
		}
	}
	for _, c := range class {
		if c >= 0 {
			is[c] = true
		}
	}
	var names []string
	number := make([]int32, len(old.Names))
	for c, name := range old.Names {
		number[c] = int32(len(names))
		if is[c] || !was[c] {
			names = append(names, name)
		}
	}
	for i, c := range class {
		if c >= 0 {
			class[i] = number[c]
		}
	}
	return class, names
}

// triples returns the triples between nodes that are kept, and which they were.
func (w *without) triples(list []graph.Triple) (kept []graph.Triple, at []int) {
	for i, f := range list {
		if u, v := w.place[f.U], w.place[f.V]; u >= 0 && v >= 0 {
			kept, at = append(kept, graph.Triple{U: u, R: f.R, V: v}), append(at, i)
		}
	}
	return kept, at
}

// raw returns the rows of the tables that are kept; valid and test are the triples that are.
func (w *without) raw(valid, test []int) *Raw {
	out := &Raw{}
	for t, columns := range w.Raw.Nodes {
		var list []RawColumn
		for _, c := range columns {
			texts := c.Values.Pick(w.rows[t])
			if w.Schema != nil && t < len(w.Schema.Types) && w.Schema.Types[t].Label == c.Name {
				texts = w.blank(&texts, w.Graph.NodesOfType(int32(t)), w.rows[t])
			}
			list = append(list, RawColumn{c.Name, texts})
		}
		out.Nodes = append(out.Nodes, list)
	}
	rows := slices.Clone(w.edges)
	for _, i := range valid {
		rows = append(rows, int32(w.Graph.NumEdges()+i))
	}
	for _, i := range test {
		rows = append(rows, int32(w.Graph.NumEdges()+len(w.Valid)+i))
	}
	for _, c := range w.Raw.Edges {
		out.Edges = append(out.Edges, RawColumn{c.Name, c.Values.Pick(rows)})
	}
	out.Rows = w.edgeRows()
	return out
}

// blank returns the labels of rows of nodes, without those that are to go.
func (w *without) blank(labels *Texts, nodes, rows []int32) (out Texts) {
	for i, row := range rows {
		if w.unlabel[nodes[row]] {
			out.Append(nil)
		} else {
			out.Append(labels.Get(i))
		}
	}
	return out
}

func (w *without) edgeRows() *EdgeRows {
	r := w.Raw.Rows
	if r == nil {
		return nil
	}
	cut := map[graph.Triple]bool{}
	for _, e := range w.cut {
		x := w.Graph.Edge(e)
		cut[edgeOf(w.Graph, x.U, x.V, x.R)] = true
	}
	out, kept := &EdgeRows{}, []int32(nil)
	for i := range r.Src {
		if w.place[r.Src[i]] < 0 || w.place[r.Dst[i]] < 0 || cut[edgeOf(w.Graph, r.Src[i], r.Dst[i], r.Relation(i))] {
			continue
		}
		kept = append(kept, int32(i))
		out.Src, out.Dst = append(out.Src, w.place[r.Src[i]]), append(out.Dst, w.place[r.Dst[i]])
	}
	if r.Rel != nil {
		out.Rel = pick(r.Rel, kept)
	}
	for _, c := range r.Columns {
		out.Columns = append(out.Columns, NumberColumn{c.Name, pick(c.Values, kept)})
	}
	return out
}

// only returns some rows of m.
func (m Matrix) only(rows []int32) Matrix {
	y := Matrix{Rows: len(rows), Cols: m.Cols}
	if !m.IsSparse() {
		y.Values = make([]mat.Real, 0, len(rows)*m.Cols)
		for _, v := range rows {
			y.Values = append(y.Values, m.Values[int(v)*m.Cols:][:m.Cols]...)
		}
		return y
	}
	y.Ptr = []int64{0}
	for _, v := range rows {
		from, to := m.Ptr[v], m.Ptr[v+1]
		y.Idx = append(y.Idx, m.Idx[from:to]...)
		if m.Values != nil {
			y.Values = append(y.Values, m.Values[from:to]...)
		}
		y.Ptr = append(y.Ptr, int64(len(y.Idx)))
	}
	return y
}

// pick returns x[i] for every i of ids.
func pick[T any](x []T, ids []int32) []T {
	y := make([]T, len(ids))
	for k, i := range ids {
		y[k] = x[i]
	}
	return y
}

// edgeOf returns the edge of g that a row stands for; the ends of undirected edges are in order.
func edgeOf(g *graph.Graph, u, v, r int32) graph.Triple {
	if g.Undirected() && u > v {
		u, v = v, u
	}
	return graph.Triple{U: u, R: r, V: v}
}
