package graph

import (
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/bloomgml/bloom/mat"
)

// accessors is what every method of a graph says, by its name.
func accessors(g *Graph) map[string]any {
	all := map[string]any{
		"nodes": g.NumNodes(), "edges": g.NumEdges(), "relations": g.NumRelations(), "types": g.NumTypes(),
		"undirected": g.Undirected(), "sources": g.Sources(), "rel": g.Relations(), "targets": g.Targets(),
		"weights": g.Weights(), "node types": g.NodeTypes(), "report": g.Report(), "origins": g.Origins(),
		"triples": g.Triples(), "in": g.In(), "out": g.Out(), "adjacency": g.Adjacency(), "stats": g.Stats(),
		"incoming": g.Degrees(Incoming), "either": g.WeightedDegrees(Either), "outgoing": g.WeightedDegrees(Outgoing),
		"type 0": g.NodesOfType(0),
	}
	p, weight := g.Normalize(Symmetric, AddLoops)
	all["normalize"] = []any{p, weight}
	for r := range int32(g.NumRelations()) {
		inverse, ok := g.Inverse(r)
		in, _ := g.RelationIn(r)
		out, _ := g.RelationOut(r)
		all["relation "+string('a'+r)] = []any{g.RelationEdges(r), in, out, inverse, ok}
	}
	return all
}

// TestRestore: a graph made from the parts of another says the same in every method, for built
// graphs and for those with inverses, with its patterns and without.
func TestRestore(t *testing.T) {
	eachRandom(t, func(t *testing.T, s Spec) {
		built := mustBuild(t, s)
		inverse, err := built.WithInverse()
		if err != nil {
			t.Fatal(err)
		}
		for _, g := range []*Graph{built, inverse} {
			parts := g.Parts()
			bare := parts
			bare.In, bare.Out, bare.Adjacency = Pattern{}, Pattern{}, Pattern{}
			for _, p := range []Parts{parts, bare} {
				restored, err := Restore(p)
				if err != nil {
					t.Fatal(err)
				}
				checkInvariants(t, restored)
				got, want := accessors(restored), accessors(g)
				for name := range want {
					if !reflect.DeepEqual(got[name], want[name]) {
						t.Errorf("%s: %v, want %v", name, got[name], want[name])
					}
				}
			}
		}
	})
}

// TestRestoreKeeps: the restored graph uses the slices of the parts, not copies.
func TestRestoreKeeps(t *testing.T) {
	g := mustBuild(t, Spec{Nodes: 3, Triples: []Triple{{0, 0, 1}, {1, 0, 2}}})
	p := g.Parts()
	r, err := Restore(p)
	if err != nil {
		t.Fatal(err)
	}
	if &r.Sources()[0] != &p.Sources[0] || &r.In().Idx[0] != &p.In.Idx[0] || &r.Out().Edge[0] != &p.Out.Edge[0] {
		t.Error("Restore copied")
	}
}

func TestRestoreRefuses(t *testing.T) {
	for _, c := range []struct {
		want  string
		spoil func(p *Parts)
	}{
		{"source 1: 9 is not in 0 to 2 nodes", func(p *Parts) { p.Sources[1] = 9 }},
		{"target 0: -1 is not in 0 to 2 nodes", func(p *Parts) { p.Targets[0] = -1 }},
		{"relation of edge 1: 2 is not in 0 to 1 relations", func(p *Parts) { p.Relation[1] = 2 }},
		{"type of node 2: 2 is not in 0 to 1 types", func(p *Parts) { p.NodeTypes[2] = 2 }},
		{"origin of edge 0: -2 is not in -1", func(p *Parts) { p.Origins = []int32{-2, 0} }},
		{"weight 1: NaN is not finite", func(p *Parts) { p.Weights[1] = mat.Real(math.NaN()) }},
		{"weight 0: -1 is negative", func(p *Parts) { p.Weights[0] = -1 }},
		{"targets 1 in number, want 2", func(p *Parts) { p.Targets = p.Targets[:1] }},
		{"relations of edges 0 in number, want 2", func(p *Parts) { p.Relation = nil }},
		{"node types 1 in number, want 3", func(p *Parts) { p.NodeTypes = p.NodeTypes[:1] }},
		{"nodes -1 is negative", func(p *Parts) { p.Nodes, p.NodeTypes = -1, nil }},
		{"relations and types 0 is below 1", func(p *Parts) { p.Types = 0 }},
		{"inverses 2 relations do not come in pairs", func(p *Parts) { p.Inverses, p.Undirected = true, true }},
		{"in 3×3 with 2 rows and 2 entries for 3 nodes and 2 edges", func(p *Parts) { p.In.Ptr = p.In.Ptr[:3] }},
		{"in 3×3 with 3 rows and 1 entries for 3 nodes",
			func(p *Parts) { p.In.Idx, p.In.Edge = p.In.Idx[:1], p.In.Edge[:1] }},
		{"out last row end 7 is not the number of entries, 2", func(p *Parts) { p.Out.Ptr[3] = 7 }},
		{"in row 1: end 0 is before its begin, 5", func(p *Parts) { p.In.Ptr[1], p.In.Ptr[2] = 5, 0 }},
		{"out entry 0: 3 is not in 0 to 2 nodes", func(p *Parts) { p.Out.Idx[0] = 3 }},
		{"edge of in entry 1: -1 is not in 0 to 1 edges", func(p *Parts) { p.In.Edge[1] = -1 }},
	} {
		p := mustBuild(t, Spec{
			Nodes: 3, Relations: 2, Triples: []Triple{{0, 0, 1}, {1, 1, 2}}, Weights: []mat.Real{1, 2},
			NodeTypes: []int32{0, 1, 1},
		}).Parts()
		c.spoil(&p)
		g, err := Restore(p)
		var refused *refusal
		if g != nil || !errors.As(err, &refused) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("got %v, want %s", err, c.want)
		}
	}
}

// TestWithin compares the loop without branches with the comparison it stands for.
func TestWithin(t *testing.T) {
	edge := []int32{math.MinInt32, math.MinInt32 + 1, -2, -1, 0, 1, 2, math.MaxInt32 - 1, math.MaxInt32}
	rng := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		x := make([]int32, rng.IntN(3))
		for i := range x {
			x[i] = edge[rng.IntN(len(edge))]
		}
		least, limit := int32(-rng.IntN(2)), max(0, int(edge[rng.IntN(len(edge))]))
		want := !slices.ContainsFunc(x, func(id int32) bool { return id < least || int(id) >= limit })
		if got := within(x, least, limit); got != want {
			t.Fatalf("within(%v, %d, %d) = %t", x, least, limit, got)
		}
	}
}

func BenchmarkRestore(b *testing.B) {
	n, triples := benchTriples(10_000_000, 1)
	p := mustBuild(b, Spec{Nodes: n, Triples: triples, Undirected: true}).Parts()
	b.ResetTimer()
	for b.Loop() {
		if _, err := Restore(p); err != nil {
			b.Fatal(err)
		}
	}
}
