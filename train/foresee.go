package train

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"unsafe"

	"github.com/bloomgml/bloom/adjoint"
	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/internal/jobs"
	"github.com/bloomgml/bloom/mat"
)

// The widths and the depths that Foresee builds, the smallest first; what is deeper than maxTried is not tried out, as
// that would take too long; and how many numbers training keeps of a weight: itself, its gradient, two moments and the
// best so far.
var (
	foreseenWidths = [3]int{64, 128, 256}
	foreseenDepths = [2]int{32, 64}
)

const (
	maxTried     = 512
	keptOfWeight = 5
)

// Foresee returns the estimate of a job that is too wide or too deep to simply build, and does not fit into the free
// memory or is too deep to try out; nil for any other job. It allocates nothing of the job's size.
//
// Overview: the number w(d) of weights is a polynomial of degree 2 in the width d (model.hidden), known from three
// narrower jobs. Training holds 5·w(d) numbers plus a linear function of d, known from two of them. For a given width
// both are linear in the depth, the number of steps or of layers (energy.steps, model.layers), known from two flatter
// jobs; with a checkpointed adjoint that line is an upper bound.
func Foresee(c config.Config, build func(config.Config) (Job, error)) (*Estimate, error) {
	deep := *depth(&c)
	if c.Model.Hidden <= foreseenWidths[2] && deep <= foreseenDepths[1] {
		return nil, nil
	}
	f := &forecast{Estimate: Estimate{Runs: max(1, c.Train.Repeat), Foreseen: true}, build: build}
	size, err := f.size(c)
	var bad *BadSetting
	if errors.As(err, &bad) {
		return nil, nil // such a width has a rule of its own
	}
	if err != nil {
		return nil, err
	}
	f.Weights = int(size.weights + 0.5)
	bytes := size.rest + size.weights*weightBytes
	f.Memory = []Memory{{Bytes: int(bytes)}}
	free := jobs.Free()
	switch {
	case free > 0 && bytes >= 0.75*float64(free):
		f.Warnings = []string{fmt.Sprintf("training would take %.1f GB and %.1f GB are free: the figures are "+
			"extrapolated from smaller models, and nothing was timed", bytes/1e9, float64(free)/1e9)}
	case deep > maxTried:
		f.Warnings = []string{fmt.Sprintf("%d steps or layers are too many to try: the figures are extrapolated from "+
			"fewer, and nothing was timed", deep)}
	default:
		return nil, nil
	}
	return &f.Estimate, nil
}

// weightBytes is how many bytes training holds per weight.
const weightBytes = keptOfWeight * float64(unsafe.Sizeof(mat.Real(0)))

// forecast is an estimate on its way.
type forecast struct {
	Estimate
	build func(config.Config) (Job, error)
}

// jobSize holds the number of weights of a job, and the bytes that training holds besides them.
type jobSize struct{ weights, rest float64 }

// depth points to the number of steps of the descent of c, after giving c its own copy of the energy, or to the
// number of layers without an energy.
func depth(c *config.Config) *int {
	if c.Energy == nil {
		return &c.Model.Layers
	}
	energy := *c.Energy
	c.Energy = &energy
	return &energy.L
}

// size returns the size of a job, extrapolated from flatter and narrower ones if it is deep or wide.
func (f *forecast) size(c config.Config) (jobSize, error) {
	at := depth(&c)
	deep, wide := *at, c.Model.Hidden
	depths, widths := tried(foreseenDepths[:], deep), tried(foreseenWidths[:], wide)
	var weights, rest []float64 // by depth
	for _, *at = range depths {
		var w, r []float64 // by width
		for _, c.Model.Hidden = range widths {
			size, err := f.small(c)
			if err != nil {
				return jobSize{}, err
			}
			w, r = append(w, size.weights), append(r, size.rest)
		}
		weights, rest = append(weights, polynomial(widths, w, wide)), append(rest, growing(widths, r, wide))
	}
	return jobSize{growing(depths, weights, deep), growing(depths, rest, deep)}, nil
}

// tried returns the sizes to build instead of n, or n itself if it is small.
func tried(sizes []int, n int) []int {
	if n <= slices.Max(sizes) {
		return []int{n}
	}
	return sizes
}

// growing returns the value at n of the line through the last two points; the line does not fall.
func growing(x []int, y []float64, n int) float64 {
	last := len(x) - 1
	if last == 0 {
		return y[0]
	}
	return y[last] + max(0, y[last]-y[last-1])/float64(x[last]-x[last-1])*float64(n-x[last])
}

// polynomial returns the value at n of the polynomial through all points.
func polynomial(x []int, y []float64, n int) float64 {
	sum := 0.0
	for i, term := range y {
		for j := range x {
			if j != i {
				term *= float64(n-x[j]) / float64(x[i]-x[j])
			}
		}
		sum += term
	}
	return sum
}

// small returns the size of a job after its first batch and its first evaluation. An implicit adjoint that wants more
// steps has allocated all the same.
func (f *forecast) small(c config.Config) (jobSize, error) {
	before := jobs.InUse()
	job, err := f.build(c)
	if err != nil {
		return jobSize{}, err
	}
	l, err := NewLoop(c.Train, job)
	if err != nil {
		return jobSize{}, err
	}
	f.Epochs = l.Epochs()
	var far *adjoint.NotConverged
	if err := l.once(); err != nil && !errors.As(err, &far) {
		return jobSize{}, err
	}
	weights := 0
	for _, w := range job.Params() {
		weights += w.Shape().Len()
	}
	bytes := jobs.InUse() - before
	runtime.KeepAlive(l)
	return jobSize{float64(weights), float64(bytes) - float64(weights)*weightBytes}, nil
}

// once trains on a batch, if there is something to train, and evaluates, for a Sampled job only some facts.
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
