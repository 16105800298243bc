package graph

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/bloomgml/bloom/mat"
)

// mustBuild builds s or fails the test.
func mustBuild(t testing.TB, s Spec) *Graph {
	t.Helper()
	g, err := Build(s)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// randomSpec returns a graph with hubs, parallel edges, self loops and isolated nodes.
func randomSpec(rng *rand.Rand) Spec {
	n := 1 + rng.IntN(40)
	s := Spec{Nodes: n, Relations: 1 + rng.IntN(4), Undirected: rng.IntN(2) == 0}
	s.DropDuplicates, s.Loops = rng.IntN(2) == 1, Loops(rng.IntN(3))
	s.LoopRelation = int32(rng.IntN(s.Relations))
	for range rng.IntN(4 * n) {
		u, r, v := rng.Int32N(int32(n)), rng.Int32N(int32(s.Relations)), rng.Int32N(int32(1+n/2))
		s.Triples = append(s.Triples, Triple{u, r, v})
	}
	if rng.IntN(2) == 0 {
		s.Weights = make([]mat.Real, len(s.Triples))
		for i := range s.Weights {
			s.Weights[i] = mat.Real(rng.IntN(8)) / 4
		}
	}
	if rng.IntN(2) == 0 {
		s.Types, s.NodeTypes = 3, make([]int32, n)
		for v := range s.NodeTypes {
			s.NodeTypes[v] = rng.Int32N(3)
		}
	}
	return s
}

// eachRandom runs f on random specs and on two larger ones that need several blocks and digits.
func eachRandom(t *testing.T, f func(t *testing.T, s Spec)) {
	seeds := uint64(150)
	if testing.Short() {
		seeds = 30
	}
	for seed := range seeds {
		t.Run(fmt.Sprintf("seed=%d", seed), func(t *testing.T) { f(t, randomSpec(rand.New(rand.NewPCG(seed, 7)))) })
	}
	for _, undirected := range []bool{false, true} {
		t.Run(fmt.Sprintf("large,undirected=%t", undirected), func(t *testing.T) {
			n, triples := benchTriples(60_000, 3)
			f(t, Spec{Nodes: n, Relations: 3, Triples: triples, Undirected: undirected})
		})
	}
}

// naive is the graph of a spec made with maps: kept triples with weights, and counts.
type naive struct {
	triples []Triple
	weights []mat.Real
	origin  []int32
	report  Report
}

func newNaive(s Spec) naive {
	var o naive
	seen, looped := map[Triple]bool{}, map[int32]bool{}
	for i, t := range s.Triples {
		key := t
		if s.Undirected {
			key.U, key.V = min(t.U, t.V), max(t.U, t.V)
		}
		w := mat.Real(1)
		if s.Weights != nil {
			w = s.Weights[i]
		}
		switch {
		case s.Loops == DropLoops && t.U == t.V:
			o.report.Loops++
			continue
		case s.DropDuplicates && seen[key]:
			o.report.Duplicates++
			continue
		}
		seen[key] = true
		looped[t.U] = looped[t.U] || t.U == t.V
		o.triples, o.weights, o.origin = append(o.triples, t), append(o.weights, w), append(o.origin, int32(i))
	}
	for v := range int32(s.Nodes) {
		if s.Loops == AddLoops && !looped[v] {
			o.triples = append(o.triples, Triple{v, s.LoopRelation, v})
			o.weights, o.origin = append(o.weights, 1), append(o.origin, -1)
			o.report.Added++
		}
	}
	return o
}

// rows returns the pattern with an entry for every pair (row, column) that ends gives for a kept
// triple, rows sorted by (column, edge).
func (o *naive) rows(n int, ends func(Triple) [][2]int32) [][][2]int32 {
	rows := make([][][2]int32, n)
	for e, t := range o.triples {
		for _, x := range ends(t) {
			rows[x[0]] = append(rows[x[0]], [2]int32{x[1], int32(e)})
		}
	}
	for _, r := range rows {
		slices.SortFunc(r, func(a, b [2]int32) int { return cmp.Or(cmp.Compare(a[0], b[0]), cmp.Compare(a[1], b[1])) })
	}
	return rows
}

func arriving(t Triple) [][2]int32 { return [][2]int32{{t.V, t.U}} }
func leaving(t Triple) [][2]int32  { return [][2]int32{{t.U, t.V}} }
func touching(t Triple) [][2]int32 {
	if t.U == t.V {
		return [][2]int32{{t.U, t.V}}
	}
	return [][2]int32{{t.V, t.U}, {t.U, t.V}}
}

// comparePattern fails unless p has exactly the rows want.
func comparePattern(t *testing.T, name string, p Pattern, want [][][2]int32) {
	t.Helper()
	if p.Rows != len(want) || len(p.Ptr) != p.Rows+1 || p.Ptr[0] != 0 {
		t.Fatalf("%s: %d rows, %d pointers, want %d rows", name, p.Rows, len(p.Ptr), len(want))
	}
	for v, w := range want {
		idx, edge := p.Row(v)
		got := make([][2]int32, len(idx))
		for i := range idx {
			got[i] = [2]int32{idx[i], edge[i]}
		}
		if !slices.Equal(got, w) {
			t.Fatalf("%s: row %d is %v, want %v", name, v, got, w)
		}
	}
	if n := p.Ptr[p.Rows]; int(n) != len(p.Idx) || int(n) != len(p.Edge) {
		t.Fatalf("%s: %d entries, %d columns, %d edges", name, n, len(p.Idx), len(p.Edge))
	}
}
