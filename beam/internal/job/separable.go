package job

import (
	"sync"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/beam/internal/parts"
	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/descent"
	"github.com/bloomgml/bloom/input"
	"github.com/bloomgml/bloom/internal/solve"
	"github.com/bloomgml/bloom/mat"
)

// separable is one descent whose step of a row needs numbers and neighbours alone: the fused step, solve.Stepper.
type separable struct {
	*model
	local    descent.Local
	steps    int
	width    int
	trained  bool // rows are π of the weights of a run; else they are features
	ones     bool // with a last column of ones
	steppers sync.Pool
}

var _ method = (*separable)(nil)

func newSeparable(m *model, l descent.Local, steps int, trained bool) *separable {
	s := &separable{model: m, local: l, steps: steps, trained: trained, width: l.Pi.Cols()}
	if !trained {
		s.ones = solve.NewForm(l).Linear() // all steps together are a linear map
		if s.width = m.Features(0).Cols; s.ones {
			s.width++
		}
	}
	return s
}

// Len returns L.
func (s *separable) Len() int { return s.steps }

// Told returns the number of columns of H.
func (s *separable) Told(int) int { return s.width }

// Level returns 0 before the last step.
func (s *separable) Level(done int) int { return done / s.steps }

// Kept returns π, and after the last step ‖h − π‖².
func (s *separable) Kept(level int) int {
	if level > 0 {
		return 1
	}
	return s.width
}

// firstRows returns the prox of π as the rows to tell, at which a descent begins.
func (s *separable) firstRows(x dataset.Matrix) (out Rows, err error) {
	if out.Kept, err = s.pi(x); err != nil {
		return out, err
	}
	out.Told = make([]mat.Real, len(out.Kept))
	solve.NewForm(s.local).Start(out.Told, out.Kept)
	return out, nil
}

// pi returns π of rows of features, or the features.
func (s *separable) pi(x dataset.Matrix) (pi []mat.Real, err error) {
	if s.trained {
		m, err := mat.Load(x.Rows, x.Cols, x.Values)
		if err != nil {
			return nil, err
		}
		return ad.Eval(s.Stack.Levels[0].Pi.Forward(input.Evaluation(), input.Dense(m))).Slice(), nil
	}
	for r := range x.Rows {
		pi = append(pi, x.Values[r*x.Cols:(r+1)*x.Cols]...)
		if s.ones {
			pi = append(pi, 1)
		}
	}
	return pi, nil
}

// onPart returns the step of a part, with what its rows and its halo are scaled by.
func (s *separable) onPart(p *parts.Part) (next, int, error) {
	one, err := s.stepper()
	if err != nil {
		return nil, 0, err
	}
	defer s.steppers.Put(one)
	var scale []mat.Real // nil if all are 1
	if one.Scaled() {
		for _, d := range p.Degrees {
			scale = append(scale, mat.Real(one.Scale(float64(d))))
		}
	}
	return func(done int, heard, pi []mat.Real) (Rows, error) {
		x, err := s.stepper()
		if err != nil {
			return Rows{}, err
		}
		defer s.steppers.Put(x)
		out := Rows{Told: make([]mat.Real, len(pi)), Kept: pi}
		err = x.Step(out.Told, heard, pi, scale, s.width, solve.Block{Ptr: p.Ptr, Idx: p.Idx})
		if done+1 == s.steps {
			out.Kept = squares(out.Told, pi, s.width)
		}
		return out, err
	}, 4 * len(scale), nil
}

// stepper returns a stepper that is not in use.
func (s *separable) stepper() (*solve.Stepper, error) {
	if x, ok := s.steppers.Get().(*solve.Stepper); ok {
		return x, nil
	}
	return solve.NewStepper(s.local)
}

// squares returns ‖h − π‖² of rows.
func squares(h, pi []mat.Real, width int) []mat.Real {
	out := make([]mat.Real, len(h)/width)
	for r := range out {
		sum := 0.0
		for k := r * width; k < (r+1)*width; k++ {
			d := float64(h[k] - pi[k])
			sum += d * d
		}
		out[r] = mat.Real(sum)
	}
	return out
}
