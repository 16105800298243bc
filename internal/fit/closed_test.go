package fit

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack/gonum"

	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/mat"
)

// TestLeftOut: the left-out residual of every row is the one of a regression that is solved without it, naively, for
// more rows than columns and fewer, and for every ρ.
func TestLeftOut(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, size := range [][3]int{{12, 5, 2}, {9, 30, 3}, {7, 7, 1}, {2, 1, 1}, {2, 4, 2}} {
		rows, m, k := size[0], size[1], size[2]
		z, y := make([]float64, rows*m), make([]float64, rows*k)
		for i := range z {
			z[i] = rng.NormFloat64()
		}
		for i := range y {
			y[i] = rng.NormFloat64()
		}
		r := newRidge(z, m, y, k)
		for _, rho := range []float64{0.01, 1, 100} {
			got := r.leftOut(rho)
			for i := range rows {
				w := naive(without(z, m, i), m, without(y, k, i), k, rho)
				for j := range k {
					want := y[i*k+j]
					for c := range m {
						want -= z[i*m+c] * w[c*k+j]
					}
					if math.Abs(got[i*k+j]-want) > 1e-6*(1+math.Abs(want)) {
						t.Fatalf("%v ρ %v row %d: left out %v, solved without it %v", size, rho, i, got[i*k+j], want)
					}
				}
			}
			for i, w := range r.weights(rho) {
				if want := naive(z, m, y, k, rho)[i]; math.Abs(w-want) > 1e-8*(1+math.Abs(want)) {
					t.Fatalf("%v ρ %v: weight %d is %v, want %v", size, rho, i, w, want)
				}
			}
		}
	}
}

// TestTridiagonal: Q T Qᵀ is the matrix that was decomposed, and Q is orthogonal.
func TestTridiagonal(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{1, 2, 3, 50} {
		z := general(n, n, make([]float64, n*n))
		for i := range z.Data {
			z.Data[i] = rng.NormFloat64()
		}
		gram, line := general(n, n, make([]float64, n*n)), general(n, n, make([]float64, n*n))
		blas64.Gemm(blas.NoTrans, blas.Trans, 1, z, z, 0, gram)
		q := general(n, n, slices.Clone(gram.Data))
		d, e := tridiagonal(q)
		for i := range d {
			line.Data[i*n+i] = d[i]
			if i+1 < n {
				line.Data[i*n+i+1], line.Data[(i+1)*n+i] = e[i], e[i]
			}
		}
		left, back, one := general(n, n, make([]float64, n*n)), gram, general(n, n, make([]float64, n*n))
		blas64.Gemm(blas.NoTrans, blas.NoTrans, 1, q, line, 0, left)
		blas64.Gemm(blas.NoTrans, blas.Trans, 1, left, q, -1, back)
		blas64.Gemm(blas.NoTrans, blas.Trans, 1, q, q, 0, one)
		for i := range n {
			one.Data[i*n+i]--
		}
		if a, b := sumSquares(back.Data), sumSquares(one.Data); a > 1e-18*float64(n*n) || b > 1e-18*float64(n*n) {
			t.Errorf("%d rows: Q T Qᵀ is wrong by %v, Q Qᵀ by %v", n, a, b)
		}
	}
}

// without is a matrix without row i.
func without(v []float64, cols, i int) []float64 {
	return append(append([]float64(nil), v[:i*cols]...), v[(i+1)*cols:]...)
}

// naive solves (ZᵀZ + ρI) W = Zᵀ Y by elimination.
func naive(z []float64, m int, y []float64, k int, rho float64) []float64 {
	a, b := general(m, m, make([]float64, m*m)), general(m, k, make([]float64, m*k))
	rows := len(z) / m
	blas64.Gemm(blas.Trans, blas.NoTrans, 1, general(rows, m, z), general(rows, m, z), 0, a)
	blas64.Gemm(blas.Trans, blas.NoTrans, 1, general(rows, m, z), general(rows, k, y), 0, b)
	for i := range m {
		a.Data[i*m+i] += rho
	}
	for i := range m {
		for r := range m {
			if r == i {
				continue
			}
			f := a.Data[r*m+i] / a.Data[i*m+i]
			for c := range m {
				a.Data[r*m+c] -= f * a.Data[i*m+c]
			}
			for c := range k {
				b.Data[r*k+c] -= f * b.Data[i*k+c]
			}
		}
	}
	for i := range m {
		for c := range k {
			b.Data[i*k+c] /= a.Data[i*m+i]
		}
	}
	return b.Data
}

// TestFilters: smoothing solves (I + λ(I − S)) h = x, sharpening (I + λ(I + S)) h = x, and polynomials of P are sums.
func TestFilters(t *testing.T) {
	const n = 40
	rng := rand.New(rand.NewPCG(3, 4))
	var edges []graph.Triple
	for range 90 {
		edges = append(edges, graph.Triple{U: rng.Int32N(n), V: rng.Int32N(n)})
	}
	g, err := graph.Build(graph.Spec{Nodes: n, Triples: edges, Undirected: true, Loops: graph.DropLoops})
	if err != nil {
		t.Fatal(err)
	}
	o, err := newOperators(g)
	if err != nil {
		t.Fatal(err)
	}
	filters := []filter{{powers: []float64{1, -1}}, {powers: []float64{0, 0, 1}}}
	signs := []float64{1, 3, 10, 30, 100, -1, -10}
	for _, l := range signs {
		filters = append(filters, minimiser(l))
	}
	x := mat.New(n, 3)
	mat.Normal(x, 0, 1, 5)
	p1, p2 := mat.New(n, 3), mat.New(n, 3)
	mat.SpMM(p1, o.p, false, o.pv, x, 1, 0)
	mat.SpMM(p2, o.p, false, o.pv, p1, 1, 0)
	o.apply(x, filters, func(i int, h *mat.Dense) {
		left := mat.New(n, 3)
		switch i {
		case 0:
			mat.Axpby(left, x, p1, 1, -1)
			mat.Axpby(left, left, h, 1, -1)
		case 1:
			mat.Axpby(left, p2, h, 1, -1)
		default:
			l := mat.Real(math.Abs(signs[i-2]))
			mat.SpMM(left, o.s, false, o.sv, h, 1, 0)
			mat.Axpby(left, h, left, 1+l, -l*mat.Real(signs[i-2])/l)
			mat.Axpby(left, left, x, 1, -1)
		}
		// a series that ends at 1e-4 of its first term leaves that times 1 + 2λ
		if worst := float64(left.MaxAbs()); worst > 0.02 {
			t.Errorf("filter %d: residual %v", i, worst)
		}
	})
}

// TestNarrow: on a random graph of two groups few eigenvalues are outside the bulk, short series with these equal long
// ones, and on a ring, whose eigenvalues have no gap, series stay as they are.
func TestNarrow(t *testing.T) {
	const n = 2000
	rng := rand.New(rand.NewPCG(9, 4))
	random := graph.Spec{Nodes: n, Undirected: true, Loops: graph.DropLoops}
	ring := random
	for v := range int32(n) {
		ring.Triples = append(ring.Triples, graph.Triple{U: v, V: (v + 1) % n})
		for range 6 {
			u := rng.Int32N(n)
			if rng.IntN(5) > 0 {
				u = u&^1 | v&1
			}
			random.Triples = append(random.Triples, graph.Triple{U: v, V: u})
		}
	}
	for i, spec := range []graph.Spec{random, ring} {
		g, err := graph.Build(spec)
		if err != nil {
			t.Fatal(err)
		}
		o, err := newOperators(g)
		if err != nil {
			t.Fatal(err)
		}
		o.structure(1)
		if i == 1 {
			if o.bulk != 1 {
				t.Errorf("the bulk of a ring ends at %v", o.bulk)
			}
			continue
		}
		if len(o.outside) < 2 || o.bulk > 0.75 {
			t.Errorf("eigenvalues %v are outside %v", o.outside, o.bulk)
		}
		x := mat.New(n, 3)
		mat.Normal(x, 1, 1, 5)
		for _, l := range []float64{1, 10, 100, -1, -10} {
			short, size := o.narrow(minimiser(l)), 0.0
			long := mat.New(n, 3)
			o.apply(x, []filter{seriesOf(l, 1, 1e-8)}, func(_ int, h *mat.Dense) {
				mat.Copy(long, h)
				size = float64(h.MaxAbs())
			})
			o.apply(x, []filter{short}, func(_ int, h *mat.Dense) { mat.Axpby(long, h, long, 1, -1) })
			// as much as is left out of the series, and that is what the vectors are exact to
			if far := float64(long.MaxAbs()); far > 1e-3*size || len(short.series) > 20 {
				t.Errorf("λ %v: %d terms, and a difference of %v of %v", l, len(short.series), far, size)
			}
		}
	}
}

// BenchmarkTridiagonal compares with Dsytrd of Gonum.
func BenchmarkTridiagonal(b *testing.B) {
	dsytrd := func(a blas64.General) ([]float64, []float64) {
		d, e, tau, size := make([]float64, a.Rows), make([]float64, a.Rows-1), make([]float64, a.Rows-1), []float64{0}
		var lapack gonum.Implementation
		lapack.Dsytrd(blas.Upper, a.Rows, a.Data, a.Stride, d, e, tau, size, -1)
		work := make([]float64, int(size[0]))
		lapack.Dsytrd(blas.Upper, a.Rows, a.Data, a.Stride, d, e, tau, work, len(work))
		lapack.Dorgtr(blas.Upper, a.Rows, a.Data, a.Stride, tau, work, len(work))
		return d, e
	}
	for _, n := range []int{140, 400, 660} {
		rng, z := rand.New(rand.NewPCG(1, 1)), general(n, n, make([]float64, n*n))
		for i := range n {
			for j := range i + 1 {
				x := rng.NormFloat64()
				z.Data[i*n+j], z.Data[j*n+i] = x, x
			}
		}
		run := func(name string, f func(blas64.General) ([]float64, []float64)) {
			b.Run(fmt.Sprintf("%d/%s", n, name), func(b *testing.B) {
				for b.Loop() {
					f(general(n, n, slices.Clone(z.Data)))
				}
			})
		}
		run("one pass", tridiagonal)
		run("dsytrd", dsytrd)
	}
}
