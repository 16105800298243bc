package node

import (
	"errors"
	"slices"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/descent"
	"github.com/bloomgml/bloom/energy"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/recipe"
	"github.com/bloomgml/bloom/train"
	"github.com/bloomgml/bloom/upper"
)

// Subgraph is a part of the current graph of a run, or all of it.
type Subgraph struct {
	Graph    *graph.Graph   // all edges between its nodes, undirected, without loops and duplicates
	Degree   []mat.Real     // the degrees of its nodes in the whole graph; nil if Graph is the whole
	Node     []int32        // the node of the data set that each is, −1 for a new one
	Features dataset.Matrix // in the form of Task.Features
	Raw      *dataset.Raw   // the columns and the rows of edges that Task.Compared asks for, of all nodes
}

// Reach returns the number of edges between a change of the graph and the farthest node whose prediction, residual or
// energy it changes; −1 if that is every node. The error says why the task cannot follow a graph that changes.
func (t *Task) Reach() (hops int, err error) {
	g := t.Data.Graph
	if t.Stack != nil && t.forest == nil {
		g = t.On.On.Graph
	}
	e, s := t.Config.Energy, g.Stats()
	switch _, onDisk := t.network.(*settled); {
	case t.made != nil:
		return 0, errors.New("it is a model written in Go, which may read the whole graph")
	case onDisk || t.all != nil:
		return 0, errors.New("its graph stays on disk")
	case t.Data.Graph.NumTypes() > 1 || g.NumRelations() > 1:
		return 0, errors.New("nodes or edges have several types")
	case !g.Undirected() || s.Loops > 0 || s.Duplicates > 0:
		return 0, errors.New("edges have directions, self loops or duplicates, which its model distinguishes")
	case t.Features(0).Cols == 0:
		return 0, errors.New("nodes have no features, so nothing is known about new ones")
	case e != nil && e.FromLabels():
		return 0, errors.New("its energy depends on the labels of the training nodes")
	case e != nil && e.Eta == recipe.Range:
		return 0, errors.New("its energy depends on the features of all nodes at once")
	}
	if t.forest != nil && t.Config.Model.Neighbours {
		hops = 1
	}
	columns, edges := t.Compared()
	if t.Stack == nil && t.forest == nil || t.forest != nil && t.Config.Model.Closed || len(columns) > 0 || edges {
		return -1, nil
	}
	return t.reachOfStack(hops)
}

// reachOfStack adds the levels of the stack, if there is one, to hops, and an edge for the energies of neighbours.
func (t *Task) reachOfStack(hops int) (int, error) {
	if t.Stack == nil {
		return hops, nil
	}
	all := false
	for _, l := range t.Stack.Levels {
		if l.Edges != nil {
			return 0, errors.New("edges are weighted by their features, which added edges would not have; " +
				"data.edge_features: none trains without")
		}
		_, couples := l.Eta.(energy.Coupling)
		_, nearby := descent.Looks(l.A)
		all = all || couples || l.L > 0 && !nearby
		hops += l.L
		if slices.ContainsFunc(l.F, func(f energy.EdgeTerm) bool { _, given := f.(energy.GivenEdges); return given }) {
			hops++
		}
	}
	if all {
		return -1, nil
	}
	return hops + 1, nil
}

// Solved reports whether answers are solved for from the data as it is, so that they do not depend on what it had
// before: Within on the whole graph forgets nodes and edges that are not in it.
func (t *Task) Solved() bool {
	_, ok := t.network.(*closedForm)
	return ok
}

// Within returns t on a subgraph of its graph in its current state, with the same weights. Its output for a node
// equals the output on the whole graph if the subgraph has all nodes within Reach edges of the node.
func (t *Task) Within(s Subgraph) (*Task, error) {
	if err := t.rowsFit(0, s.Features); err != nil {
		return nil, err
	}
	x, err := t.scaledLike(0, s.Features)
	if err != nil {
		return nil, &train.BadData{Data: t.Data.Name, Text: err.Error()}
	}
	data, sub := *t.Data, *t
	data.Graph, data.Features, data.Labels = s.Graph, []dataset.Matrix{x}, labelsWithin(t.Data.Labels, s.Node)
	data.Raw = nil // of other rows; newTable must not look for columns to compare either
	sub.Data, sub.Split, sub.rows, sub.all = &data, dataset.Split{}, nil, nil
	sub.goal = goalOf(t.goal, data.Labels)
	place := make(map[int32]int32, len(s.Node))
	for i, v := range s.Node {
		place[v] = int32(i)
	}
	trained := []int32{} // places in the split
	for i, v := range t.Split.Train {
		if at, ok := place[v]; ok {
			sub.Split.Train, trained = append(sub.Split.Train, at), append(trained, int32(i))
		}
	}
	if err := sub.place(s.Graph); err != nil {
		return nil, err
	}
	sub.On.On.Whole = s.Degree
	if t.forest != nil {
		sub.forest = t.forest.within(&sub, s.Raw, trained)
	}
	return &sub, sub.networkWithin(t, s)
}

// networkWithin turns the network of t into the network of sub, which is t on s.
func (sub *Task) networkWithin(t *Task, s Subgraph) (err error) {
	switch n := t.network.(type) {
	case bilevel:
		sub.Stack = t.Stack
		if sub.forest != nil {
			stack := *t.Stack
			stack.Levels = slices.Clone(stack.Levels)
			stack.Levels[0].Pi, sub.Stack = sub.forest, &stack
		}
		sub.network = bilevel{sub.Stack, sub.On}
	case *closedForm:
		sub.network = n.within(sub, s)
	case plain:
		if sub.forest != nil {
			n.Model, n.x = sub.forest, sub.On.X
			sub.network = n
			return nil
		}
		p := portion{graph: sub.Data.Graph, x: sub.On.X, class: sub.Data.Labels.Class}
		if sub.network, err = t.untied().onPlain(n, p, sub.On, upper.Supervised{Criterion: t.criterion}); err == nil {
			copyParams(weights(sub.network), weights(n))
		}
	}
	return err
}

// goalOf returns g for other nodes.
func goalOf(g goal, labels dataset.Labels) goal {
	switch g := g.(type) {
	case *classes:
		out := *g
		out.Labels = labels
		return &out
	case *sets:
		out := *g
		out.Labels = labels
		return &out
	case *numbers:
		out := *g
		out.Labels = labels
		return &out
	}
	return g
}

// labelsWithin returns the labels of nodes, none of new ones.
func labelsWithin(l dataset.Labels, nodes []int32) dataset.Labels {
	k := len(l.Names)
	out := dataset.Labels{Names: l.Names, Task: l.Task, Class: make([]int32, len(nodes))}
	if l.Values != nil {
		out.Values = make([]mat.Real, len(nodes)*k)
	}
	for i, v := range nodes {
		if out.Class[i] = label(l, v); v >= 0 && l.Values != nil {
			copy(out.Values[i*k:], l.Values[int(v)*k:int(v+1)*k])
		}
	}
	return out
}

// within returns f on the nodes of sub, whose tables are raw, with the residuals of the training nodes that are in sub,
// by their indices.
func (f *forest) within(sub *Task, raw *dataset.Raw, trained []int32) *forest {
	k := f.base.Cols()
	out := &forest{Task: sub, table: f.table.within(sub, raw), base: f.base, packed: f.packed,
		scores: ad.NewParam("trees.scores", mat.New(sub.Data.Graph.NumNodes(), k))}
	if f.left != nil {
		out.left = ad.NewParam("trees.residuals", mat.FromSlice(len(trained), k, picked(f.left.Value().Slice(), k,
			trained)))
	}
	out.scores.Value().Write(slices.Repeat(f.base.Value().Slice(), sub.Data.Graph.NumNodes()))
	return out
}

// within returns b for the nodes of sub, whose tables are raw.
func (b *table) within(sub *Task, raw *dataset.Raw) table {
	out := sub.newTable(b.nearby > 0)
	if b.comparison.width > 0 {
		sub.Data.Raw = raw
		out.comparison = b.comparison.anew(sub)
		out.sum()
	}
	return out
}
