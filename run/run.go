package run

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/bloomgml/bloom/config"
)

// Options say what happens around a training run. The zero value trains and keeps nothing.
type Options struct {
	Progress func(Event) // called after every epoch; nil for nobody
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

// Build makes the job of a trial, its parameters drawn and not trained.
type Build func(Trial) (Job, error)

// outcome is what is kept of one run.
type outcome struct {
	job         Job
	best        Record
	valid, test float64
	epochs      int
	seconds     float64
}

// Run trains a job for every trial, as c says. The error is a *BadSetting, a *BadData, a *NotFinite, a *NotWritten, or an
// *Interrupted where ctx ended; where there is a folder it then holds a checkpoint to resume from.
func Run(ctx context.Context, c config.Config, trials []Trial, build Build, o Options) (*Result, error) {
	if o.disk == nil {
		o.disk = &realDisk
	}
	if err := o.prepare(c); err != nil {
		return nil, err
	}
	var best *outcome
	var all []outcome
	chosen := 0
	for i, trial := range trials {
		s := &session{Options: o, ctx: ctx, config: c, trial: trial, event: Event{Run: i, Runs: len(trials)}, begin: time.Now()}
		out, err := s.run(build)
		if err != nil {
			return nil, err
		}
		if best == nil || out.valid > best.valid {
			best, chosen = out, i
		}
		all = append(all, *out)
		all[i].job = nil // the models of other runs need not stay
	}
	r := summary(c, all, best)
	r.Run = o.Dir
	return r, o.finish(r, chosen)
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

// session is one run of a repeat.
type session struct {
	Options
	ctx    context.Context
	config config.Config
	trial  Trial
	event  Event
	begin  time.Time // earlier, where a run goes on, by what it had taken

	loop   *Loop
	folder *folder // nil for none
}

// run builds, trains and keeps.
func (s *session) run(build Build) (*outcome, error) {
	job, err := build(s.trial)
	if err != nil {
		return nil, err
	}
	if s.loop, err = NewLoop(s.config.Train, job); err != nil {
		return nil, err
	}
	s.event.Epochs = s.loop.Epochs()
	if err := s.enter(); err != nil {
		return nil, err
	}
	if err = errors.Join(s.train(), s.folder.Close()); err != nil {
		return nil, s.rescue(first(err))
	}
	s.loop.best.Restore()
	out := &outcome{job: job, best: s.loop.Best, epochs: s.loop.epoch}
	if out.valid, out.test, err = job.Finish(s.ctx, out.best); err != nil {
		return nil, s.interrupted(err)
	}
	if err := s.keepModel(); err != nil {
		return nil, err
	}
	err = s.folder.Replace("predictions.csv", job.WritePredictions)
	out.seconds = time.Since(s.begin).Seconds()
	return out, err
}

// enter opens the folder of the run and takes its checkpoint up, if it is to be resumed and there is one.
func (s *session) enter() (err error) {
	if s.Dir == "" {
		return nil
	}
	if s.folder, err = openFolder(s.subfolder(s.event.Run, s.event.Runs), *s.disk); err != nil {
		return err
	}
	if s.Resume {
		spent := 0.0
		if _, err := s.folder.Resume(s.checkpoint(&spent)); err != nil {
			return err
		}
		s.begin = s.begin.Add(-time.Duration(spent * float64(time.Second)))
	}
	return s.folder.Begin(s.loop.job.Metric(), s.loop.history)
}

func (s *session) checkpoint(seconds *float64) checkpoint {
	return s.loop.checkpoint(s.trial.of(s.config.Recipe), seconds)
}

// save writes a checkpoint.
func (s *session) save() error {
	seconds := time.Since(s.begin).Seconds()
	return s.folder.Checkpoint(s.checkpoint(&seconds))
}

// train goes through the batches that are left. It ends with a checkpoint, also where it is interrupted; where a number is not finite
// the one before stays, as weights that led there are of no use.
func (s *session) train() error {
	for l := s.loop; ; {
		if l.logged < l.epoch {
			if err := s.epoch(); err != nil {
				return err
			}
		}
		if l.Done() {
			break
		}
		if err := s.ctx.Err(); err != nil {
			return errors.Join(s.save(), s.interrupted(err))
		}
		if err := l.Step(); err != nil {
			return err
		}
	}
	if len(s.loop.history) == 0 {
		if err := s.evaluate(); err != nil {
			return err
		}
	}
	return s.save()
}

// epoch is what happens at the end of one: it is evaluated where that is due, and logged.
func (s *session) epoch() error {
	l := s.loop
	log := s.evaluate
	if !l.due() {
		log = func() error { return s.log(l.record(unmeasured())) }
	}
	if err := log(); err != nil {
		return err
	}
	l.logged = l.epoch
	if every := s.config.Train.Checkpoint; every > 0 && l.epoch%every == 0 {
		return s.save()
	}
	return nil
}

// evaluate evaluates and logs. An epoch whose evaluation is interrupted is evaluated when the run goes on.
func (s *session) evaluate() error {
	r, err := s.loop.Evaluate(s.ctx)
	if err != nil && s.ctx.Err() != nil {
		return errors.Join(s.save(), s.interrupted(err))
	}
	if err != nil {
		return err
	}
	return s.log(r)
}

// log tells folder and listener about an epoch.
func (s *session) log(r Record) error {
	s.loop.history = append(s.loop.history, r)
	if s.Progress != nil {
		if s.event.Record, s.event.Best, s.event.Elapsed = r, s.loop.Best, time.Since(s.begin); s.loop.best.Empty() {
			s.event.Best = Record{Scores: unmeasured()}
		}
		s.Progress(s.event)
	}
	return s.folder.Log(r, s.loop.job.Metric())
}

// interrupted is err as an *Interrupted where the context has ended.
func (s *session) interrupted(err error) error {
	if s.ctx.Err() == nil {
		return err
	}
	return &Interrupted{Dir: s.Dir, Run: s.event.Run, Epoch: s.loop.epoch, Err: s.ctx.Err()}
}

// rescue leaves the model of the best epoch so far in the folder of a run that cannot go on because of err, a *NotFinite, and
// completes that.
func (s *session) rescue(err error) error {
	var bad *NotFinite
	if !errors.As(err, &bad) {
		return err
	}
	if a, ok := s.loop.job.(Advising); ok {
		bad.Advice = a.Advice()
	}
	if s.folder == nil || s.loop.best.Empty() {
		return err
	}
	s.loop.best.Restore()
	if s.keepModel() == nil {
		bad.Kept, bad.Best = s.folder.dir, s.loop.Best.Epoch
	}
	return err
}

// keepModel writes the weights of the best epoch, which the job has.
func (s *session) keepModel() error {
	return s.folder.Replace("model.safetensors", func(w io.Writer) error { return s.loop.job.Write(w, s.loop.Best.Epoch) })
}

// finish writes what is about all runs, and copies the files of the best run to the top.
func (o Options) finish(r *Result, best int) error {
	if o.Dir == "" {
		return nil
	}
	f := &folder{dir: o.Dir, disk: *o.disk, saved: r.Epochs}
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
