package energy

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack/lapack64"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/mat"
)

// Range is η(H) = I∞[H ∉ range(X)] (eq:L_low_for_GR_MLP): every column of H is a combination of the columns
// of X. Its prox is the projection U Uᵀ H, U an orthonormal basis of range(X); it is convex.
//
// It couples the nodes, so its prox has this form only with one γ for all of them: a preconditioner with a number per
// node would need another projection, and Prox panics.
//
// Range fails if Basis does.
func Range(x *mat.Dense) (Constraint, error) {
	u, err := Basis(x)
	return ranged{u}, err
}

type ranged struct {
	u *mat.Dense // n×rank
}

// Basis returns an orthonormal basis of range(X), n×rank. It factorises X, n×k, as X P = Q R with column pivoting, in
// double precision. The rank is the number of diagonal entries of R above max(n, k)·2⁻⁵² times the first, the largest;
// the basis is the first rank columns of Q. X need not have full rank, and may have more columns than rows; an entry
// that is not finite is an error.
func Basis(x *mat.Dense) (*mat.Dense, error) {
	if err := x.CheckFinite(); err != nil {
		return nil, fmt.Errorf("energy: range of X: %w", err)
	}
	n, k := x.Rows(), x.Cols()
	if n == 0 || k == 0 {
		return mat.New(n, 0), nil
	}
	a := blas64.General{Rows: n, Cols: k, Stride: k, Data: make([]float64, n*k)}
	for i, v := range x.Slice() {
		a.Data[i] = float64(v)
	}
	rank := orthonormalise(&a)
	u := make([]mat.Real, 0, n*rank)
	for i := range n {
		for _, v := range a.Data[i*k : i*k+rank] {
			u = append(u, mat.Real(v))
		}
	}
	return mat.FromSlice(n, rank, u), nil
}

// orthonormalise replaces the first columns of a by an orthonormal basis of its range and returns how many.
func orthonormalise(a *blas64.General) (rank int) {
	small := min(a.Rows, a.Cols)
	pivots, tau := make([]int, a.Cols), make([]float64, small)
	for j := range pivots {
		pivots[j] = -1 // free to move
	}
	withWork(func(work []float64, size int) { lapack64.Geqp3(*a, pivots, tau, work, size) })
	limit := float64(max(a.Rows, a.Cols)) * 0x1p-52 * math.Abs(a.Data[0])
	for rank < small && math.Abs(a.Data[rank*a.Stride+rank]) > limit {
		rank++
	}
	if rank == 0 {
		return 0
	}
	q := blas64.General{Rows: a.Rows, Cols: rank, Stride: a.Stride, Data: a.Data}
	withWork(func(work []float64, size int) { lapack64.Orgqr(q, tau[:rank], work, size) })
	return rank
}

// withWork calls f as LAPACK expects: once with size −1 to learn how much working memory it needs, and again with it.
func withWork(f func(work []float64, size int)) {
	work := []float64{0}
	f(work, -1)
	f(make([]float64, int(work[0])), int(work[0]))
}

func (r ranged) Prox(h, gamma ad.Var) ad.Var {
	if gamma.Rows() != 1 {
		panic(fmt.Sprintf("energy: Range couples nodes: its prox needs one γ for all, not shape %v", gamma.Shape()))
	}
	return r.project(h)
}

func (r ranged) project(h ad.Var) ad.Var {
	u := ad.Const(r.u)
	return u.MatMul(u.TMatMul(h))
}

func (r ranged) Value(h *mat.Dense) float64 { return indicator(h, r.project) }
func (ranged) Name() string                 { return "Range" }
func (ranged) Convex() bool                 { return true }
func (ranged) Couples()                     {}

var _ Coupling = ranged{}
