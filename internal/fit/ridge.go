package fit

import (
	"math"
	"sync"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack/gonum"

	"github.com/bloomgml/bloom/mat"
)

// Overview. Let M be K = Z Zᵀ (dual, t×t) or C = Zᵀ Z (primal, m×m), whichever is smaller, and M = Q T Qᵀ with T
// tridiagonal: a third of the work of eigenvectors, and as good, since a system with T + ρI is solved in linear time.
//
//	dual      Gᵢᵢ = ‖L⁻¹ qᵢ‖²_D⁻¹        T + ρI = L D Lᵀ, qᵢ row i of Q
//	primal    1 − hᵢ, hᵢ the same of row i of Z Q;   eᵢ = rᵢ / (1 − hᵢ), r the residuals of the fit

// ridge is a ridge regression of t rows on m columns for every ρ.
type ridge struct {
	t, m, k int
	z, y    []float64 // t×m; t×k, what is to be explained
	square  float64   // of all of z
	dual    bool
	q       blas64.General // Q, or Z Q
	back    blas64.General // Q of the primal form
	d, e    []float64      // T: diagonal, off-diagonal
	b       blas64.General // Qᵀ y, or (Z Q)ᵀ y
	g       *sync.Map      // of ρ: see diagonal
	alphas  *sync.Map      // of ρ: see shifted
}

// newRidge decomposes the regression of y, t×k, on z, t×m.
func newRidge(z []float64, m int, y []float64, k int) *ridge {
	t := len(y) / k
	r := &ridge{t: t, m: m, k: k, z: z, square: sumSquares(z), dual: t <= m, g: &sync.Map{},
		alphas: &sync.Map{}}
	rows := general(t, m, z)
	side := min(t, m)
	gram := general(side, side, make([]float64, side*side))
	if r.dual {
		multiply(mat.NT, rows, rows, gram)
	} else {
		multiply(mat.TN, rows, rows, gram)
	}
	r.d, r.e = tridiagonal(gram)
	r.q = gram
	if !r.dual {
		r.back, r.q = gram, general(t, m, make([]float64, t*m))
		multiply(mat.NN, rows, r.back, r.q)
	}
	return r.withTargets(y)
}

// withTargets returns the regression of other y on the same rows.
func (r *ridge) withTargets(y []float64) *ridge {
	other := *r
	side := min(r.t, r.m)
	other.y, other.b = y, general(side, r.k, make([]float64, side*r.k))
	blas64.Gemm(blas.Trans, blas.NoTrans, 1, r.q, general(r.t, r.k, y), 0, other.b)
	return &other
}

// exactBelow is the side below which products are taken in double precision.
const exactBelow = 256

// multiply is c ← a b. If it is large the Device computes it, in its own precision: what follows is then exact for
// rows that differ from Z in the seventh digit.
func multiply(t mat.Trans, a, b, c blas64.General) {
	if max(c.Rows, c.Cols) < exactBelow {
		ta, tb := blas.NoTrans, blas.NoTrans
		if t == mat.TN {
			ta = blas.Trans
		} else if t == mat.NT {
			tb = blas.Trans
		}
		blas64.Gemm(ta, tb, 1, a, b, 0, c)
		return
	}
	out := mat.New(c.Rows, c.Cols)
	mat.MatMul(out, numbers(a.Rows, a.Cols, a.Data), numbers(b.Rows, b.Cols, b.Data), t, 1, 0)
	for i, v := range out.Slice() {
		c.Data[i] = float64(v)
	}
}

func general(rows, cols int, data []float64) blas64.General {
	return blas64.General{Rows: rows, Cols: cols, Stride: max(cols, 1), Data: data}
}

// tridiagonal replaces the symmetric matrix a by Q, with a = Q T Qᵀ, by Householder's reflections I − τ v vᵀ. Only the
// lower triangle is looked at, and once for every reflection: the pass that subtracts v wᵀ + w vᵀ of one multiplies by
// v of the next, which is 1.5 times as fast as Dsytrd of Gonum from 400 rows on (BenchmarkTridiagonal).
//
//	p = τ A v        w = p − ½ τ (pᵀ v) v        A ← A − v wᵀ − w vᵀ
func tridiagonal(a blas64.General) (d, e []float64) {
	n := a.Rows
	d, e = make([]float64, n), make([]float64, max(n-1, 0))
	tau, size := make([]float64, max(n-1, 1)), make([]float64, 1)
	v, w := make([]float64, n), make([]float64, n)
	next, p := make([]float64, n), make([]float64, n)
	var lapack gonum.Implementation
	for c := range n {
		for r := c; r < n; r++ { // column c after all reflections before
			next[r] = a.Data[r*a.Stride+c] - v[r]*w[c] - w[r]*v[c]
		}
		if d[c] = next[c]; c == n-1 {
			break
		}
		e[c], tau[c] = lapack.Dlarfg(n-c-1, next[c+1], next[min(c+2, n-1):], 1)
		next[c+1] = 1
		for r := c + 2; r < n; r++ {
			a.Data[r*a.Stride+c] = next[r]
		}
		reflected(a, c+1, v, w, next, p)
		blas64.Scal(tau[c], vector(p[c+1:]))
		v, next = next, v
		blas64.Axpy(-tau[c]/2*blas64.Dot(vector(p[c+1:]), vector(v[c+1:])), vector(v[c+1:]), vector(p[c+1:]))
		w, p = p, w
	}
	lapack.Dorgtr(blas.Lower, n, a.Data, a.Stride, tau, size, -1)
	work := make([]float64, int(size[0]))
	lapack.Dorgtr(blas.Lower, n, a.Data, a.Stride, tau, work, len(work))
	return d, e
}

// reflected subtracts v wᵀ + w vᵀ from a, from row and column c on, and sets p to a next.
func reflected(a blas64.General, c int, v, w, next, p []float64) {
	clear(p)
	old, other := vector(v[c:]), vector(w[c:])
	for r := c; r < a.Rows; r++ {
		row := vector(a.Data[r*a.Stride+c:][:r-c+1])
		old.N, other.N = row.N, row.N
		blas64.Axpy(-v[r], other, row)
		blas64.Axpy(-w[r], old, row)
		p[r] += blas64.Dot(row, blas64.Vector{N: row.N, Inc: 1, Data: next[c:]})
		row.N--
		blas64.Axpy(next[r], row, blas64.Vector{N: row.N, Inc: 1, Data: p[c:]})
	}
}

func vector(data []float64) blas64.Vector { return blas64.Vector{N: len(data), Inc: 1, Data: data} }

// bidiagonal returns D and the subdiagonal of L, with T + ρI = L D Lᵀ. Pivots that rounding made tiny are held at a
// fraction of ρ, which they cannot be below.
func (r *ridge) bidiagonal(rho float64) (pivot, lower []float64) {
	pivot, lower = make([]float64, len(r.d)), make([]float64, len(r.e))
	for i, d := range r.d {
		pivot[i] = d + rho
		if i > 0 {
			lower[i-1] = r.e[i-1] / pivot[i-1]
			pivot[i] -= lower[i-1] * r.e[i-1]
		}
		pivot[i] = max(pivot[i], rho/2)
	}
	return pivot, lower
}

// leftOut returns the residuals y − ŷ₋ᵢ, t×k, of every row predicted by the regression without it.
func (r *ridge) leftOut(rho float64) []float64 {
	pivot, lower := r.bidiagonal(rho)
	c := r.solve(pivot, lower)
	out := r.turned(c)
	if !r.dual {
		for i, y := range r.y {
			out.Data[i] = y - out.Data[i]
		}
	}
	for i, g := range r.diagonal(rho, pivot, lower) {
		if !r.dual {
			g = max(1-g, 1e-9)
		}
		for j := range r.k {
			out.Data[i*r.k+j] /= g
		}
	}
	return out.Data
}

// turned returns Q c. c is transposed first: it has few columns, and products of long rows are faster.
func (r *ridge) turned(c blas64.General) blas64.General {
	out := general(r.t, c.Cols, make([]float64, r.t*c.Cols))
	blas64.Gemm(blas.NoTrans, blas.Trans, 1, r.q, general(c.Cols, c.Rows, transposed(c.Data, c.Rows)), 0, out)
	return out
}

// transposed returns the transpose of a matrix of t rows.
func transposed(z []float64, t int) []float64 {
	m := len(z) / t
	out := make([]float64, len(z))
	for i, x := range z {
		out[i%m*t+i/m] = x
	}
	return out
}

// diagonal returns Gᵢᵢ of the dual form, and hᵢ of the primal one.
func (r *ridge) diagonal(rho float64, pivot, lower []float64) []float64 {
	if g, ok := r.g.Load(rho); ok {
		return g.([]float64)
	}
	g := make([]float64, r.t)
	for i := range g {
		g[i] = quadratic(r.q.Data[i*r.q.Stride:][:r.q.Cols], pivot, lower)
	}
	r.g.Store(rho, g)
	return g
}

// quadratic is vᵀ (L D Lᵀ)⁻¹ v.
func quadratic(v, pivot, lower []float64) (sum float64) {
	x := 0.0
	for i, p := range pivot {
		w := v[i]
		if i > 0 {
			w -= lower[i-1] * x
		}
		x = w
		sum += x * x / p
	}
	return sum
}

// solve returns (T + ρI)⁻¹ b.
func (r *ridge) solve(pivot, lower []float64) blas64.General {
	c := general(r.b.Rows, r.k, append([]float64(nil), r.b.Data...))
	n, k := c.Rows, r.k
	for i := 1; i < n; i++ {
		for j := range k {
			c.Data[i*k+j] -= lower[i-1] * c.Data[(i-1)*k+j]
		}
	}
	for i := n - 1; i >= 0; i-- {
		for j := range k {
			c.Data[i*k+j] /= pivot[i]
			if i+1 < n {
				c.Data[i*k+j] -= lower[i] * c.Data[(i+1)*k+j]
			}
		}
	}
	return c
}

// weights returns W, m×k.
func (r *ridge) weights(rho float64) []float64 {
	c := r.solve(r.bidiagonal(rho))
	if !r.dual {
		w := general(r.m, r.k, make([]float64, r.m*r.k))
		blas64.Gemm(blas.NoTrans, blas.NoTrans, 1, r.back, c, 0, w)
		return w.Data
	}
	return r.ofAlpha(r.turned(c).Data)
}

// ofAlpha returns W = Zᵀ α.
func (r *ridge) ofAlpha(alpha []float64) []float64 {
	w := general(r.m, r.k, make([]float64, r.m*r.k))
	blas64.Gemm(blas.Trans, blas.NoTrans, 1, general(r.t, r.m, r.z), general(r.t, r.k, alpha), 0, w)
	return w.Data
}

// rhos are the values of ρ to try, in units of the mean square of a row of Z.
var rhos = func() (list []float64) {
	for e := -3.0; e <= 3; e += 0.5 {
		list = append(list, math.Pow(10, e))
	}
	return list
}()

// best returns the ρ whose left-out squared error is least, with the residuals.
func (r *ridge) best() (rho float64, residuals []float64) {
	return bestRho(r.square/float64(max(r.t, 1)), r.leftOut)
}

// bestRho chooses ρ for rows of the given mean square; the larger of two that are equal.
func bestRho(square float64, leftOut func(rho float64) []float64) (rho float64, residuals []float64) {
	scale := float64(float32(max(square, 1e-30))) // the same for rows of one length, however many
	least := math.Inf(1)
	for i := len(rhos) - 1; i >= 0; i-- {
		e := leftOut(rhos[i] * scale)
		if s := sumSquares(e); s < least {
			least, rho, residuals = s, rhos[i]*scale, e
		}
	}
	return rho, residuals
}

func sumSquares(v []float64) (sum float64) {
	for _, x := range v {
		sum += x * x
	}
	return sum
}
