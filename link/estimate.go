package link

import (
	"context"
	"runtime"
	"time"

	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/metric"
	"github.com/bloomgml/bloom/run"
)

// NewEstimate says what Run would need for c on d. An epoch may take hours, so that it is not trained: some batches are timed, and so is
// the ranking of some validation facts; all of them take as much each.
//
// Memory is what the heap has grown by after these batches, measured and not computed. It is what training holds from batch to batch; what a
// block of a bilevel recipe works in is made for the block and let go.
func NewEstimate(ctx context.Context, c config.Config, d *dataset.Dataset, limit time.Duration) (*run.Estimate, error) {
	before := run.HeapInUse()
	warnings, err := Check(c, d)
	if err != nil {
		return nil, err
	}
	if limit <= 0 {
		limit = time.Second
	}
	t, err := newTraining(c, d)
	if err != nil {
		return nil, err
	}
	p := probe{t, limit}
	steps, err := p.steps(ctx)
	if err != nil {
		return nil, err
	}
	look, err := p.look(ctx)
	if err != nil {
		return nil, err
	}
	e := &run.Estimate{Weights: t.now().weights(), Epochs: c.Train.Epochs, Runs: max(1, c.Train.Repeat), Warnings: warnings}
	e.Memory = []run.Memory{{Bytes: max(0, run.HeapInUse()-before)}}
	runtime.KeepAlive(t)
	later := metric.Mean(steps[1:])
	e.Epoch = later * float64(t.Batches())
	if n := t.renewed(); n > 0 {
		e.Epoch += max(0, steps[0]-later) / float64(n)
	}
	if n := t.every(); n > 0 {
		e.Epoch += look / float64(n)
	}
	return e, nil
}

// probe times parts of a training.
type probe struct {
	training
	limit time.Duration // for steps, and for looks
}

// steps are the seconds of some steps: at least three, of which the first may have to prepare something.
func (p probe) steps(ctx context.Context) (list []float64, err error) {
	for begin := time.Now(); len(list) < 3 || len(list) < 100 && time.Since(begin) < p.limit; {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		at := time.Now()
		if _, err := p.Step(); err != nil {
			return nil, err
		}
		list = append(list, time.Since(at).Seconds())
	}
	return list, nil
}

// look is the seconds that a ranking of all validation facts takes: the line through what few and what more of them take.
func (p probe) look(ctx context.Context) (float64, error) {
	var facts, seconds []float64
	of := 0
	for begin, k := time.Now(), 1; len(facts) < 2 || time.Since(begin) < p.limit; {
		at := time.Now()
		ranked, all, err := p.Glance(ctx, k)
		if err != nil || all == 0 {
			return 0, err
		}
		of, k, facts, seconds = all, 4*ranked, append(facts, float64(ranked)), append(seconds, time.Since(at).Seconds())
		if ranked == all {
			break
		}
	}
	last := len(facts) - 1
	if int(facts[last]) == of {
		return seconds[last], nil
	}
	from := min(1, last-1) // the first glance may have to prepare something
	slope := max(0, seconds[last]-seconds[from]) / (facts[last] - facts[from])
	return seconds[last] + slope*(float64(of)-facts[last]), nil
}
