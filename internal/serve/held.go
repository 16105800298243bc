package serve

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"

	"github.com/bloomgml/bloom/dataset"
	bgraph "github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/internal/solve"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/task/node"
	"github.com/bloomgml/bloom/train"
)

// run calls f while nothing else runs the model. It refuses if the model cannot be run after edits: a
// number is not finite, or a step that was short enough for the graph as it was is too long.
func (g *graph) run(ctx context.Context, f func() error) error {
	select {
	case g.running <- struct{}{}:
		defer func() { <-g.running }()
	case <-ctx.Done():
		return ctx.Err()
	}
	err := f()
	if err == nil {
		return nil
	}
	why := err.Error()
	var bad *train.BadData
	if errors.As(err, &bad) {
		why = bad.Text
	}
	return unprocessable("%s", why)
}

// hold lets the task predict the rows that a change reaches, on the subgraph that these depend on. A row of the states
// has the logits of a node and, if there is an energy, its residual and its energy.
func (g *graph) hold() error {
	g.held = true
	p, err := g.task.Predict()
	if err != nil {
		return err
	}
	on := g.task.On.On.Graph
	if g.fixed() {
		triples := g.task.Data.Graph.Triples() // who is whose neighbour, whatever the relation
		for i := range triples {
			triples[i].R = 0
		}
		if on, err = bgraph.Build(bgraph.Spec{Nodes: g.task.Data.Graph.NumNodes(), Triples: triples, Undirected: true,
			DropDuplicates: true, Loops: bgraph.DropLoops}); err != nil {
			return err
		}
		g.known = int32(on.NumNodes())
	}
	rows, width := predicted(p)
	g.state, err = solve.Hold(on, mat.FromSlice(on.NumNodes(), width, rows))
	return err
}

// predicted returns the rows of predictions.
func predicted(p *node.Predictions) (rows []mat.Real, width int) {
	z, k := p.Logits.Slice(), p.Logits.Cols()
	if p.Energy == nil {
		return z, k
	}
	for v := range p.Logits.Rows() {
		rows = append(rows, z[v*k:(v+1)*k]...)
		rows = append(rows, mat.Real(p.Residual[v]), mat.Real(p.Energy[v]))
	}
	return rows, k + 2
}

// part is a subgraph with the nodes that it has, ascending.
type part struct {
	node.Subgraph
	nodes []int32
}

// around returns the nodes within the given number of hops of others, or nil if these are more than half of the graph.
func (g *graph) around(from []int32, hops int) []int32 {
	if hops < 0 {
		return nil
	}
	list := slices.DeleteFunc(slices.Clone(from), g.hidden.has)
	seen := make(map[int32]bool, len(list))
	for _, v := range list {
		seen[v] = true
	}
	for first := 0; hops > 0; hops-- {
		end := len(list)
		for _, v := range list[first:end] {
			for _, u := range g.state.Neighbours(v) {
				if !seen[u] {
					seen[u] = true
					list = append(list, u)
				}
			}
		}
		if first = end; 2*len(list) > g.state.Nodes() {
			return nil
		}
	}
	slices.Sort(list)
	return list
}

// part returns the subgraph of nodes; nil means all that were not removed. Edges are in the order of the data set, new
// ones after those: sums over neighbours are then rounded as they were when the run was trained.
func (g *graph) part(nodes []int32) (p part, err error) {
	whole := nodes == nil
	if p.nodes = nodes; whole {
		p.nodes = g.kept()
	}
	place := make(map[int32]int32, len(p.nodes))
	for i, v := range p.nodes {
		place[v] = int32(i)
	}
	type edge struct {
		id int32 // in the data set, or behind all of it
		bgraph.Triple
		weight mat.Real
	}
	var edges []edge
	trained := g.task.On.On.Graph.Adjacency()
	p.Features = dataset.Matrix{Cols: g.task.Features(0).Cols, Values: []mat.Real{}}
	if g.task.Features(0).IsSparse() {
		p.Features.Ptr = []int64{0}
	}
	if columns, edges := g.task.Compared(); whole && (edges || len(columns) > 0) {
		p.Raw = g.tables(p.nodes, place, columns, edges)
	}
	weighted := false
	for i, v := range p.nodes {
		degree := 0.0
		for _, u := range g.state.Neighbours(v) {
			w := g.state.Weight(v, u)
			degree, weighted = degree+w, weighted || w != 1
			at, ok := place[u]
			if !ok || u < v {
				continue
			}
			e := edge{math.MaxInt32, bgraph.Triple{U: int32(i), V: at}, mat.Real(w)}
			if u < g.known { // v too, which is smaller
				others, ids := trained.Row(int(v))
				if k, ok := slices.BinarySearch(others, u); ok {
					e.id = ids[k]
				}
			}
			edges = append(edges, e)
		}
		if p.Node = append(p.Node, v); v >= g.known || g.silent.has(v) {
			p.Node[i] = -1
		}
		if !whole {
			p.Degree = append(p.Degree, mat.Real(degree))
		}
		p.Features.AppendRow(g.features(v))
	}
	slices.SortStableFunc(edges, func(a, b edge) int { return cmp.Compare(a.id, b.id) })
	spec := bgraph.Spec{Nodes: len(p.nodes), Undirected: true, Triples: make([]bgraph.Triple, len(edges))}
	for k, e := range edges {
		if spec.Triples[k] = e.Triple; weighted {
			spec.Weights = append(spec.Weights, e.weight)
		}
	}
	p.Graph, err = bgraph.Build(spec)
	return p, err
}

// within returns the task on a part of the graph.
func (g *graph) within(p part) (*node.Task, error) {
	on, err := g.task.Within(p.Subgraph)
	if err != nil {
		return nil, err
	}
	ids := make([]string, len(p.nodes))
	for i, v := range p.nodes {
		ids[i] = g.id(v)
	}
	on.Data.IDs = dataset.NewIDs(ids)
	return on, nil
}

// predict computes the rows that changes of the state reach.
func (g *graph) predict(ctx context.Context) error {
	changed := g.state.Changed()
	if len(changed) == 0 {
		return nil
	}
	reached := g.around(changed, g.reach)
	var needed []int32
	switch {
	case reached != nil && len(reached) == 0: // they were removed, without neighbours
		return nil
	case reached != nil:
		needed = g.around(reached, g.reach)
	}
	p, err := g.part(needed)
	if err != nil || ctx.Err() != nil {
		return errors.Join(err, ctx.Err())
	}
	err = g.run(ctx, func() error {
		on, err := g.within(p)
		if err != nil {
			return err
		}
		said, err := on.Predict()
		if err != nil {
			return err
		}
		rows, width := predicted(said)
		for i, v := range p.nodes {
			if _, ok := slices.BinarySearch(reached, v); ok || needed == nil {
				g.state.SetRow(v, rows[i*width:(i+1)*width])
			}
		}
		return nil
	})
	return errors.Join(err, ctx.Err())
}

// fill adds what a row of such a run says besides its logits.
func (g *graph) fill(p *node.Prediction, v int32) {
	k, row := g.task.Classes(), g.state.Row(v)
	if len(row) > k {
		residual, energy := float64(row[k]), float64(row[k+1])
		p.Residual, p.Energy = &residual, &energy
	}
	if types := g.task.Data.Graph.NodeTypes(); v < g.known && types != nil {
		p.Type = g.task.Data.TypeName(types[v])
	}
}

// refused is the error for edits of a graph that cannot change.
func (m *Model) refused() error {
	return conflict("%s takes no edits, %s: %s", m.Name, m.graph.task.Config.Recipe, m.graph.why)
}

func (g *graph) fixed() bool { return g.why != "" }

func (m *Model) fixed() bool { return m.graph.fixed() }
