package adjoint

import (
	"cmp"
	"fmt"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/descent"
	"github.com/bloomgml/bloom/energy"
	"github.com/bloomgml/bloom/internal/solve"
	"github.com/bloomgml/bloom/mat"
)

// Implicit differentiates the minimiser that the descent converges to, whatever way it took there. At a
// fixed point h = prox(h − ∇F(h; θ)), with P the derivative of the prox,
//
//	dh/dθ = −(P ∇²F P)⁻¹ P ∂∇F/∂θ          where P picks free coordinates, solved by conjugate gradients
//	dh/dθ = (I − ∂T/∂h)⁻¹ ∂T/∂θ            for other prox operators, T one plain proximal step, by a Neumann series
//
// so a backward pass keeps h and nothing of the way to it. That is right only near the fixed point: Run
// measures the residual ‖h − prox(h − ∇F)‖ / (1 + ‖h‖) and fails with *NotConverged when it is above
// Tolerance, and so does a linear solve that does not converge.
type Implicit struct {
	Tolerance float64 // of the fixed point; 0 means 1e-3, or 1e-8 in double precision
	Solve     float64 // of the linear solve; 0 means 1e-6, or 1e-12 in double precision
	MaxIter   int     // of the linear solve; 0 means 1000
	Gamma     float64 // step of T in the Neumann series; 0 means the certified bound, or 0.1 if there is none
	Stats     *Stats  // what the last run measured; nil for nobody interested
}

// Stats is the evidence of an implicit derivative.
type Stats struct {
	Residual      float64 // of the fixed point
	SolveResidual float64 // of the linear solve, relative
	Iterations    int     // of the linear solve
	Bytes         int     // of memory that the linear solve works in
}

// Run takes L steps without recording them, and gives the result the derivative of the minimiser.
func (m Implicit) Run(a descent.Algorithm, l *energy.Lower, h0 ad.Var, layers int) ad.Var {
	if m.Stats == nil {
		m.Stats = &Stats{}
	}
	h := ad.Stop(finite(steps(a, l, h0, layers), a, l, h0, layers))
	grad := l.Grad(h)
	moved := l.Prox(h.Sub(grad), ad.Number(1))
	if free, ok := freeCoordinates(l, h); ok && !l.Game() {
		point := &fixedPoint{Implicit: m, layers: layers, solver: newConjugate(m, l, h, free)}
		return ad.Apply(point, h, grad, moved)[0]
	}
	gamma := m.gamma(l)
	step := func(h ad.Var) ad.Var { return l.Prox(h.Sub(l.Grad(h).Mul(gamma)), gamma) }
	return ad.Apply(&fixedPoint{Implicit: m, layers: layers, solver: newNeumann(m, h, step)}, h, step(h), moved)[0]
}

// freeCoordinates returns the coordinates that η leaves alone, an absent Var for all if there is no η; ok is false if η
// is not Masking.
func freeCoordinates(l *energy.Lower, h ad.Var) (free ad.Var, ok bool) {
	if l.Eta == nil {
		return ad.Var{}, true
	}
	mask, ok := l.Eta.(energy.Masking)
	if !ok {
		return ad.Var{}, false
	}
	return ad.Stop(mask.Free(h)), true
}

// solver turns the cotangent of the minimiser into the cotangent of the recorded step.
type solver interface{ solve(g ad.Var) ad.Var }

// fixedPoint is h, once it is known to be a fixed point. Inputs: h, the recorded step that carries the
// derivative, and prox(h − ∇F).
type fixedPoint struct {
	Implicit
	space  solve.Dense
	layers int
	solver solver
}

func (*fixedPoint) Name() string                      { return "fixedpoint" }
func (*fixedPoint) Shapes(in []mat.Shape) []mat.Shape { return in[:1] }

// Eval is TryEval for a descent that is known to converge.
func (o *fixedPoint) Eval(out, in []*mat.Dense) {
	if err := o.TryEval(out, in); err != nil {
		panic(err)
	}
}

// TryEval measures the residual.
func (o *fixedPoint) TryEval(out, in []*mat.Dense) error {
	h, moved := in[0], in[2]
	mat.Axpby(out[0], h, moved, 1, -1)
	r := o.space.Norm(out[0]) / (1 + o.space.Norm(h))
	o.Stats.Residual = r
	if !o.Near(r) {
		return &NotConverged{What: "descent", Residual: r, Tolerance: o.tolerance(), Iterations: o.layers}
	}
	mat.Copy(out[0], h)
	return nil
}

// VJP passes the solution of the linear system on to the recorded step.
func (o *fixedPoint) VJP(in, out, g []ad.Var) []ad.Var {
	return []ad.Var{{}, o.solver.solve(g[0]), {}}
}

// Near reports whether a residual is small enough for a fixed point: at most Tolerance.
func (m Implicit) Near(residual float64) bool { return residual <= m.tolerance() }
func (m Implicit) tolerance() float64         { return cmp.Or(m.Tolerance, defaultTolerance) }

// gamma returns the step of the Neumann series.
func (m Implicit) gamma(l *energy.Lower) ad.Var {
	if m.Gamma > 0 {
		return ad.Number(m.Gamma)
	}
	if bound, err := l.Bound(ad.Number(1)); err == nil {
		return ad.Stop(bound).Scale(0.5)
	}
	return ad.Number(0.1)
}

// NotConverged is the error of an implicit derivative that would be wrong: the descent did not reach a fixed
// point, or the linear system at it could not be solved.
type NotConverged struct {
	What       string  // "descent" or "linear solve"
	Residual   float64 // relative; NaN or +Inf where the numbers exploded
	Tolerance  float64
	Iterations int
	Reason     string // more about it, where there is more to say
}

// Error says what happened and what to try.
func (e *NotConverged) Error() string {
	hint := "more steps, a smaller step size, or adjoint Unrolled"
	if e.What == "linear solve" {
		hint = "more iterations, a larger tolerance, or adjoint Unrolled"
	}
	reason := e.Reason
	if reason != "" {
		reason = " (" + reason + ")"
	}
	return fmt.Sprintf("implicit adjoint: %s not converged after %d iterations: residual %.2g above %.2g%s; try %s",
		e.What, e.Iterations, e.Residual, e.Tolerance, reason, hint)
}
