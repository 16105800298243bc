package descent

import "fmt"

// Diverged is the error for an H that has become NaN or Inf.
type Diverged struct {
	Layer int     // the step that gave it, from 1
	Term  string  // the term that pulled most in that step
	Value float64 // the energy of that term before the step
}

// Error names layer, term and value and says what to try.
func (e *Diverged) Error() string {
	return fmt.Sprintf("descent: H is not finite after layer %d: before it, term %s pulled most, at energy %.4g; "+
		"try a smaller step, Safe or Backtracking, or check the input for extreme values", e.Layer, e.Term, e.Value)
}

// StepTooLong is the error for a fixed step size with which the energy need not fall.
type StepTooLong struct {
	Gamma, Limit float64 // γ, and the largest γ for which descent is certain
}

// Error gives both numbers and says what to try.
func (e *StepTooLong) Error() string {
	return fmt.Sprintf("descent: step size %.4g is beyond %.4g, the longest that is certified for this energy; take a "+
		"smaller one, safe or backtracking, precondition by degree, or use forced, which skips this check",
		e.Gamma, e.Limit)
}

// noDescent is the error of Backtracking for a point from which no step lowers the energy.
type noDescent struct {
	Layer  int
	Energy float64 // at the point
	Gamma  float64 // the smallest step size that was tried
	Trial  float64 // the energy with it
	Tries  int
}

func (e *noDescent) Error() string {
	return fmt.Sprintf("descent: layer %d: %d step sizes down to %.3g all raise the energy, "+
		"from %.6g to %.6g with the smallest; try a smaller Start or a larger Max, or check the term "+
		"and its derivative", e.Layer, e.Tries, e.Gamma, e.Energy, e.Trial)
}

// Unsuitable is the error for an algorithm that is made for particular terms and was given others.
type Unsuitable struct{ Algorithm, Need string }

// Error says what the algorithm needs.
func (e *Unsuitable) Error() string { return fmt.Sprintf("descent: %s needs %s", e.Algorithm, e.Need) }
