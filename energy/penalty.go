package energy

import (
	"fmt"
	"strings"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/mat"
)

// Penalty is ρ, applied to every entry of a residual and summed over the row, with the largest value of
// its second derivative. The table Penalties has all of them.
type Penalty struct {
	Name string
	// T is the threshold, 0 if ρ has no threshold.
	T    float64               `key:"threshold" range:"(0,∞)" unless:"" doc:"t, the threshold of ρ, beyond which it grows more slowly"`
	Rho  func(z ad.Var) ad.Var `key:"-"`
	Curv float64               `key:"-"`

	text penaltyText
	phi  mat.StepKind // the fused step it has, where fused is true
	fuse bool
	half float64 // ρ′ is half times the φ of that step
}

// penaltyText is a penalty for people.
type penaltyText struct {
	Rho, Phi string   // ρ and ρ′, %s being z; empty for ρ(z) and ρ′(z)
	Where    []string // what they are, if they are not given by a formula in z alone
}

// The penalties without a threshold, all of them convex: z², z²/2 and log cosh z, whose derivative is tanh z.
var (
	Squared = Penalty{Name: "squared", Rho: ad.Var.Square, Curv: 2, text: penaltyText{"‖%s‖²", "2 (%s)", nil},
		fuse: true, phi: mat.StepKind{Phi: mat.PhiSquare}, half: 2}
	HalfSquared = Penalty{Name: "half-squared", Rho: func(z ad.Var) ad.Var { return z.Square().Scale(0.5) }, Curv: 1,
		text: penaltyText{"½ ‖%s‖²", "(%s)", nil}, fuse: true, phi: mat.StepKind{Phi: mat.PhiSquare}, half: 1}
	LogCosh = Penalty{Name: "log-cosh", Rho: func(z ad.Var) ad.Var { return z.Map("log_cosh", 0) }, Curv: 1,
		text: penaltyText{"Σ log cosh(%s)", "tanh(%s)", nil},
		fuse: true, phi: mat.StepKind{Phi: mat.PhiLogCosh}, half: 1}
)

// Huber is z²/2 for |z| < t and t|z| − t²/2 beyond, convex; its derivative is z cut to [−t, t]. The paper's δ is
// Huber(1).
func Huber(t float64) Penalty {
	return Penalty{Name: "huber", T: above0("huber", t), Curv: 1,
		Rho: func(z ad.Var) ad.Var { return z.Map("huber", t) },
		text: penaltyText{"δ(%s)", fmt.Sprintf("clip(%%s, ±%g)", t),
			[]string{fmt.Sprintf("δ Huber with threshold %g", t)}},
		fuse: true, phi: mat.StepKind{Phi: mat.PhiHuber, T: mat.Real(t)}, half: 1}
}

// SmoothL1 is Huber(t)/t: the absolute value, rounded off below t. It is convex, and its derivative z/t cut to ±1.
func SmoothL1(t float64) Penalty {
	where := fmt.Sprintf("ρ(z) = Σ z²/%g where |z| < %g, else |z| − %g/2", 2*t, t, t)
	return Penalty{Name: "smooth-l1", T: above0("smooth-l1", t), Curv: 1 / t,
		Rho:  func(z ad.Var) ad.Var { return z.Map("huber", t).Scale(1 / t) },
		text: penaltyText{"", fmt.Sprintf("clip((%%s)/%g, ±1)", t), []string{where}},
		fuse: true, phi: mat.StepKind{Phi: mat.PhiHuber, T: mat.Real(t)}, half: 1 / t}
}

// Charbonnier is √(z²+t²) − t: the absolute value, rounded off smoothly. It is convex, and its derivative z/√(z²+t²).
func Charbonnier(t float64) Penalty {
	where := []string{fmt.Sprintf("ρ(z) = Σ √(z² + %g²) − %g", t, t), fmt.Sprintf("ρ′(z) = z/√(z² + %g²)", t)}
	return Penalty{Name: "charbonnier", T: above0("charbonnier", t), Curv: 1 / t, text: penaltyText{Where: where},
		Rho: func(z ad.Var) ad.Var { return z.Square().Shift(t * t).Sqrt().Shift(-t) }}
}

// Welsch is t²/2 (1 − exp(−z²/t²)), whose derivative is z exp(−z²/t²): residuals beyond t hardly count. It is not
// convex.
func Welsch(t float64) Penalty {
	where := []string{fmt.Sprintf("ρ(z) = Σ %g²/2 (1 − exp(−z²/%g²))", t, t), fmt.Sprintf("ρ′(z) = z exp(−z²/%g²)", t)}
	rho := func(z ad.Var) ad.Var {
		return z.Square().Scale(-1 / (t * t)).Exp().Scale(-t * t / 2).Shift(t * t / 2)
	}
	return Penalty{Name: "welsch", T: above0("welsch", t), Rho: rho, Curv: 1, text: penaltyText{Where: where}}
}

// Cauchy is t²/2 log(1 + z²/t²), whose derivative z/(1 + z²/t²) falls off beyond t: residuals far away count little,
// but more than with Welsch. Its second derivative is between −1/8 and 1, so it is not convex.
func Cauchy(t float64) Penalty {
	where := []string{fmt.Sprintf("ρ(z) = Σ %g²/2 log(1 + z²/%g²)", t, t), fmt.Sprintf("ρ′(z) = z/(1 + z²/%g²)", t)}
	return Penalty{Name: "cauchy", T: above0("cauchy", t), Curv: 1, text: penaltyText{Where: where},
		Rho: func(z ad.Var) ad.Var { return z.Square().Scale(1 / (t * t)).Shift(1).Log().Scale(t * t / 2) }}
}

func above0(name string, t float64) float64 {
	if !(t > 0) {
		panic(fmt.Sprintf("energy: %s with threshold %v, which must be above 0", name, t))
	}
	return t
}

// String returns the name with the threshold: huber(1).
func (p Penalty) String() string {
	if p.T == 0 {
		return p.Name
	}
	return fmt.Sprintf("%s(%g)", p.Name, p.T)
}

// Rows returns Σ_j ρ(z_ij), one number per row.
func (p Penalty) Rows(z ad.Var) ad.Var { return p.Rho(z).SumCols() }

// Step returns the fused step that computes ρ′, if there is one: ρ′ is factor times the φ of kind.
func (p Penalty) Step() (kind mat.StepKind, factor float64, ok bool) { return p.phi, p.half, p.fuse }

// Text returns p in readable form, for z times a letter, which is empty for 1.
func (p Penalty) Text(letter, z string) penaltyText {
	t := p.text
	if t.Rho == "" {
		t.Rho = "ρ(%s)"
	}
	if t.Phi == "" {
		t.Phi = "ρ′(%s)"
	}
	if p.text.Rho+p.text.Phi == "" && t.Where == nil {
		t.Where = []string{"ρ " + p.String()}
	}
	if half, ok := strings.CutPrefix(t.Rho, "½"); ok && letter != "" {
		t.Rho = letter + "/2" + half
	} else if letter != "" {
		t.Rho = letter + " " + t.Rho
	}
	t.Rho, t.Phi = fmt.Sprintf(t.Rho, z), fmt.Sprintf(t.Phi, z)
	return t
}
