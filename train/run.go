package train

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/dataset"
)

// Options say what happens around a training run. The zero value trains and keeps nothing.
type Options struct {
	Progress func(Event) // called after every evaluation; nil for nobody
	Energies bool        // take ℓ_low at the start and the end of the descent with every evaluation
	Dir      string      // the run folder; empty for none
	Resume   bool        // go on where the run in Dir stopped

	disk *disk // nil means that of the machine
}

// Event is how far training has come.
type Event struct {
	Run, Runs int // this one, from 0, of how many
	Epochs    int // the last epoch, unless it stops early
	Record
	Best    Record // the best so far
	Elapsed time.Duration
}

// outcome is what is kept of one run.
type outcome struct {
	task    *Task
	best    Record
	epochs  int
	seconds float64
}

// Run trains the network that c describes on d, as often as c says. The error is a *BadSetting, a *BadData, a *NotFinite, a
// *NotWritten, or an *Interrupted where ctx ended; where there is a folder it then holds a checkpoint to resume from.
func Run(ctx context.Context, c config.Config, d *dataset.Dataset, o Options) (*Result, error) {
	c, err := filled(c)
	if err != nil {
		return nil, err
	}
	if o.disk == nil {
		o.disk = &realDisk
	}
	if err := o.prepare(c); err != nil {
		return nil, err
	}
	trials := Trials(c, d)
	var best *outcome
	var all []outcome
	for i, trial := range trials {
		out, err := one(ctx, c, d, o, trial, Event{Run: i, Runs: len(trials)})
		if err != nil {
			return nil, err
		}
		all = append(all, *out)
		if best == nil || out.best.Valid > best.best.Valid {
			best = out
		}
		all[i].task = nil // the networks of other runs need not stay
	}
	r := summary(c, d, all, best)
	r.Run = o.Dir
	return r, o.finish(r, slices.IndexFunc(all, func(x outcome) bool { return x.best.Valid == best.best.Valid || math.IsNaN(x.best.Valid) }))
}

// prepare makes the run folder and writes the config.
func (o Options) prepare(c config.Config) error {
	if o.Dir == "" {
		return nil
	}
	for _, name := range []string{"config.yaml", "metrics.jsonl", "checkpoint", "run-00"} {
		if _, err := os.Stat(filepath.Join(o.Dir, name)); err == nil && !o.Resume {
			return fmt.Errorf("%s holds a run already: continue it with --resume, or choose another folder", o.Dir)
		}
	}
	f, err := openFolder(o.Dir, *o.disk)
	if err != nil {
		return err
	}
	return f.Replace("config.yaml", func(w io.Writer) error { _, err := w.Write(c.YAML()); return err })
}

// subfolder is where a run of several has its files.
func (o Options) subfolder(run, runs int) string {
	if runs == 1 {
		return o.Dir
	}
	return filepath.Join(o.Dir, fmt.Sprintf("run-%02d", run))
}

// one is one run.
func one(ctx context.Context, c config.Config, d *dataset.Dataset, o Options, trial Trial, e Event) (*outcome, error) {
	begin := time.Now()
	task, err := Build(c, d, trial)
	if err != nil {
		return nil, err
	}
	l, err := newLoop(task, o.Energies)
	if err != nil {
		return nil, err
	}
	var f *Folder
	if o.Dir != "" {
		spent := 0.0
		if f, spent, err = o.enter(l, o.subfolder(e.Run, e.Runs)); err != nil {
			return nil, err
		}
		begin = begin.Add(-time.Duration(spent * float64(time.Second)))
	}
	e.Epochs = l.epochs()
	err = l.train(ctx, f, o, e, begin)
	if err = errors.Join(err, f.Close()); err != nil {
		return nil, l.rescue(f, first(err))
	}
	l.restore()
	if err := f.results(l); err != nil {
		return nil, err
	}
	return &outcome{task, l.best, l.epoch, time.Since(begin).Seconds()}, nil
}

// enter opens the folder of a run and takes its checkpoint up, if it is to be resumed and there is one.
func (o Options) enter(l *loop, dir string) (f *Folder, spent float64, err error) {
	if f, err = openFolder(dir, *o.disk); err != nil {
		return nil, 0, err
	}
	if o.Resume {
		if _, err := f.Resume(l.checkpoint(&spent)); err != nil {
			return nil, 0, err
		}
	}
	return f, spent, f.Begin(l.task.Metric, l.history)
}

// train goes through the epochs that are left. It ends with a checkpoint, also where it is interrupted; where a number is not finite
// the one before stays, as weights that led there are of no use.
func (l *loop) train(ctx context.Context, f *Folder, o Options, e Event, begin time.Time) error {
	every := l.task.Config.Train.Checkpoint
	save := func() error {
		seconds := time.Since(begin).Seconds()
		return f.Checkpoint(l.checkpoint(&seconds))
	}
	for !l.done() {
		if err := ctx.Err(); err != nil {
			return errors.Join(save(), &Interrupted{o.Dir, e.Run, l.epoch, err})
		}
		if err := l.step(); err != nil {
			return err
		}
		if l.due() {
			if err := l.report(f, o, e, begin); err != nil {
				return err
			}
		}
		if every > 0 && l.epoch%every == 0 {
			if err := save(); err != nil {
				return err
			}
		}
	}
	if len(l.history) == 0 {
		if err := l.report(f, o, e, begin); err != nil {
			return err
		}
	}
	return save()
}

// rescue leaves the model of the best epoch so far in the folder of a run that cannot go on because of err, a *NotFinite.
func (l *loop) rescue(f *Folder, err error) error {
	var bad *NotFinite
	if !errors.As(err, &bad) || f == nil || len(l.history) == 0 {
		return err
	}
	l.restore()
	if f.model(l) == nil {
		bad.Kept, bad.Best = f.dir, l.best.Epoch
	}
	return err
}

// report evaluates, and tells folder and listener.
func (l *loop) report(f *Folder, o Options, e Event, begin time.Time) error {
	r, err := l.evaluate()
	if err != nil {
		return err
	}
	if o.Progress != nil {
		e.Record, e.Best, e.Elapsed = r, l.best, time.Since(begin)
		o.Progress(e)
	}
	return f.Log(r, l.task.Metric)
}

// summary is the Result of all runs.
func summary(c config.Config, d *dataset.Dataset, all []outcome, best *outcome) *Result {
	r := &Result{Data: d.Name, Recipe: c.Recipe, Metric: best.task.Metric, Task: best.task, Warnings: best.task.Warnings}
	var test, valid []float64
	for _, x := range all {
		test, valid = append(test, x.best.Test), append(valid, x.best.Valid)
		r.Epochs, r.Seconds, r.Best = max(r.Epochs, x.epochs), r.Seconds+x.seconds, append(r.Best, x.best.Epoch)
	}
	r.Test, r.Valid = scoreOf(test), scoreOf(valid)
	for _, p := range best.task.Network.Params() {
		r.Weights += p.Shape().Len()
	}
	return r
}

// results writes what a run leaves behind.
func (f *Folder) results(l *loop) error {
	if f == nil {
		return nil
	}
	if err := f.model(l); err != nil {
		return err
	}
	p, err := l.task.Predict()
	if err != nil {
		return err
	}
	return f.Replace("predictions.csv", p.WriteCSV)
}

// model writes the weights of the best epoch, which the network has.
func (f *Folder) model(l *loop) error {
	return f.Replace("model.safetensors", func(w io.Writer) error { return saveModel(w, l.task, l.best.Epoch) })
}

// finish writes what is about all runs, and copies the best run's files to the top.
func (o Options) finish(r *Result, best int) error {
	if o.Dir == "" {
		return nil
	}
	f := &Folder{dir: o.Dir, disk: *o.disk, saved: r.Epochs}
	if runs := len(r.Best); runs > 1 {
		for _, name := range []string{"model.safetensors", "predictions.csv"} {
			b, err := os.ReadFile(filepath.Join(o.subfolder(best, runs), name))
			if err != nil {
				return err
			}
			if err := f.Replace(name, func(w io.Writer) error { _, err := w.Write(b); return err }); err != nil {
				return err
			}
		}
	}
	if err := f.Replace("README.md", r.card); err != nil {
		return err
	}
	return f.Replace("result.json", func(w io.Writer) error {
		e := json.NewEncoder(w)
		e.SetIndent("", "  ")
		return e.Encode(r)
	})
}
