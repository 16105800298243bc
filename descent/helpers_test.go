package descent_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/descent"
	"github.com/bloomgml/bloom/energy"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/internal/testkit"
	"github.com/bloomgml/bloom/mat"
)

// tolerance is the error that a few hundred rounded operations on numbers of size 1 can add up to.
func tolerance() float64 {
	if testkit.Double {
		return 1e-12
	}
	return 1e-5
}

// world is a random graph with random input, from a seed that is printed when a test fails.
type world struct {
	testing.TB
	*rand.Rand
	seed uint64
	g    *graph.Graph
	on   *energy.Structure
}

// newWorld has n nodes, the last of them isolated, and about 2n edges.
func newWorld(t testing.TB, seed uint64, n int, change ...func(*graph.Spec)) *world {
	t.Helper()
	w := &world{TB: t, Rand: rand.New(rand.NewPCG(seed, 3)), seed: seed}
	spec := graph.Spec{Nodes: n, Undirected: true, DropDuplicates: true, Loops: graph.DropLoops}
	for range 2 * n {
		spec.Triples = append(spec.Triples, graph.Triple{U: w.Int32N(int32(n - 1)), V: w.Int32N(int32(n - 1))})
	}
	for _, f := range change {
		f(&spec)
	}
	g, err := graph.Build(spec)
	if err != nil {
		t.Fatalf("seed %d: %v", seed, err)
	}
	w.g, w.on = g, energy.NewStructure(g)
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("graph of seed %d, %d nodes", seed, n)
		}
	})
	return w
}

// weights gives edges random weights.
func (w *world) weights(s *graph.Spec) {
	for range s.Triples {
		s.Weights = append(s.Weights, mat.Real(0.5+w.Float64()))
	}
}

// normal is a matrix of numbers from N(0, scale²).
func (w *world) normal(rows, cols int, scale float64) *mat.Dense {
	m := mat.New(rows, cols)
	mat.Normal(m, 0, mat.Real(scale), w.Uint64())
	return m
}

// nodes is n×d.
func (w *world) nodes(d int, scale float64) *mat.Dense { return w.normal(w.g.NumNodes(), d, scale) }

// base is the base energy with λ and a penalty to pi.
func (w *world) base(lambda float64, rho energy.Penalty, pi *mat.Dense) *energy.Lower {
	return &energy.Lower{On: w.on, Pi: ad.Input(pi),
		F:     []energy.EdgeTerm{energy.Laplace(energy.Fixed(lambda), graph.None)},
		Kappa: []energy.NodeTerm{energy.Anchor(rho)}}
}

// neighbours lists N_v for every node, from the edges.
func (w *world) neighbours() [][]int {
	list := make([][]int, w.g.NumNodes())
	for _, e := range w.g.Triples() {
		list[e.U] = append(list[e.U], int(e.V))
		list[e.V] = append(list[e.V], int(e.U))
	}
	return list
}

// eval runs expressions.
func eval(t testing.TB, vs ...ad.Var) []*mat.Dense {
	t.Helper()
	prog := ad.Compile(vs...)
	if err := prog.Run(); err != nil {
		t.Fatal(err)
	}
	out := make([]*mat.Dense, len(vs))
	for i, v := range vs {
		out[i] = prog.Value(v)
	}
	return out
}

// after is H after steps of a on l from h0.
func after(t testing.TB, a descent.Algorithm, l *energy.Lower, h0 *mat.Dense, steps int) table {
	t.Helper()
	return rowsOf(eval(t, descent.Run(a, l, ad.Input(h0), steps).H)[0])
}

// table is a matrix in double precision, for oracles written by hand.
type table [][]float64

func rowsOf(m *mat.Dense) table {
	rows := make(table, m.Rows())
	data := m.Slice()
	for i := range rows {
		rows[i] = make([]float64, m.Cols())
		for j := range rows[i] {
			rows[i][j] = float64(data[i*m.Cols()+j])
		}
	}
	return rows
}

// each is a new table with f of every entry.
func (x table) each(f func(v, j int) float64) table {
	y := make(table, len(x))
	for v := range x {
		y[v] = make([]float64, len(x[v]))
		for j := range y[v] {
			y[v][j] = f(v, j)
		}
	}
	return y
}

// same fails t where got and want differ by more than tol, relative to the largest entry or 1.
func same(t testing.TB, what string, got, want table, tol float64) {
	t.Helper()
	if e := distance(got, want); !(e <= tol) {
		t.Errorf("%s: error %.2e, allowed %.2e", what, e, tol)
	}
}

func distance(got, want table) float64 {
	size, off := 1.0, 0.0
	for v := range want {
		for j := range want[v] {
			size = max(size, math.Abs(want[v][j]))
			off = max(off, math.Abs(got[v][j]-want[v][j]))
			if math.IsNaN(got[v][j]) {
				return math.NaN()
			}
		}
	}
	return off / size
}

// denseOf is a table as a matrix.
func denseOf(x table) *mat.Dense {
	var data []mat.Real
	for _, row := range x {
		for _, v := range row {
			data = append(data, mat.Real(v))
		}
	}
	return mat.FromSlice(len(x), len(x[0]), data)
}
