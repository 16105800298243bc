package live

import (
	"fmt"
	"math"

	"github.com/bloomgml/bloom/descent"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/internal/solve"
	"github.com/bloomgml/bloom/mat"
)

// form is a descent in numbers, and what is computed of it: L steps, which begin at the prox of p, or with 0 steps the
// minimiser.
type form struct {
	solve.Form
	steps int
	held  bool // rows are given by Put, and nothing is computed of them
}

func newForm(l descent.Local, steps int) form { return form{Form: solve.NewForm(l), steps: steps} }

// check refuses what is not an energy.
func (f form) check() error {
	switch {
	case !(f.Lambda >= 0) || math.IsInf(f.Lambda, 0):
		return fmt.Errorf("live: λ = %v, want 0 or more", f.Lambda)
	case !(f.Weight > 0) || math.IsInf(f.Weight, 0):
		return fmt.Errorf("live: the weight of κ is %v, want a number above 0", f.Weight)
	case f.Norm != graph.None && f.Norm != graph.Symmetric:
		return fmt.Errorf("live: normalisation %v, want none or symmetric", f.Norm)
	case f.steps > 0 && f.Rate == nil:
		return fmt.Errorf("its step size depends on the whole graph; use --settle instead")
	}
	return nil
}

// mu returns how strongly convex the energy is: w for quadratic κ. Others are flat far from p, and it is 0.
func (f form) mu() float64 {
	if f.Kind.Phi == mat.PhiSquare {
		return f.Weight
	}
	return 0
}

// root returns the number that a row is divided by when its neighbours read it: √d, or 1 if it has no neighbours.
func (f form) root(d float64) float64 {
	if f.Norm == graph.None || d <= 0 {
		return 1
	}
	return math.Sqrt(d)
}
