package train

import (
	"context"
	"errors"
	"io"
	"time"

	"github.com/bloomgml/bloom/config"
)

// outcome is what is kept of one run.
type outcome struct {
	job         Job
	best        Record
	valid, test float64
	epochs      int
	seconds     float64
	ended       error // why training was over before its time
	measures    []Measure
}

// session is one run of a repeat.
type session struct {
	Options
	ctx     context.Context
	config  config.Config
	trial   Trial
	event   Event
	started time.Time // earlier, where a run goes on, by what it had taken
	pace    pace

	loop   *Loop
	of     map[string]string // what its checkpoints are of
	folder *folder           // nil for none
}

func (s *session) run(build func(Trial) (Job, error)) (*outcome, error) {
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
	s.loop.best.restore()
	if err := s.loop.finiteWeights(s.loop.Best.Epoch); err != nil {
		return nil, s.advised(err)
	}
	out := &outcome{job: job, best: s.loop.Best, epochs: s.loop.epoch, ended: s.loop.ended}
	if out.valid, out.test, err = job.Finish(s.ctx, out.best); err != nil {
		return nil, s.interrupted(err)
	}
	if m, ok := job.(Measuring); ok {
		out.measures = m.Measures()
	}
	if err := s.keepModel(); err != nil {
		return nil, err
	}
	err = s.folder.Replace("predictions.csv", job.WritePredictions)
	if err == nil && s.event.Runs > 1 {
		err = s.folder.Seal()
	}
	out.seconds = time.Since(s.started).Seconds()
	return out, err
}

// first returns the first of errors that were joined: the others follow from it.
func first(err error) error {
	for {
		j, ok := err.(interface{ Unwrap() []error })
		if !ok || len(j.Unwrap()) == 0 {
			return err
		}
		err = j.Unwrap()[0]
	}
}

// enter opens the folder of the run and reads its checkpoint, if it is to be resumed and there is one.
func (s *session) enter() (err error) {
	s.pace.last = s.pace.now()
	if s.Dir == "" {
		return nil
	}
	if s.folder, err = s.openFolder(s.subfolder(s.event.Run, s.event.Runs)); err != nil {
		return err
	}
	s.of = s.trial.identity(s.config)
	if s.Resume {
		spent := 0.0
		if err := s.folder.Resume(s.loop.checkpoint(s.of, &spent), s.Notice); err != nil {
			return err
		}
		s.loop.best.kept = s.loop.Best.Epoch > 0
		if s.loop.config.Epochs > s.loop.planned {
			s.loop.improved = s.loop.epoch
		}
		s.loop.planned = s.loop.config.Epochs
		s.started = s.started.Add(-time.Duration(spent * float64(time.Second)))
	}
	return s.folder.OpenLogs(s.loop.job.Metric(), s.loop.history)
}

// save writes a checkpoint.
func (s *session) save() error {
	return s.pace.measure(func() error {
		if err := s.loop.finiteWeights(s.loop.epoch); err != nil {
			return err
		}
		seconds := time.Since(s.started).Seconds()
		return s.folder.Checkpoint(s.loop.checkpoint(s.of, &seconds))
	})
}

// train goes through the remaining batches, and saves when it is time. It ends with a checkpoint, also if it is
// interrupted; if a number is not finite the previous checkpoint stays, as the weights that led there are useless.
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
		if s.folder != nil && s.pace.due() {
			if err := s.save(); err != nil {
				return err
			}
		}
		if err := l.end(l.Step()); err != nil {
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

// epoch ends an epoch: it evaluates it if that is due, and logs it, unless training ended with the epoch before.
func (s *session) epoch() error {
	l := s.loop
	if err := l.certify(); err != nil || l.ended != nil {
		return err
	}
	log := s.evaluate
	if !l.due() {
		log = func() error { return s.log(l.record(unmeasured())) }
	}
	if err := log(); err != nil {
		return err
	}
	l.logged = l.epoch
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
		s.event.Record, s.event.Best, s.event.Elapsed = r, s.loop.Best, time.Since(s.started)
		if s.loop.best.empty() {
			s.event.Best = Record{Scores: unmeasured()}
		}
		s.Progress(s.event)
	}
	return s.folder.Log(r)
}

// interrupted returns err as an *Interrupted where the context has ended.
func (s *session) interrupted(err error) error {
	if s.ctx.Err() == nil {
		return err
	}
	return &Interrupted{Dir: s.Dir, Run: s.event.Run, Epoch: s.loop.epoch, Err: s.ctx.Err()}
}

// rescue leaves the model of the best epoch so far in the folder of a run that cannot go on because of err, a
// *NotFinite, and completes that.
func (s *session) rescue(err error) error {
	var bad *NotFinite
	if !errors.As(s.advised(err), &bad) || s.folder == nil || s.loop.best.empty() {
		return err
	}
	s.loop.best.restore()
	if s.loop.finiteWeights(0) == nil && s.keepModel() == nil && s.folder.Seal(modelName) == nil {
		bad.Kept, bad.Best = s.folder.dir, s.loop.Best.Epoch
	}
	return err
}

// advised returns err, a *NotFinite with what the job knows to help.
func (s *session) advised(err error) error {
	var bad *NotFinite
	if a, ok := s.loop.job.(Advising); ok && errors.As(err, &bad) {
		bad.Advice = a.Advice()
	}
	return err
}

// keepModel writes the weights of the best epoch, which the job has.
func (s *session) keepModel() error {
	return s.folder.Replace(modelName, func(w io.Writer) error { return s.loop.job.Write(w, s.loop.Best.Epoch) })
}

// share is the minimum ratio of the time between two checkpoints to the time of writing one: checkpoints cost below 1
// %.
const share = 100

// pace says when a checkpoint is due.
type pace struct {
	every time.Duration // 0 for never
	now   func() time.Time
	last  time.Time     // when the last one was complete, or training began
	cost  time.Duration // what it took
}

func (p *pace) due() bool {
	return p.every > 0 && p.now().Sub(p.last) >= max(p.every, share*p.cost)
}

func (p *pace) measure(save func() error) error {
	start := p.now()
	err := save()
	p.last = p.now()
	p.cost = p.last.Sub(start)
	return err
}
