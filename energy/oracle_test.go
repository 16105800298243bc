package energy_test

import (
	"math"
	"math/cmplx"
	"testing"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/energy"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/mat"
)

// field is a small graph with an H, in float64 for oracles.
type field struct {
	on       *energy.Structure
	h        *mat.Dense
	negative []bool
}

// newField has self loops, parallel edges, weights, false edges and three relations.
func newField(t *testing.T, undirected bool) field {
	t.Helper()
	ts := []graph.Triple{{U: 0, V: 1}, {U: 0, V: 1}, {U: 1, R: 1, V: 0}, {U: 2, R: 2, V: 2}, {U: 3, R: 1, V: 0},
		{U: 4, R: 2, V: 1}, {U: 3, V: 4}}
	w := []mat.Real{1, 2, 0.5, 1.5, 0.25, 1, 3}
	g, err := graph.Build(graph.Spec{Nodes: 6, Relations: 3, Triples: ts, Weights: w, Undirected: undirected})
	if err != nil {
		t.Fatal(err)
	}
	negative := []bool{false, true, false, true, false, false, true}
	return field{energy.NewSigned(g, negative), drawn(6, 4, -1.5, 1.5, 21), negative}
}

// rowOf is row i of a matrix.
func rowOf(m *mat.Dense, i int32) []float64 {
	d := m.Cols()
	x := make([]float64, d)
	for j, v := range m.Slice()[int(i)*d : (int(i)+1)*d] {
		x[j] = float64(v)
	}
	return x
}

// times is x·M.
func times(x []float64, m *mat.Dense) []float64 {
	y := make([]float64, m.Cols())
	for i := range x {
		for j, v := range rowOf(m, int32(i)) {
			y[j] += x[i] * v
		}
	}
	return y
}

// edgeOracle is a term on one edge.
type edgeOracle func(u, v []float64, r int32, degU, degV float64, negative bool) float64

// check compares the energy of every edge.
func (f field) check(t *testing.T, name string, term energy.EdgeTerm, oracle edgeOracle) {
	t.Helper()
	t.Run(name, func(t *testing.T) {
		h := ad.Input(f.h)
		e := energy.Edges{U: h.Gather(f.on.Source()), V: h.Gather(f.on.Target()), R: f.on.Relation(), On: f.on}
		got := ad.Eval(term.Edge(e)).Slice()
		deg := ad.Eval(f.on.Degree()).Slice()
		for i, x := range f.on.Graph.Triples() {
			u, v := rowOf(f.h, x.U), rowOf(f.h, x.V)
			want := oracle(u, v, x.R, float64(deg[x.U]), float64(deg[x.V]),
				f.negative[i]) * float64(f.on.Graph.Weights()[i])
			if !nearly(float64(got[i]), want, 4*rounding) {
				t.Errorf("edge %d: %v, want %v", i, got[i], want)
			}
		}
	})
}

func huber(z float64) float64 {
	if math.Abs(z) < 1 {
		return z * z / 2
	}
	return math.Abs(z) - 0.5
}

func halfSquare(z float64) float64 { return z * z / 2 }

// sum is Σ_j ρ(a_j − b_j).
func sum(rho func(float64) float64, a, b []float64) float64 {
	s := 0.0
	for j := range a {
		s += rho(a[j] - b[j])
	}
	return s
}

func TestSmoothingOracles(t *testing.T) {
	for _, undirected := range []bool{false, true} {
		f := newField(t, undirected)
		f.check(t, "Laplace", energy.Laplace(energy.Fixed(0.7), graph.None),
			func(u, v []float64, _ int32, _, _ float64, _ bool) float64 { return 0.7 * sum(halfSquare, u, v) })
		f.check(t, "Laplace symmetric", energy.Laplace(energy.Fixed(0.7), graph.Symmetric),
			func(u, v []float64, _ int32, du, dv float64, _ bool) float64 {
				s := 0.0
				for j := range u {
					s += 0.35 * math.Pow(u[j]/math.Sqrt(du)-v[j]/math.Sqrt(dv), 2)
				}
				return s
			})
		lambda := 0.9 // (λ/2)·δ, the paper's robust edges
		f.check(t, "Difference", energy.Difference(energy.Huber(1), energy.Fixed(lambda/2)),
			func(u, v []float64, _ int32, _, _ float64, _ bool) float64 { return lambda / 2 * sum(huber, u, v) })
		f.check(t, "Weighted", energy.WeightedEdges(energy.Fixed(3),
			energy.Difference(energy.HalfSquared, energy.Fixed(1))),
			func(u, v []float64, _ int32, _, _ float64, _ bool) float64 { return 3 * sum(halfSquare, u, v) })
	}
}

func TestCompatibilityOracles(t *testing.T) {
	f := newField(t, true)
	matrix := drawn(4, 4, -1, 1, 22)
	c := energy.Compat(energy.HalfSquared, energy.Fixed(0.6), ad.NewParam("C", matrix))
	there := func(u, v []float64, _ int32, _, _ float64, _ bool) float64 {
		return 0.6 * sum(halfSquare, times(u, matrix), v)
	}
	f.check(t, "Compat", c, there)
	f.check(t, "Both", energy.Both(c), func(u, v []float64, r int32, du, dv float64, no bool) float64 {
		return there(u, v, r, du, dv, no) + there(v, u, r, dv, du, no)
	})
	matrices := make([]*mat.Dense, 3)
	for r := range matrices {
		matrices[r] = drawn(4, 4, -1, 1, uint64(23+r))
	}
	halo := energy.Relational(energy.HalfSquared, energy.Fixed(1), ad.NewParam("C", below(matrices...)))
	f.check(t, "Relational", halo, func(u, v []float64, r int32, _, _ float64, _ bool) float64 {
		return sum(halfSquare, times(u, matrices[r]), v)
	})
}

// below are matrices of one width below each other.
func below(ms ...*mat.Dense) *mat.Dense {
	rows, values := 0, []mat.Real(nil)
	for _, m := range ms {
		rows, values = rows+m.Rows(), append(values, m.Slice()...)
	}
	return mat.FromSlice(rows, ms[0].Cols(), values)
}

// loss is softplus(∓s).
func loss(s float64, negative bool) float64 {
	if !negative {
		s = -s
	}
	return math.Max(s, 0) + math.Log1p(math.Exp(-math.Abs(s)))
}

// complexes reads [Re | Im].
func complexes(x []float64) []complex128 {
	k := len(x) / 2
	z := make([]complex128, k)
	for j := range z {
		z[j] = complex(x[j], x[k+j])
	}
	return z
}

func TestScoreOracles(t *testing.T) {
	f := newField(t, false)
	full, half := ad.NewParam("E", drawn(3, 4, -1, 1, 26)), ad.NewParam("θ", drawn(3, 2, -3, 3, 27))
	const m, eps = 2, 1e-6
	model := func(name string, s energy.ScoreModel, e *ad.Param, margin float64,
		score func(u, e, v []float64) float64) {
		t.Helper()
		f.check(t, name, energy.Score(s, e, margin), func(u, v []float64, r int32, _, _ float64, no bool) float64 {
			return loss(margin+score(u, rowOf(e.Value(), r), v), no)
		})
	}
	distance := func(rho func(float64) float64) func(u, e, v []float64) float64 {
		return func(u, e, v []float64) float64 {
			s := 0.0
			for j := range u {
				s += rho(u[j] + e[j] - v[j])
			}
			return -s
		}
	}
	model("TransE squared", energy.TransE(energy.NormSquared, 0), full, m,
		distance(func(z float64) float64 { return z * z }))
	model("TransE L1", energy.TransE(energy.NormL1, 0), full, m,
		distance(func(z float64) float64 { return math.Sqrt(z*z + eps) }))
	model("TransE L2", energy.TransE(energy.NormL2, 0), full, m, func(u, e, v []float64) float64 {
		return -math.Sqrt(eps - distance(func(z float64) float64 { return z * z })(u, e, v))
	})
	model("DistMult", energy.DistMult, full, 0, func(u, e, v []float64) float64 {
		s := 0.0
		for j := range u {
			s += u[j] * e[j] * v[j]
		}
		return s
	})
	model("ComplEx", energy.ComplEx, full, 0, func(u, e, v []float64) float64 {
		a, b, c, s := complexes(u), complexes(e), complexes(v), complex(0, 0)
		for j := range a {
			s += a[j] * b[j] * cmplx.Conj(c[j])
		}
		return real(s)
	})
	rotated := func(rho func(complex128) float64) func(u, e, v []float64) float64 {
		return func(u, e, v []float64) float64 {
			a, c, s := complexes(u), complexes(v), 0.0
			for j := range a {
				s += rho(a[j]*cmplx.Exp(complex(0, e[j])) - c[j])
			}
			return -s
		}
	}
	model("RotatE squared", energy.RotatE(energy.NormSquared, 0), half, m,
		rotated(func(z complex128) float64 { return real(z * cmplx.Conj(z)) }))
	model("RotatE", energy.RotatE(energy.NormL1, 0), half, m,
		rotated(func(z complex128) float64 { return math.Sqrt(real(z*cmplx.Conj(z)) + eps) }))
}

// inner is Σ a∘b.
func inner(a, b []float64) float64 {
	s := 0.0
	for j := range a {
		s += a[j] * b[j]
	}
	return s
}

func TestPathOracle(t *testing.T) {
	f := newField(t, false)
	e, back := ad.NewParam("E", drawn(3, 4, -1, 1, 28)), ad.NewParam("E⁻", drawn(3, 4, -1, 1, 29))
	phi := ad.NewParam("Φ", drawn(4, 4, -1, 1, 30))
	sym := ad.Eval(phi.Add(phi.T()).Scale(0.5))
	p := energy.Path{Phi: phi, Psi: ad.NewParam("Ψ", drawn(4, 4, -1, 1, 31)), E: e.Var, Inverse: back.Var}
	f.check(t, "Path", p.Edges(), func(u, v []float64, r int32, _, _ float64, _ bool) float64 {
		return -inner(v, times(u, sym)) - inner(v, times(rowOf(e.Value(), r), sym)) - inner(u,
			times(rowOf(back.Value(), r), sym))
	})
}
