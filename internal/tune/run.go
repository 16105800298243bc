package tune

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/bloomgml/bloom/internal/host"
	"github.com/bloomgml/bloom/mat"
)

type run struct {
	Study
	mu     sync.Mutex // guards everything below
	file   *os.File   // nil for none
	trials []*Record  // ended and running, by number
	err    error      // why no more trials are started
}

// runTrials runs Jobs trials at a time until none is left, each on a lane of the device.
func (r *run) runTrials(ctx context.Context, lanes mat.Lanes, objective Objective) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	var group host.Group
	for range r.Jobs {
		group.Go(func() {
			broken := true
			defer func() {
				if broken { // a panic: no other trial is started
					stop()
				}
			}()
			for t := r.startTrial(ctx); t != nil; t = r.startTrial(ctx) {
				var value float64
				var err error
				lanes.Do(func() { value, err = objective(ctx, t) })
				if !r.endTrial(ctx, t.record, value, err) {
					stop()
				}
			}
			broken = false
		})
	}
	group.Wait()
}

// startTrial starts the first trial that has not been started; it returns nil if there are no more.
func (r *run) startTrial(ctx context.Context) *Trial {
	r.mu.Lock()
	defer r.mu.Unlock()
	number := 0
	for number < len(r.trials) && r.trials[number].Number == number {
		number++
	}
	if ctx.Err() != nil || r.err != nil || number >= r.Trials {
		return nil
	}
	at := r.Sampler.Sample(Query{r.Space, r.Direction, r.Seed, number, r.trials})
	t := &Record{Number: number, State: Running, Point: at, Value: math.NaN(), Start: time.Now()}
	r.trials = slices.Insert(r.trials, number, t)
	return &Trial{r, t}
}

// report keeps a value on the way and asks the pruner.
func (r *run) report(t *Trial, step int, value float64) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if step < 0 {
		return fmt.Errorf("a report at step %d, want 0 or more", step)
	}
	t.record.report(step, finite(value))
	if r.Pruner != nil && r.Pruner.Prune(r.Direction, r.trials, t.record) {
		return ErrPruned
	}
	return nil
}

// endTrial keeps what came out of a trial and reports whether the study goes on. A trial that was stopped by the end
// of the study is dropped.
func (r *run) endTrial(ctx context.Context, t *Record, value float64, err error) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case errors.Is(err, ErrPruned):
		t.State, t.Value = Pruned, t.last()
	case err != nil && (ctx.Err() != nil || r.err != nil):
		r.trials = slices.DeleteFunc(r.trials, func(x *Record) bool { return x == t })
		return r.err == nil
	case err != nil:
		t.State, t.Error = Failed, err.Error()
	case math.IsNaN(value):
		t.State, t.Error = Failed, "the value is not a number"
	default:
		t.State, t.Value = Complete, finite(value)
	}
	t.End = time.Now()
	if r.err == nil {
		r.err = r.writeTrial(t)
	}
	if r.Progress != nil && r.err == nil {
		r.Progress(*t)
	}
	return r.err == nil
}

// finite returns a number that JSON can hold: infinite ones become the largest. NaN stays.
func finite(v float64) float64 {
	return min(max(v, -math.MaxFloat64), math.MaxFloat64)
}
