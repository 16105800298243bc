package fit

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack"
	"gonum.org/v1/gonum/lapack/lapack64"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/mat"
)

// The number of singular vectors that locate a node, and how often the subspace is multiplied by S³ to find them.
const (
	vectors = 64
	rounds  = 12
)

// structure returns structural coordinates of the nodes, which need no features: U|σ|√n of the leading singular
// vectors of S, and log(1 + degree) with mean 0 and deviation 1. It uses subspace iteration from random vectors, with
// a Rayleigh–Ritz step in every round.
func (o *operators) structure(seed uint64) *source {
	r := max(1, min(vectors, o.n/4))
	u, other := mat.New(o.n, r), mat.New(o.n, r)
	mat.Normal(u, 0, 1, seed)
	var sigma []float64
	for range rounds {
		u = orthonormal(u)
		for range 3 {
			mat.SpMM(other, o.s, false, o.sv, u, 1, 0)
			u, other = other, u
		}
	}
	u = orthonormal(u)
	mat.SpMM(other, o.s, false, o.sv, u, 1, 0)
	small := mat.New(r, r)
	mat.MatMul(small, u, other, mat.TN, 1, 0)
	sigma, rotation := symmetric(small)
	turned := mat.New(o.n, r)
	mat.MatMul(turned, u, rotation, mat.NN, 1, 0)
	mat.MatMul(u, other, rotation, mat.NN, 1, 0)
	o.split(sigma, turned.Slice(), u.Slice())
	degree := make([]float64, o.n)
	for v, d := range o.degrees {
		degree[v] = math.Log1p(float64(d))
	}
	mean, sd := moments(degree)
	x := dataset.Matrix{Rows: o.n, Cols: r + 1, Ptr: make([]int64, o.n+1), Idx: make([]int32, 0, o.n*(r+1)),
		Values: make([]mat.Real, 0, o.n*(r+1))}
	host, scale := turned.Slice(), math.Sqrt(float64(o.n))
	for v := range o.n {
		for j := range r {
			x.Idx = append(x.Idx, int32(j))
			x.Values = append(x.Values, mat.Real(float64(host[v*r+j])*math.Abs(sigma[j])*scale))
		}
		x.Idx, x.Values = append(x.Idx, int32(r)), append(x.Values, mat.Real((degree[v]-mean)/sd))
		x.Ptr[v+1] = int64(len(x.Idx))
	}
	return &source{n: o.n, cols: r + 1, byRow: x}
}

// split finds eigenvectors outside the bulk of the spectrum, so that series for the bulk can be short: large random
// graphs have few. Filters are exact to about accuracy if the residuals r of the vectors are small, for the angle
// between a vector and the one that was found is about r/(|θ| − bulk).
//
//	θ and columns of x = U: Ritz values and vectors, ascending; sx = S U, n×len(θ)
func (o *operators) split(theta []float64, x, sx []mat.Real) {
	r := len(theta)
	residual, order := make([]float64, r), make([]int, r)
	for at, y := range sx {
		d := float64(y) - theta[at%r]*float64(x[at])
		residual[at%r] += d * d
	}
	for j := range order {
		order[j] = j
	}
	size := func(j int) float64 { return math.Abs(theta[order[j]]) }
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(math.Abs(theta[b]), math.Abs(theta[a])) })
	most := minimiser(lambdas[len(lambdas)-1])
	for m := r - 1; m > 0; m-- {
		bulk, good := beyond*size(m), true
		for j := range m {
			effect := math.Sqrt(residual[order[j]]) / (1 + most.lambda*(1-min(size(j), 1)))
			good = good && effect <= accuracy*(size(j)-bulk)
		}
		if !good {
			continue
		}
		o.bulk = bulk
		data := make([]mat.Real, o.n*m)
		for j, column := range order[:m] {
			o.outside = append(o.outside, theta[column])
			for v := range o.n {
				data[v*m+j] = x[v*r+column]
			}
		}
		o.u = mat.FromSlice(o.n, m, data)
		return
	}
}

// beyond is by how much the largest eigenvalue that was not found may exceed the one that was found next to it.
const beyond = 1.02

// symmetric returns the eigenvalues of a small symmetric matrix, and its eigenvectors as columns.
func symmetric(a *mat.Dense) ([]float64, *mat.Dense) {
	n := a.Rows()
	v := make([]float64, n*n)
	for i, x := range a.Slice() {
		v[i] = float64(x)
	}
	m := blas64.Symmetric{N: n, Stride: n, Data: v, Uplo: blas.Upper}
	values, size := make([]float64, n), make([]float64, 1)
	lapack64.Syev(lapack.EVCompute, m, values, size, -1)
	work := make([]float64, int(size[0]))
	lapack64.Syev(lapack.EVCompute, m, values, work, len(work))
	return values, numbers(n, n, v)
}

func numbers(rows, cols int, v []float64) *mat.Dense {
	data := make([]mat.Real, len(v))
	for i, x := range v {
		data[i] = mat.Real(x)
	}
	return mat.FromSlice(rows, cols, data)
}

// orthonormal returns a basis of the columns of u: u V σ^(−½) of uᵀu = V σ Vᵀ, twice, as once is not exact in single
// precision. Directions that are lost to rounding become zeros.
func orthonormal(u *mat.Dense) *mat.Dense {
	for range 2 {
		n, r := u.Rows(), u.Cols()
		gram := mat.New(r, r)
		mat.MatMul(gram, u, u, mat.TN, 1, 0)
		values, v := symmetric(gram)
		host := v.Slice()
		for j, s := range values {
			factor := 0.0
			if s > 1e-10*values[r-1] {
				factor = 1 / math.Sqrt(s)
			}
			for i := range r {
				host[i*r+j] *= mat.Real(factor)
			}
		}
		next := mat.New(n, r)
		mat.MatMul(next, u, mat.FromSlice(r, r, host), mat.NN, 1, 0)
		u = next
	}
	return u
}
