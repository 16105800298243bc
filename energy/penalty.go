package energy

import (
	"fmt"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/mat"
)

// Penalty is ρ, applied to every entry of a residual and summed over the row, with the largest value of
// its second derivative.
//
//	name          ρ(z)                                            ρ′(z)              sup ρ″   convex
//	Squared       z²                                              2z                 2        yes
//	HalfSquared   z²/2                                            z                  1        yes
//	Huber(t)      z²/2 for |z| < t, else t|z| − t²/2              z cut to [−t, t]   1        yes
//	LogCosh       log cosh z                                      tanh z             1        yes
//	SmoothL1(t)   z²/2t for |z| < t, else |z| − t/2               z/t cut to ±1      1/t      yes
//	Charbonnier   √(z²+t²) − t                                    z/√(z²+t²)         1/t      yes
//	Welsch(t)     t²/2 (1 − exp(−z²/t²))                          z exp(−z²/t²)      1        no
type Penalty struct {
	Name string
	Rho  func(z ad.Var) ad.Var
	Curv float64
	phi  mat.StepKind // the fused step it has, where fused is true
	fuse bool
	half float64 // ρ′ is half times the φ of that step
}

// The penalties without a threshold.
var (
	Squared = Penalty{Name: "squared", Rho: ad.Var.Square, Curv: 2,
		fuse: true, phi: mat.StepKind{Phi: mat.PhiSquare}, half: 2}
	HalfSquared = Penalty{Name: "half-squared", Rho: func(z ad.Var) ad.Var { return z.Square().Scale(0.5) }, Curv: 1,
		fuse: true, phi: mat.StepKind{Phi: mat.PhiSquare}, half: 1}
	LogCosh = Penalty{Name: "log-cosh", Rho: ad.Var.LogCosh, Curv: 1,
		fuse: true, phi: mat.StepKind{Phi: mat.PhiLogCosh}, half: 1}
)

// Huber is quadratic below the threshold t and linear beyond. The paper's δ is Huber(1).
func Huber(t float64) Penalty {
	return Penalty{Name: named("huber", t), Rho: func(z ad.Var) ad.Var { return z.Huber(t) }, Curv: 1,
		fuse: true, phi: mat.StepKind{Phi: mat.PhiHuber, T: mat.Real(t)}, half: 1}
}

// SmoothL1 is Huber(t)/t: the absolute value, rounded off below t.
func SmoothL1(t float64) Penalty {
	return Penalty{Name: named("smooth-l1", t), Rho: func(z ad.Var) ad.Var { return z.Huber(t).Scale(1 / t) }, Curv: 1 / t,
		fuse: true, phi: mat.StepKind{Phi: mat.PhiHuber, T: mat.Real(t)}, half: 1 / t}
}

// Charbonnier is √(z²+t²) − t: the absolute value, rounded off smoothly.
func Charbonnier(t float64) Penalty {
	rho := func(z ad.Var) ad.Var { return z.Square().Shift(t * t).Sqrt().Shift(-t) }
	return Penalty{Name: named("charbonnier", t), Rho: rho, Curv: 1 / t}
}

// Welsch is t²/2 (1 − exp(−z²/t²)): residuals beyond t hardly count. It is not convex.
func Welsch(t float64) Penalty {
	rho := func(z ad.Var) ad.Var {
		return z.Square().Scale(-1 / (t * t)).Exp().Scale(-t * t / 2).Shift(t * t / 2)
	}
	return Penalty{Name: named("welsch", t), Rho: rho, Curv: 1}
}

func named(name string, t float64) string {
	if !(t > 0) {
		panic(fmt.Sprintf("energy: %s with threshold %v, which must be above 0", name, t))
	}
	return fmt.Sprintf("%s(%g)", name, t)
}

// Rows is Σ_j ρ(z_ij), one number per row.
func (p Penalty) Rows(z ad.Var) ad.Var { return p.Rho(z).SumCols() }
