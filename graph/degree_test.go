package graph

import (
	"math"
	"slices"
	"testing"

	"github.com/bloomgml/bloom/internal/kernel"
	"github.com/bloomgml/bloom/mat"
)

func TestDegreesAgainstMaps(t *testing.T) {
	eachRandom(t, func(t *testing.T, s Spec) {
		g, o := mustBuild(t, s), newNaive(s)
		for d, ends := range map[direction]func(Triple) [][2]int32{
			Incoming: arriving, Outgoing: leaving, Either: touching,
		} {
			want, weighted := make([]int32, s.Nodes), make([]float64, s.Nodes)
			for e, x := range o.triples {
				for _, end := range ends(x) {
					want[end[0]]++
					weighted[end[0]] += float64(o.weights[e])
				}
			}
			if got := g.Degrees(d); !slices.Equal(got, want) {
				t.Fatalf("direction %d: degrees %v, want %v", d, got, want)
			}
			for v, got := range g.WeightedDegrees(d) { // weights are quarters, so sums are exact
				if float64(got) != weighted[v] {
					t.Fatalf("direction %d: node %d weighs %v, want %v", d, v, got, weighted[v])
				}
			}
		}
	})
}

// dense returns the adjacency matrix of a naive graph.
func (o *naive) dense(s Spec, loops Loops) [][]float64 {
	a, has := make([][]float64, s.Nodes), make([]bool, s.Nodes)
	for v := range a {
		a[v] = make([]float64, s.Nodes)
	}
	for e, x := range o.triples {
		if x.U == x.V {
			has[x.U] = true
			if loops == DropLoops {
				continue
			}
		}
		a[x.V][x.U] += float64(o.weights[e])
		if s.Undirected && x.U != x.V {
			a[x.U][x.V] += float64(o.weights[e])
		}
	}
	for v := range a {
		if loops == AddLoops && !has[v] {
			a[v][v] = 1
		}
	}
	return a
}

// normal returns D⁻¹A or D^-1/2 A D^-1/2 by their definition.
func normal(a [][]float64, n Norm) [][]float64 {
	rows, cols := make([]float64, len(a)), make([]float64, len(a))
	for v := range a {
		for u, w := range a[v] {
			rows[v] += w
			cols[u] += w
		}
	}
	for v := range a {
		for u := range a[v] {
			if n == Left && a[v][u] != 0 {
				a[v][u] /= rows[v]
			}
			if n == Symmetric && a[v][u] != 0 {
				a[v][u] /= math.Sqrt(rows[v] * cols[u])
			}
		}
	}
	return a
}

func TestNormalizeAgainstDense(t *testing.T) {
	eachRandom(t, func(t *testing.T, s Spec) {
		if s.Nodes > 100 {
			t.Skip("dense")
		}
		g, o := mustBuild(t, s), newNaive(s)
		for _, n := range []Norm{None, Left, Symmetric} {
			for _, loops := range []Loops{KeepLoops, DropLoops, AddLoops} {
				m, weight := g.Normalize(n, loops)
				want := normal(o.dense(s, loops), n)
				for v := range m.Rows {
					idx, edge := m.Row(v)
					for i, u := range idx {
						w := weight[m.Ptr[v]+int64(i)]
						if x := float64(w); x < 0 || math.IsNaN(x) || math.IsInf(x, 0) {
							t.Fatalf("norm %d: weight %v", n, w)
						}
						if i > 0 && idx[i-1] > u || edge[i] < 0 && int(u) != v {
							t.Fatalf("norm %d: row %d is %v by %v", n, v, idx, edge)
						}
						want[v][u] -= float64(w)
					}
				}
				for v := range want {
					for u, rest := range want[v] { // a few parallel entries, each rounded to float32
						if math.Abs(rest) > 1e-5 {
							t.Fatalf("norm %d, loops %d: entry (%d,%d) is off by %v", n, loops, v, u, rest)
						}
					}
				}
				if n == Symmetric && s.Undirected {
					checkSymmetricWeights(t, m, weight)
				}
			}
		}
	})
}

// checkSymmetricWeights fails unless entry (v,u) has the very bits of entry (u,v).
func checkSymmetricWeights(t *testing.T, m Pattern, weight []mat.Real) {
	t.Helper()
	at := map[[3]int32]mat.Real{}
	for v := range m.Rows {
		idx, edge := m.Row(v)
		for i, u := range idx {
			at[[3]int32{int32(v), u, edge[i]}] = weight[m.Ptr[v]+int64(i)]
		}
	}
	for k, w := range at {
		if at[[3]int32{k[1], k[0], k[2]}] != w {
			t.Fatalf("entry %v is %v, its mirror %v", k, w, at[[3]int32{k[1], k[0], k[2]}])
		}
	}
}

// Weights of 0 and at the ends of the range leave no infinity behind.
func TestNormalizeExtremes(t *testing.T) {
	smallest, largest := math.SmallestNonzeroFloat32, math.MaxFloat32
	if kernel.RealBytes == 8 {
		smallest, largest = math.SmallestNonzeroFloat64, math.MaxFloat64
	}
	tiny, huge := mat.Real(smallest), mat.Real(largest)
	s := Spec{Nodes: 6, Undirected: true, Triples: []Triple{{0, 0, 1}, {1, 0, 2}, {3, 0, 4}, {3, 0, 3}, {3, 0, 5}}}
	s.Weights = []mat.Real{0, tiny, huge, huge, 0}
	g := mustBuild(t, s)
	for _, n := range []Norm{Left, Symmetric} {
		for _, loops := range []Loops{KeepLoops, DropLoops, AddLoops} {
			_, weight := g.Normalize(n, loops)
			for i, w := range weight {
				if !(w >= 0 && w <= 1+1e-15) { // √w √w is w to one rounding
					t.Errorf("norm %d, loops %d: entry %d is %v", n, loops, i, w)
				}
			}
		}
	}
}
