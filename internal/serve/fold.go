package serve

import (
	"maps"
	"slices"
)

// fold is the net effect of a list of edits, whatever graph they are made to: nodes and edges by their ids, each with
// the last thing said of it. Edits that were made are added; none contradicts those before it.
type fold struct {
	removed []string // nodes of the data set
	added   int
	nodes   map[string]*foldedNode            // existing nodes that edits mention
	edges   map[string]map[string]*foldedEdge // the same, by either end
}

type foldedNode struct {
	added    int       // its place among the nodes that were added, from 1; 0 for one of the data set
	features []float64 // nil if nothing was said of them
	columns  Values    // what was said later, by name
	label    *string   // nil if nothing was said of it
	right    [2]bool   // the row, the label
}

type foldedEdge struct {
	was    bool // in the data set
	cut    bool // that one was removed
	is     bool // there now
	weight float64
	said   Values
	back   bool // from the larger id to the smaller
	right  bool
}

func newFold() *fold {
	return &fold{nodes: map[string]*foldedNode{}, edges: map[string]map[string]*foldedEdge{}}
}

func (f *fold) add(e Edit) {
	switch {
	case e.AddEdge != nil:
		edge := f.edge(*e.AddEdge, false)
		edge.is, edge.weight, edge.said, edge.back = true, e.Weight, e.Columns, e.AddEdge[0] > e.AddEdge[1]
	case e.RemoveEdge != nil:
		edge := f.edge(*e.RemoveEdge, true)
		edge.is, edge.cut = false, edge.was
	case e.AddNode != nil:
		f.added++
		f.nodes[e.AddNode.ID] = &foldedNode{added: f.added, features: e.AddNode.Features, columns: e.AddNode.Columns}
	case e.SetFeatures != nil:
		f.row(f.node(e.SetFeatures.ID), *e.SetFeatures)
	case e.SetLabel != nil:
		f.node(e.SetLabel.ID).label = &e.SetLabel.Class
	case e.Confirm != nil:
		f.confirm(*e.Confirm)
	default:
		f.remove(e.RemoveNode)
	}
}

func (f *fold) node(id string) *foldedNode {
	if f.nodes[id] == nil {
		f.nodes[id] = &foldedNode{}
	}
	return f.nodes[id]
}

// edge returns the edge of a pair; was says whether the data set has it, and is used if the edge is new to f.
func (f *fold) edge(p Pair, was bool) *foldedEdge {
	e := f.edges[p[0]][p[1]]
	if e == nil {
		e = &foldedEdge{was: was, is: was}
		for _, p := range []Pair{p, {p[1], p[0]}} {
			if f.edges[p[0]] == nil {
				f.edges[p[0]] = map[string]*foldedEdge{}
			}
			f.edges[p[0]][p[1]] = e
		}
	}
	return e
}

// row sets features of a node: all, or some by name.
func (f *fold) row(n *foldedNode, r Row) {
	if r.Columns == nil {
		n.features, n.columns = r.Features, nil
		return
	}
	if n.columns = maps.Clone(n.columns); n.columns == nil {
		n.columns = Values{}
	}
	maps.Copy(n.columns, r.Columns)
}

func (f *fold) confirm(c Confirm) {
	switch {
	case c.Edge == nil && c.Row != "":
		f.node(c.Row).right[0] = !c.Withdraw
	case c.Edge == nil:
		f.node(c.Label).right[1] = !c.Withdraw
	case !c.Withdraw || f.edges[c.Edge[0]][c.Edge[1]] != nil:
		f.edge(*c.Edge, true).right = !c.Withdraw
	}
}

// remove removes a node with its edges: one that was added as if it had never been.
func (f *fold) remove(id string) {
	if n := f.nodes[id]; n == nil || n.added == 0 {
		f.removed = append(f.removed, id)
	}
	delete(f.nodes, id)
	for other := range f.edges[id] {
		delete(f.edges[other], id)
	}
	delete(f.edges, id)
}

// edits returns a list with the same effect: removed nodes, added nodes in their order, what is said of nodes, edges.
func (f *fold) edits() (list []Edit) {
	for _, id := range f.removed {
		list = append(list, Edit{RemoveNode: id})
	}
	ids := slices.Sorted(maps.Keys(f.nodes))
	slices.SortStableFunc(ids, func(a, b string) int { return f.nodes[a].added - f.nodes[b].added })
	for _, id := range ids {
		list = f.nodes[id].edits(list, id)
	}
	for _, u := range slices.Sorted(maps.Keys(f.edges)) {
		for _, v := range slices.Sorted(maps.Keys(f.edges[u])) {
			if u < v {
				list = f.edges[u][v].edits(list, Pair{u, v})
			}
		}
	}
	return list
}

func (n *foldedNode) edits(list []Edit, id string) []Edit {
	row := func(features []float64, columns Values) *Row { return &Row{id, features, columns} }
	switch {
	case n.added > 0 && n.features == nil:
		list = append(list, Edit{AddNode: row(nil, n.columns)})
	case n.added > 0:
		list = append(list, Edit{AddNode: row(n.features, nil)})
	case n.features != nil:
		list = append(list, Edit{SetFeatures: row(n.features, nil)})
	}
	if n.columns != nil && !(n.added > 0 && n.features == nil) {
		list = append(list, Edit{SetFeatures: row(nil, n.columns)})
	}
	if n.label != nil {
		list = append(list, Edit{SetLabel: &Label{id, *n.label}})
	}
	if n.right[0] {
		list = append(list, Edit{Confirm: &Confirm{Row: id}})
	}
	if n.right[1] {
		list = append(list, Edit{Confirm: &Confirm{Label: id}})
	}
	return list
}

// edits appends the edits of an edge to list. A confirmation is made while the edge exists: it stays when the edge is
// removed.
func (e *foldedEdge) edits(list []Edit, p Pair) []Edit {
	add := Edit{AddEdge: &p, Weight: e.weight, Columns: e.said}
	if e.back {
		add.AddEdge = &Pair{p[1], p[0]}
	}
	if !e.was && (e.is || e.right) {
		list = append(list, add)
	}
	if e.right {
		list = append(list, Edit{Confirm: &Confirm{Edge: &p}})
	}
	if e.was && e.cut || !e.was && !e.is && e.right {
		list = append(list, Edit{RemoveEdge: &p})
	}
	if e.was && e.cut && e.is {
		list = append(list, add)
	}
	return list
}
