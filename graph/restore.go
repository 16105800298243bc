package graph

import (
	"fmt"
	"math"
	"runtime"

	"github.com/bloomgml/bloom/internal/host"
	"github.com/bloomgml/bloom/mat"
)

// Parts holds the arrays that a graph consists of, for files that are mapped into memory: Restore makes a graph from
// them without a sort. They belong to the graph and are for reading only.
type Parts struct {
	Nodes, Relations, Types int
	Undirected, Inverses    bool // Inverses: made by WithInverse
	Report                  Report

	Sources, Targets []int32    // one per edge
	Relation         []int32    // one per edge; nil when there is one relation
	Weights          []mat.Real // one per edge; nil when all are 1
	Features         Features   // of edges
	NodeTypes        []int32    // one per node; nil when there is one type
	Origins          []int32    // one per edge; nil when they are edge ids

	In, Out   Pattern // of a directed graph; without Ptr they are made when first asked for
	Adjacency Pattern // of an undirected graph, likewise
}

// Parts returns what Restore needs to make g again, with the patterns that g is propagated with:
// Adjacency when it is undirected, else In and Out.
func (g *Graph) Parts() Parts {
	p := Parts{
		Nodes: g.nodes, Relations: g.relations, Types: g.types,
		Undirected: g.undirected, Inverses: g.inverses, Report: g.report,
		Sources: g.src, Targets: g.dst, Weights: g.weight, Features: g.features,
		NodeTypes: g.nodeType, Origins: g.origin,
	}
	if g.relations > 1 {
		p.Relation = g.rel
	}
	if g.undirected {
		p.Adjacency = g.Adjacency()
	} else {
		p.In, p.Out = g.In(), g.Out()
	}
	return p
}

// Restore returns the graph that has the given parts; it keeps their slices. Every id and every offset is checked, in
// parallel, so a graph never reads outside of its arrays. That patterns list the same edges as Sources and Targets, in
// order, is not checked: it would cost a pass in random order, and it holds for the parts of a graph.
func Restore(p Parts) (*Graph, error) {
	if err := p.check(); err != nil {
		return nil, err
	}
	g := &Graph{
		nodes: p.Nodes, relations: p.Relations, types: p.Types, undirected: p.Undirected, inverses: p.Inverses,
		src: p.Sources, rel: p.Relation, dst: p.Targets, weight: p.Weights, features: p.Features,
		nodeType: p.NodeTypes, origin: p.Origins, report: p.Report,
	}
	if g.rel == nil {
		g.rel = make([]int32, len(g.src))
	}
	g.finish()
	ready := func(pattern *func() Pattern, p Pattern) {
		if p.Ptr != nil {
			*pattern = func() Pattern { return p }
		}
	}
	if p.Undirected {
		ready(&g.adjacency, p.Adjacency)
	} else {
		ready(&g.in, p.In)
		ready(&g.out, p.Out)
	}
	return g, nil
}

// check returns an error for the first thing in p that is invalid.
func (p *Parts) check() error {
	if err := p.checkCounts(); err != nil {
		return err
	}
	var checks checks
	checks.ids("source", p.Sources, 0, p.Nodes, "nodes")
	checks.ids("target", p.Targets, 0, p.Nodes, "nodes")
	checks.ids("relation of edge", p.Relation, 0, p.Relations, "relations")
	checks.ids("type of node", p.NodeTypes, 0, p.Types, "types")
	checks.ids("origin of edge", p.Origins, -1, math.MaxInt32, "triples")
	checks.blocks(len(p.Weights), func(a, b int) error {
		return checkWeights(p.Weights[a:b], a)
	})
	checks.blocks(len(p.Features.Values), func(a, b int) error {
		return checkFeatures(p.Features.Values[a:b], a)
	})
	if p.Undirected {
		p.checkPattern(&checks, "adjacency", p.Adjacency, len(p.Sources), 2*len(p.Sources))
	} else {
		p.checkPattern(&checks, "in", p.In, len(p.Sources), len(p.Sources))
		p.checkPattern(&checks, "out", p.Out, len(p.Sources), len(p.Sources))
	}
	return checks.run()
}

// checkCounts compares the lengths of the arrays.
func (p *Parts) checkCounts() error {
	for _, c := range []struct {
		place   string
		n, want int
		ok      bool // may be absent
	}{
		{"targets", len(p.Targets), len(p.Sources), false},
		{"relations of edges", len(p.Relation), len(p.Sources), p.Relation == nil && p.Relations == 1},
		{"weights", len(p.Weights), len(p.Sources), p.Weights == nil},
		{"origins", len(p.Origins), len(p.Sources), p.Origins == nil},
		{"node types", len(p.NodeTypes), p.Nodes, p.NodeTypes == nil},
	} {
		if c.n != c.want && !c.ok {
			return &refusal{c.place, -1, "", c.n, fmt.Sprintf("in number, want %d", c.want)}
		}
	}
	if err := p.Features.check(len(p.Sources)); err != nil {
		return err
	}
	if err := checkCounts(p.Nodes, p.Relations, p.Types, len(p.Sources)); err != nil {
		return err
	}
	if p.Relations < 1 || p.Types < 1 {
		return &refusal{"relations and types", -1, "", min(p.Relations, p.Types), "is below 1"}
	}
	if p.Inverses && (p.Undirected || p.Relations%2 != 0 || len(p.Sources)%2 != 0) {
		return &refusal{"inverses", -1, "", p.Relations, "relations do not come in pairs of directed edges"}
	}
	return nil
}

// checkPattern adds the checks of a square pattern of the given edges, with least to most entries.
func (p *Parts) checkPattern(c *checks, name string, m Pattern, least, most int) {
	if m.Ptr == nil {
		return
	}
	n := len(m.Idx)
	if m.Rows != p.Nodes || m.Cols != p.Nodes || len(m.Ptr) != p.Nodes+1 || len(m.Edge) != n || n < least || n > most {
		c.fail(&refusal{name, -1, "", fmt.Sprintf("%d×%d with %d rows and %d entries", m.Rows, m.Cols, len(m.Ptr)-1, n),
			fmt.Sprintf("for %d nodes and %d edges", p.Nodes, len(p.Sources))})
		return
	}
	if m.Ptr[0] != 0 || m.Ptr[p.Nodes] != int64(n) {
		c.fail(&refusal{name, -1, "last row end", m.Ptr[p.Nodes], fmt.Sprintf("is not the number of entries, %d", n)})
		return
	}
	c.blocks(p.Nodes, func(a, b int) error {
		for v := a; v < b; v++ {
			if m.Ptr[v] > m.Ptr[v+1] {
				return &refusal{name + " row", v, "end", m.Ptr[v+1], fmt.Sprintf("is before its begin, %d", m.Ptr[v])}
			}
		}
		return nil
	})
	c.ids(name+" entry", m.Idx, 0, p.Nodes, "nodes")
	c.ids("edge of "+name+" entry", m.Edge, 0, len(p.Sources), "edges")
}

// checks are independent pieces of checking, run on all cores.
type checks struct {
	todo []func() error
	err  error
}

const checkBlock = 1 << 18 // numbers that a piece looks at

func (c *checks) fail(err error) {
	if c.err == nil {
		c.err = err
	}
}

// blocks adds f(a, b), which checks the numbers from a to before b, for every block of n numbers.
func (c *checks) blocks(n int, f func(a, b int) error) {
	for a := 0; a < n; a += checkBlock {
		c.todo = append(c.todo, func() error { return f(a, min(a+checkBlock, n)) })
	}
}

// ids adds the check that least ≤ x < limit.
func (c *checks) ids(place string, x []int32, least int32, limit int, of string) {
	c.blocks(len(x), func(a, b int) error {
		if within(x[a:b], least, limit) {
			return nil
		}
		for i, id := range x[a:b] {
			if id < least || int(id) >= limit {
				return &refusal{place, a + i, "", id, fmt.Sprintf("is not in %d to %d %s", least, limit-1, of)}
			}
		}
		return nil
	})
}

// within reports whether least ≤ x < limit everywhere. Seen from least, without a sign, that is one
// comparison with the largest, and four largest are found at a time.
func within(x []int32, least int32, limit int) bool {
	if limit <= int(least) {
		return len(x) == 0
	}
	var a, b, c, d uint32
	for ; len(x) >= 4; x = x[4:] {
		a, b = max(a, uint32(x[0]-least)), max(b, uint32(x[1]-least))
		c, d = max(c, uint32(x[2]-least)), max(d, uint32(x[3]-least))
	}
	for _, id := range x {
		a = max(a, uint32(id-least))
	}
	return int64(max(a, b, c, d)) < int64(limit)-int64(least)
}

// run returns the first error in the order in which the checks were added.
func (c *checks) run() error {
	if c.err != nil {
		return c.err
	}
	errs := make([]error, len(c.todo))
	var group host.Group
	workers := min(runtime.GOMAXPROCS(0), len(c.todo))
	for w := range workers {
		group.Go(func() {
			for i := w; i < len(c.todo); i += workers {
				errs[i] = c.todo[i]()
			}
		})
	}
	group.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
