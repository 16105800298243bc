package adjoint

import "fmt"

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
