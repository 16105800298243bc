package fit

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack/lapack64"
)

// foldsOf divides the labelled rows into folds, as given or at random and of equal size: positions in Rows, fold by
// fold.
func (p Problem) foldsOf() [][]int {
	folds := make([][]int, min(p.Folds, len(p.Rows)))
	if p.Fold != nil {
		for at, fold := range p.Fold {
			folds[fold] = append(folds[fold], at)
		}
		return folds
	}
	for i, at := range rand.New(rand.NewPCG(p.Seed, 0xf01d)).Perm(len(p.Rows)) {
		folds[i%len(folds)] = append(folds[i%len(folds)], at)
	}
	return folds
}

// withoutFold returns the residuals y − ŷ of rows F, predicted by the regression without any of them, |F|×k: leftOut
// of several rows at once.
//
//	dual      e_F = G_FF⁻¹ α_F
//	primal    e_F = (I − V Vᵀ)⁻¹ r_F = r_F + V (I − Vᵀ V)⁻¹ Vᵀ r_F        V Vᵀ = H_FF
//
// G_FF is V Vᵀ of the dual form. The smaller of the two systems is solved.
func (r *ridge) withoutFold(fold []int, rho float64) []float64 {
	pivot, lower := r.bidiagonal(rho)
	c := r.solve(pivot, lower)
	side := r.q.Cols
	v := general(len(fold), side, make([]float64, len(fold)*side))
	e := general(len(fold), r.k, make([]float64, len(fold)*r.k))
	for i, row := range fold {
		q := general(1, side, r.q.Data[row*r.q.Stride:][:side])
		line := general(1, r.k, e.Data[i*r.k:][:r.k])
		if r.dual {
			blas64.Gemm(blas.NoTrans, blas.NoTrans, 1, q, c, 0, line)
		} else {
			copy(line.Data, r.y[row*r.k:])
			blas64.Gemm(blas.NoTrans, blas.NoTrans, -1, q, c, 1, line)
		}
		whiten(v.Data[i*side:][:side], q.Data, pivot, lower)
	}
	switch {
	case r.dual:
		solvePositive(product(blas.NoTrans, v, 0, 1), e)
	case len(fold) <= side:
		solvePositive(product(blas.NoTrans, v, 1, -1), e)
	default:
		small := general(side, r.k, make([]float64, side*r.k))
		blas64.Gemm(blas.Trans, blas.NoTrans, 1, v, e, 0, small)
		solvePositive(product(blas.Trans, v, 1, -1), small)
		blas64.Gemm(blas.NoTrans, blas.NoTrans, 1, v, small, 1, e)
	}
	return e.Data
}

// whiten is D^(−½) L⁻¹ q.
func whiten(dst, q, pivot, lower []float64) {
	x := 0.0
	for i, p := range pivot {
		w := q[i]
		if i > 0 {
			w -= lower[i-1] * x
		}
		x = w
		dst[i] = x / math.Sqrt(p)
	}
}

// product is diagonal·I + factor·V Vᵀ, or of Vᵀ V for blas.Trans.
func product(t blas.Transpose, v blas64.General, diagonal, factor float64) blas64.Symmetric {
	n := v.Rows
	if t == blas.Trans {
		n = v.Cols
	}
	s := blas64.Symmetric{N: n, Stride: n, Uplo: blas.Upper, Data: make([]float64, n*n)}
	for i := range n {
		s.Data[i*n+i] = diagonal
	}
	blas64.Syrk(t, factor, v, 1, s)
	return s
}

// solvePositive is b ← a⁻¹ b. If rounding has made a indefinite its diagonal is raised until it is not.
func solvePositive(a blas64.Symmetric, b blas64.General) {
	top := 0.0
	for i := range a.N {
		top = max(top, a.Data[i*a.N+i])
	}
	for lift := 1e-12 * max(top, 1e-300); ; lift *= 10 {
		try := a
		try.Data = append([]float64(nil), a.Data...)
		for i := range a.N {
			try.Data[i*a.N+i] += lift
		}
		if t, ok := lapack64.Potrf(try); ok {
			lapack64.Potrs(t, b)
			return
		}
	}
}

// outOfFold returns the answers for labelled nodes by the members' regressions without the fold of each, len(Rows)×k.
func (s *solver) outOfFold(y []float64) []float64 {
	k := s.Outputs
	out := make([]float64, len(y))
	for _, fold := range s.foldsOf() {
		for _, m := range s.members {
			for i, e := range m.ridge.withoutFold(fold, m.rho) {
				at := fold[i/k]*k + i%k
				out[at] += m.weight * (y[at] - e)
			}
		}
	}
	return out
}
