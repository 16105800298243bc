package run

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"unsafe"

	"github.com/bloomgml/bloom/adjoint"
	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/mat"
)

// The widths and the numbers of steps that Foresee builds, the smallest first; more steps than maxTried are not tried
// out, as that would take too long; and how many numbers training keeps of a weight: itself, its gradient, two moments
// and the best so far.
var (
	foreseenWidths = [3]int{64, 128, 256}
	foreseenSteps  = [2]int{32, 64}
)

const (
	maxTried     = 512
	keptOfWeight = 5
)

// Foresee is the estimate of a job that is wider or has more steps than those that can be built without a thought, and
// does not fit into the memory that is free or has too many steps to try it out; nil for any other. Nothing of its size
// is allocated.
//
// Overview: the number w(d) of weights is a polynomial of degree 2 in the width d (model.hidden), known from three
// narrower jobs. What training holds is 5·w(d) numbers and a line in d, the line known from two of them. For a given
// width that is a line in the number L of steps (energy.steps), known from two shorter descents, and at most that line
// with a checkpointed adjoint.
func Foresee(c config.Config, build func(config.Config) (Job, error)) (*Estimate, error) {
	steps := stepsOf(c)
	if c.Model.Hidden <= foreseenWidths[2] && steps <= foreseenSteps[1] {
		return nil, nil
	}
	f := &forecast{Estimate: Estimate{Runs: max(1, c.Train.Repeat), Foreseen: true}, build: build}
	rest, err := f.long(c)
	var bad *BadSetting
	if errors.As(err, &bad) {
		return nil, nil // such a width has a rule of its own
	}
	if err != nil {
		return nil, err
	}
	bytes := rest + keptOfWeight*float64(f.Weights)*float64(unsafe.Sizeof(mat.Real(0)))
	f.Memory = []Memory{{Bytes: int(bytes)}}
	free := freeMemory()
	switch {
	case free > 0 && bytes >= 0.75*float64(free):
		f.Warnings = []string{fmt.Sprintf("training would take %.1f GB and %.1f GB are free: it was concluded from "+
			"smaller models, and nothing was timed", bytes/1e9, float64(free)/1e9)}
	case steps > maxTried:
		f.Warnings = []string{fmt.Sprintf("%d steps are too many to try out: it was concluded from fewer, and nothing "+
			"was timed", steps)}
	default:
		return nil, nil
	}
	return &f.Estimate, nil
}

// forecast is an estimate on its way.
type forecast struct {
	Estimate
	build func(config.Config) (Job, error)
}

// stepsOf is the number of steps of the descent, 0 where there is none.
func stepsOf(c config.Config) int {
	if c.Energy == nil {
		return 0
	}
	return c.Energy.L
}

// long are the bytes besides those of weights, concluded from fewer steps where there are many.
func (f *forecast) long(c config.Config) (rest float64, err error) {
	steps := stepsOf(c)
	if steps <= foreseenSteps[1] {
		return f.wide(c)
	}
	var y [2]float64
	for i, few := range foreseenSteps {
		short := *c.Energy
		short.L, c.Energy = few, &short
		if y[i], err = f.wide(c); err != nil {
			return 0, err
		}
	}
	slope := max(0, y[1]-y[0]) / float64(foreseenSteps[1]-foreseenSteps[0])
	return y[1] + slope*float64(steps-foreseenSteps[1]), nil
}

// wide are the bytes besides those of weights, which it counts, concluded from narrower jobs where c is wide.
func (f *forecast) wide(c config.Config) (rest float64, err error) {
	if c.Model.Hidden <= foreseenWidths[2] {
		f.Weights, rest, err = f.small(c)
		return rest, err
	}
	d := float64(c.Model.Hidden)
	var weights, more [3]float64 // of the widths; bytes that are no weights
	for i, width := range foreseenWidths {
		c.Model.Hidden = width
		w, bytes, err := f.small(c)
		if err != nil {
			return 0, err
		}
		weights[i], more[i] = float64(w), bytes
	}
	f.Weights = int(parabola(weights, d) + 0.5)
	slope := max(0, more[2]-more[1]) / float64(foreseenWidths[2]-foreseenWidths[1])
	return more[2] + slope*(d-float64(foreseenWidths[2])), nil
}

// small are the weights of a job, and the bytes besides those of weights that its first batch and its first evaluation
// leave in memory. An implicit adjoint that wants more steps has allocated all the same.
func (f *forecast) small(c config.Config) (weights int, rest float64, err error) {
	before := HeapInUse()
	job, err := f.build(c)
	if err != nil {
		return 0, 0, err
	}
	l, err := NewLoop(c.Train, job)
	if err != nil {
		return 0, 0, err
	}
	f.Epochs = l.Epochs()
	var far *adjoint.NotConverged
	if err := l.once(); err != nil && !errors.As(err, &far) {
		return 0, 0, err
	}
	for _, w := range job.Params() {
		weights += w.Shape().Len()
	}
	bytes := HeapInUse() - before
	runtime.KeepAlive(l)
	return weights, float64(bytes) - keptOfWeight*float64(weights)*float64(unsafe.Sizeof(mat.Real(0))), nil
}

// once trains on a batch, where there is something to train, and evaluates, some facts of a Sampled job.
func (l *Loop) once() error {
	if l.Epochs() > 0 {
		if err := l.Step(); err != nil {
			return err
		}
	}
	if s, ok := l.job.(Sampled); ok {
		_, _, err := s.Glance(context.Background(), 1)
		return err
	}
	_, err := l.Evaluate(context.Background())
	return err
}

// parabola is the polynomial of degree 2 through the values y at foreseenWidths, at x.
func parabola(y [3]float64, x float64) float64 {
	sum := 0.0
	for i := range y {
		term := y[i]
		for j := range y {
			if j != i {
				a, b := float64(foreseenWidths[i]), float64(foreseenWidths[j])
				term *= (x - b) / (a - b)
			}
		}
		sum += term
	}
	return sum
}
