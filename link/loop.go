package link

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/run"
)

// loop takes a training through its epochs, and tells folder and listener about them.
type loop struct {
	training
	config  config.Config
	folder  *run.Folder // of this run; nil for none
	options Options
	event   run.Event
	history []run.Record
	begin   time.Time // earlier, where a run goes on, by what it had taken
}

// enter opens the logs and, where the run goes on, its checkpoint.
func (l *loop) enter() error {
	if l.options.Resume {
		spent := 0.0
		found, err := l.folder.Resume(l.checkpoint(&spent))
		if err != nil {
			return err
		}
		if found {
			l.resume()
			l.begin = l.begin.Add(-time.Duration(spent * float64(time.Second)))
		}
		if n := len(l.history); n > 0 {
			l.event.Record = l.history[n-1]
		}
	}
	return l.folder.Begin("mrr", l.history)
}

// checkpoint is all that changes.
func (l *loop) checkpoint(seconds *float64) run.Checkpoint {
	s := l.State()
	s["seconds"] = seconds
	return run.Checkpoint{Of: map[string]string{"recipe": l.config.Recipe, "seed": fmt.Sprint(l.config.Train.Seed)}, State: s, History: &l.history, Best: &l.event.Best}
}

// save writes a checkpoint.
func (l *loop) save() error {
	seconds := time.Since(l.begin).Seconds()
	return l.folder.Checkpoint(l.checkpoint(&seconds))
}

// train goes through the epochs that are left. It ends with a checkpoint, also where it is interrupted; where a number is not finite
// the one before stays, as weights that led there are of no use.
func (l *loop) train(ctx context.Context) error {
	every := l.config.Train.Checkpoint
	for !l.Done() {
		r, err := l.epoch(ctx)
		if err != nil && err == ctx.Err() {
			return errors.Join(l.save(), &run.Interrupted{Dir: l.options.Dir, Run: l.event.Run, Epoch: l.event.Epoch, Err: err})
		}
		if err != nil {
			return err
		}
		if err := l.note(r); err != nil {
			return err
		}
		if every > 0 && r.Epoch%every == 0 {
			if err := l.save(); err != nil {
				return err
			}
		}
	}
	return l.save()
}

// note takes an epoch down.
func (l *loop) note(r run.Record) error {
	if math.IsNaN(r.Loss) || math.IsInf(r.Loss, 0) {
		return &NotFinite{r.Epoch}
	}
	e := &l.event
	if e.Epoch == 0 || r.Valid > e.Best.Valid || math.IsNaN(e.Best.Valid) {
		e.Best = r
	}
	e.Record, e.Elapsed = r, time.Since(l.begin)
	l.history = append(l.history, r)
	if err := l.folder.Log(r, "mrr"); err != nil {
		return err
	}
	if l.options.Progress != nil {
		l.options.Progress(*e)
	}
	return nil
}

// NotFinite is the error for a loss that is no number any more.
type NotFinite struct{ Epoch int }

// Error says what to try.
func (e *NotFinite) Error() string {
	return fmt.Sprintf("epoch %d: the loss is not finite; try a smaller train.rate, or a smaller link.step of refactor", e.Epoch)
}
