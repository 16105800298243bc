package audit

import (
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack"
	"gonum.org/v1/gonum/lapack/lapack64"

	"github.com/bloomgml/bloom/mat"
)

// numbers is a matrix on the host, row by row; the Device computes its products.
type numbers struct {
	rows, cols int
	v          []mat.Real
}

func newNumbers(rows, cols int) numbers { return numbers{rows, cols, make([]mat.Real, rows*cols)} }

// at is row i.
func (x numbers) at(i int) []mat.Real { return x.v[i*x.cols : (i+1)*x.cols] }

// dense returns x on the Device.
func (x numbers) dense() *mat.Dense { return mat.FromSlice(x.rows, x.cols, x.v) }

// host returns x on the host.
func host(x *mat.Dense) numbers { return numbers{x.Rows(), x.Cols(), x.Slice()} }

// times returns x y, or xᵀ y.
func (x numbers) times(y numbers, t mat.Trans) numbers {
	rows := x.rows
	if t == mat.TN {
		rows = x.cols
	}
	c := mat.New(rows, y.cols)
	mat.MatMul(c, x.dense(), y.dense(), t, 1, 0)
	return host(c)
}

// pick returns some rows of x.
func (x numbers) pick(rows []int32) numbers {
	y := newNumbers(len(rows), x.cols)
	for r, i := range rows {
		copy(y.at(r), x.at(int(i)))
	}
	return y
}

// unit returns x with rows of length 1; rows of zeros stay.
func (x numbers) unit() numbers {
	y := newNumbers(x.rows, x.cols)
	for i := range x.rows {
		norm := mat.Real(max(math.Sqrt(dot(x.at(i), x.at(i))), 1e-9))
		for k, v := range x.at(i) {
			y.at(i)[k] = v / norm
		}
	}
	return y
}

// join puts columns side by side.
func join(parts ...numbers) numbers {
	cols := 0
	for _, p := range parts {
		cols += p.cols
	}
	y, at := newNumbers(parts[0].rows, cols), 0
	for _, p := range parts {
		for i := range p.rows {
			copy(y.at(i)[at:], p.at(i))
		}
		at += p.cols
	}
	return y
}

func dot(a, b []mat.Real) float64 {
	sum := 0.0
	for k, x := range a {
		sum += float64(x) * float64(b[k])
	}
	return sum
}

// cosine of two rows; 0 if one is 0.
func cosine(a, b []mat.Real) float64 {
	return dot(a, b) / max(math.Sqrt(dot(a, a)*dot(b, b)), 1e-12)
}

// eigen returns the eigenvalues of xᵀx, ascending, and its eigenvectors as columns, p×p.
func (x numbers) eigen() (values []float64, vectors numbers) {
	p := x.cols
	vectors = x.times(x, mat.TN)
	a := blas64.Symmetric{Uplo: blas.Upper, N: p, Stride: p, Data: make([]float64, p*p)}
	for i, v := range vectors.v {
		a.Data[i] = float64(v)
	}
	values = make([]float64, p)
	work := []float64{0}
	lapack64.Syev(lapack.EVCompute, a, values, work, -1)
	work = make([]float64, int(work[0]))
	lapack64.Syev(lapack.EVCompute, a, values, work, len(work))
	for i, v := range a.Data {
		vectors.v[i] = mat.Real(v)
	}
	for i, v := range values {
		values[i] = max(v, 0)
	}
	return values, vectors
}

// orthonormal returns the columns of x made orthonormal: x U S^-1/2, U S Uᵀ = xᵀx. Directions without energy become 0.
func (x numbers) orthonormal() numbers {
	s, u := x.eigen()
	for i := range u.v {
		v := s[i%len(s)]
		if v <= 1e-7*s[len(s)-1] {
			u.v[i] = 0
		} else {
			u.v[i] /= mat.Real(math.Sqrt(v))
		}
	}
	return x.times(u, mat.NN)
}
