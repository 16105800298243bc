package train

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/internal/host"
	"github.com/bloomgml/bloom/internal/jobs"
	"github.com/bloomgml/bloom/mat"
)

// repeat holds the runs of a repeat, train.together of them at a time. Every run has its own device, or a share of
// the threads, and its own folder, and depends only on its seed and split: bits, files and the point where it resumes
// are the same as one by one.
type repeat struct {
	Options
	config config.Config
	list   []Trial
	build  func(Trial) (Job, error)

	mu      sync.Mutex
	next    int       // the first run that has not been started
	done    []int     // epochs, by run
	all     []outcome // by run, without jobs
	best    *outcome
	chosen  int // the run that best comes of
	seconds float64
	failed  error // of the run that failed first
}

// run trains all runs. If one fails the others stop with a checkpoint.
func (t *repeat) run(ctx context.Context) error {
	n := max(1, min(t.config.Train.Together, len(t.list), jobs.Most())) // at a time: a lane or a thread each
	t.done, t.all = make([]int, len(t.list)), make([]outcome, len(t.list))
	if n == 1 {
		t.work(ctx, func() {})
		return t.failed
	}
	lanes, err := mat.NewLanes(n)
	if err != nil {
		return err
	}
	defer jobs.Divide(n)()
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	var workers host.Group
	for range n {
		workers.Go(func() { lanes.Do(func() { t.work(ctx, stop) }) })
	}
	workers.Wait()
	if t.failed != nil {
		return t.failed
	}
	return t.home(ctx)
}

// home rebuilds the best job on the default device if it was trained on a lane: its users do not know about lanes.
func (t *repeat) home(ctx context.Context) error {
	if _, ok := mat.Default().(mat.Laned); !ok {
		return nil
	}
	job, err := t.build(t.list[t.chosen])
	if err != nil {
		return err
	}
	from := slices.Concat(t.best.job.Params(), t.best.job.State())
	for i, p := range slices.Concat(job.Params(), job.State()) {
		p.Value().Write(from[i].Value().Slice())
	}
	t.best.job = job
	_, _, err = job.Finish(ctx, t.best.best)
	return err
}

// work takes runs until there are none left, and calls stop if one fails.
func (t *repeat) work(ctx context.Context, stop func()) {
	spent := 0.0
	for i, ok := t.nextRun(); ok; i, ok = t.nextRun() {
		s := &session{Options: t.heard(), ctx: ctx, config: t.config, trial: t.list[i],
			event: Event{Run: i, Runs: len(t.list)}, started: time.Now(),
			pace: pace{every: t.config.Train.Checkpoint, now: t.now}}
		out, err := s.run(t.build)
		if err == nil {
			spent += out.seconds
		}
		t.keep(i, s.event.Epochs, spent, out, err)
		if err != nil {
			stop()
		}
	}
}

// nextRun returns the next run to start; none after a failure.
func (t *repeat) nextRun() (run int, ok bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.next == len(t.list) || t.failed != nil {
		return 0, false
	}
	t.next++
	return t.next - 1, true
}

// keep records the outcome of a run. Among runs with equal validation metrics the first is the best.
func (t *repeat) keep(i, epochs int, spent float64, out *outcome, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if err != nil {
		if t.failed == nil {
			t.failed = err
		}
		return
	}
	t.done[i], t.seconds = epochs, max(t.seconds, spent)
	ahead := func(a, b *outcome) bool { return better(out.job.Metric(), a.valid, b.valid) }
	if t.best == nil || ahead(out, t.best) || i < t.chosen && !ahead(t.best, out) {
		t.best, t.chosen = out, i
	}
	t.all[i] = *out
	t.all[i].job = nil // the models of other runs need not stay
}

// heard returns the options with listeners that hear of one thing at a time, and of how many epochs all runs have
// done.
func (t *repeat) heard() Options {
	o := t.Options
	if progress := o.Progress; progress != nil {
		o.Progress = func(e Event) {
			t.mu.Lock()
			defer t.mu.Unlock()
			t.done[e.Run], e.Done = e.Epoch, 0
			for _, n := range t.done {
				e.Done += n
			}
			progress(e)
		}
	}
	if notice := o.Notice; notice != nil {
		o.Notice = func(text string) {
			t.mu.Lock()
			defer t.mu.Unlock()
			notice(text)
		}
	}
	return o
}
