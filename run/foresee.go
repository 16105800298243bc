package run

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"unsafe"

	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/mat"
)

// The widths that Foresee builds, the narrowest first, and how many numbers training keeps of a weight: itself, its
// gradient, two moments and the best so far.
var foreseenWidths = [3]int{64, 128, 256}

const keptOfWeight = 5

// Foresee is the estimate of a job that is wider than those that can be built without a thought and does not fit into
// the memory that is free, and nil for any other. Nothing of its size is allocated.
//
// Overview: the number w(d) of weights is a polynomial of degree 2 in the width d (model.hidden), known from three
// narrower jobs. What training holds is 5·w(d) numbers and a line in d, the line known from two of them.
func Foresee(c config.Config, build func(config.Config) (Job, error)) (*Estimate, error) {
	if c.Model.Hidden <= foreseenWidths[2] {
		return nil, nil
	}
	e := &Estimate{Runs: max(1, c.Train.Repeat), Foreseen: true}
	var weights, rest [3]float64 // of the widths; bytes that are no weights
	for i, width := range foreseenWidths {
		c := c
		c.Model.Hidden = width
		w, bytes, err := e.narrow(c, build)
		var bad *BadSetting
		if errors.As(err, &bad) {
			return nil, nil // such a width has a rule of its own
		}
		if err != nil {
			return nil, err
		}
		weights[i], rest[i] = float64(w), float64(bytes)-keptOfWeight*float64(w)*float64(unsafe.Sizeof(mat.Real(0)))
	}
	d := float64(c.Model.Hidden)
	e.Weights = int(parabola(weights, d) + 0.5)
	slope := max(0, rest[2]-rest[1]) / float64(foreseenWidths[2]-foreseenWidths[1])
	bytes := rest[2] + slope*(d-float64(foreseenWidths[2])) +
		keptOfWeight*float64(e.Weights)*float64(unsafe.Sizeof(mat.Real(0)))
	e.Memory = []Memory{{Bytes: int(bytes)}}
	free := freeMemory()
	if free == 0 || bytes < 0.75*float64(free) {
		return nil, nil
	}
	e.Warnings = []string{fmt.Sprintf("training would take %.1f GB and %.1f GB are free: it was concluded from "+
		"narrower models, and nothing was timed", bytes/1e9, float64(free)/1e9)}
	return e, nil
}

// narrow are the weights of a job, and the bytes that its first batch and its first evaluation leave in memory.
func (e *Estimate) narrow(c config.Config, build func(config.Config) (Job, error)) (weights, bytes int, err error) {
	before := HeapInUse()
	job, err := build(c)
	if err != nil {
		return 0, 0, err
	}
	l, err := NewLoop(c.Train, job)
	if err != nil {
		return 0, 0, err
	}
	if e.Epochs = l.Epochs(); e.Epochs > 0 {
		if err := l.Step(); err != nil {
			return 0, 0, err
		}
	}
	if s, ok := job.(Sampled); ok {
		_, _, err = s.Glance(context.Background(), 1)
	} else {
		_, err = l.Evaluate(context.Background())
	}
	for _, w := range job.Params() {
		weights += w.Shape().Len()
	}
	bytes = HeapInUse() - before
	runtime.KeepAlive(l)
	return weights, bytes, err
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
