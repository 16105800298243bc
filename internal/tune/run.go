package tune

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync"

	"github.com/bloomgml/bloom/internal/host"
	"github.com/bloomgml/bloom/mat"
)

// run is a Study in progress.
type run struct {
	Study
	mu      sync.Mutex // guards everything below
	journal *journal
	trials  []*Record
	err     error // why nothing more is begun
}

// all runs Jobs trials at a time until there are no more, each on a lane of the device.
func (r *run) all(ctx context.Context, lanes mat.Lanes, objective Objective) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	var group host.Group
	for job := range r.Jobs {
		group.Go(func() {
			broken := true
			defer func() {
				if broken { // a panic: no other trial is begun
					stop()
				}
			}()
			for t := r.begin(ctx, job); t != nil; t = r.begin(ctx, job) {
				var value float64
				var err error
				lanes.Do(func() { value, err = objective(ctx, t) })
				if !r.end(ctx, t, value, err) {
					stop()
				}
			}
			broken = false
		})
	}
	group.Wait()
}

// begin makes the next trial; nil where there is none.
func (r *run) begin(ctx context.Context, job int) *Trial {
	r.mu.Lock()
	defer r.mu.Unlock()
	place, known := r.next()
	if ctx.Err() != nil || r.err != nil || place >= r.Trials {
		return nil
	}
	at, ok := r.Sampler.Sample(Query{r.Space, r.Direction, r.Seed, place, known})
	if !ok {
		return nil
	}
	t := &Record{Number: len(r.trials), Place: place, Point: at, Value: math.NaN(), Start: now()}
	w := worker(job)
	lines := []any{
		trialLine{head{opTrial, w}, 0, t.Start.Format(layout)},
		systemLine{head{opSystem, w}, t.Number, map[string]any{placeKey: place}},
	}
	for i, p := range r.Space {
		lines = append(lines, paramLine{head{opParam, w}, t.Number, p.Key, at[i], p.Domain.distribution().String()})
	}
	if r.err = r.journal.append(lines...); r.err != nil {
		return nil
	}
	r.trials = append(r.trials, t)
	return &Trial{r, t, job}
}

// next is the first place that no trial has, and the trials that have places.
func (r *run) next() (place int, known []*Record) {
	taken := map[int]bool{}
	for _, t := range r.trials {
		if !t.Stopped {
			known, taken[t.Place] = append(known, t), true
		}
	}
	for taken[place] {
		place++
	}
	return place, known
}

// report keeps a value on the way and asks the pruner. NaN has no place in JSON and is not written: nothing depends on
// it but the end of its own trial.
func (r *run) report(t *Trial, step int, value float64) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if step < 0 {
		return fmt.Errorf("a report at step %d, want 0 or more", step)
	}
	if value = finite(value); !math.IsNaN(value) && r.err == nil {
		r.err = r.journal.append(reportLine{head{opReport, worker(t.worker)}, t.Number(), step, value})
	}
	if r.err != nil {
		return r.err
	}
	t.record.report(step, value)
	if r.Pruner != nil && r.Pruner.Prune(r.Direction, r.trials, t.record) {
		return Pruned
	}
	return nil
}

// end keeps what came out of a trial and reports whether the study goes on.
func (r *run) end(ctx context.Context, t *Trial, value float64, err error) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	rec := t.record
	switch {
	case errors.Is(err, Pruned):
		rec.State, rec.Value = Cut, rec.last()
	case err != nil && (ctx.Err() != nil || r.err != nil):
		rec.State, rec.Stopped, rec.Error = Failed, true, stopped
	case err != nil:
		rec.State, rec.Error = Failed, err.Error()
	case math.IsNaN(value):
		rec.State, rec.Error = Failed, "the value is not a number"
	default:
		rec.State, rec.Value = Complete, finite(value)
	}
	rec.End = now()
	if r.err == nil {
		r.err = errors.Join(r.journal.append(ending(rec, t.worker)...), r.journal.flush())
	}
	if r.Progress != nil && r.err == nil && !rec.Stopped {
		r.Progress(*rec)
	}
	return r.err == nil
}

// stopped is the error of a trial that the end of the study ended.
const stopped = "the study was stopped"

// ending are the lines that end a trial.
func ending(t *Record, job int) []any {
	w := worker(job)
	var lines []any
	if t.Error != "" {
		lines = append(lines, attrLine{head{opAttr, w}, t.Number, map[string]any{errorKey: t.Error}})
	}
	if t.Stopped {
		lines = append(lines, systemLine{head{opSystem, w}, t.Number, map[string]any{stoppedKey: true}})
	}
	var values []float64
	if !math.IsNaN(t.Value) {
		values = []float64{t.Value}
	}
	return append(lines, stateLine{head{opState, w}, t.Number, t.State, values, t.End.Format(layout)})
}

// result is what there is so far.
func (r *run) result() *Result {
	result := &Result{Space: r.Space, Direction: r.Direction}
	for _, t := range r.trials {
		result.Trials = append(result.Trials, *t)
	}
	return result
}
