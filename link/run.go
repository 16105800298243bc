package link

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"time"

	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/kg"
	"github.com/bloomgml/bloom/train"
)

// Options say what happens around a training run. The zero value trains and keeps nothing.
type Options struct {
	Progress func(train.Event) // called after every epoch; nil for nobody. Valid is the MRR of validation facts, NaN where they were not ranked.
	Dir      string            // the run folder; empty for none
	Untested bool              // rank no test facts
}

// outcome is what is kept of one run.
type outcome struct {
	trained *Trained
	ranking *kg.Report
	ranked  []kg.Ranked
	best    train.Record // the epoch that validation chose
	valid   float64      // the metric of validation facts at that epoch
	test    float64
	epochs  int
	seconds float64
}

// Run trains the model that c describes on d, as often as c says, and ranks the test facts. The error is a *train.BadSetting, a
// *train.BadData, a *train.NotWritten, a *NotFinite, or a *Stopped where ctx ended.
func Run(ctx context.Context, c config.Config, d *dataset.Dataset, o Options) (*Result, error) {
	warnings, err := Check(c, d)
	if err != nil {
		return nil, err
	}
	var folder *train.Folder
	if o.Dir != "" {
		if folder, err = train.NewFolder(o.Dir, c); err != nil {
			return nil, err
		}
	}
	c.Train.Repeat = max(1, c.Train.Repeat)
	var all []outcome
	for i := range c.Train.Repeat {
		out, err := o.one(ctx, c, d, folder, train.Event{Run: i, Runs: c.Train.Repeat, Epochs: c.Train.Epochs})
		if err != nil {
			return nil, err
		}
		all = append(all, *out)
	}
	best := slices.MaxFunc(all, func(a, b outcome) int {
		if a.valid > b.valid {
			return 1
		}
		return -1 // also where one is NaN: the first of equal ones wins
	})
	r := summary(c, d, all, &best)
	r.Run, r.Warnings = o.Dir, append(warnings, r.Warnings...)
	return r, finish(folder, r, &best)
}

// one is one run, in a folder below that of all where there are several.
func (o Options) one(ctx context.Context, c config.Config, d *dataset.Dataset, f *train.Folder, e train.Event) (*outcome, error) {
	begin := time.Now()
	c.Train.Seed += uint64(e.Run)
	if e.Runs > 1 {
		var err error
		if f, err = f.Below(fmt.Sprintf("run-%02d", e.Run)); err != nil {
			return nil, err
		}
	}
	if err := f.Begin("mrr", nil); err != nil {
		return nil, err
	}
	inner, stop := context.WithCancel(ctx)
	defer stop()
	w := &watch{event: e, begin: begin, folder: f, progress: o.Progress, stop: stop}
	m, err := learnerOf(c.Recipe)(inner, c, d, w.note)
	if err = errors.Join(w.err, err, f.Close()); err != nil {
		return nil, w.stopped(ctx, f, m, o.Dir, err)
	}
	out := &outcome{trained: &Trained{Config: c, Data: d, Dir: o.Dir, model: m}, best: w.event.Best, epochs: w.event.Epoch}
	if err := out.measure(ctx, o.Untested); err != nil {
		return nil, err
	}
	out.seconds = time.Since(begin).Seconds()
	return out, out.files(f)
}

// watch tells folder and listener about epochs.
type watch struct {
	event    train.Event
	begin    time.Time
	folder   *train.Folder
	progress func(train.Event)
	stop     func()
	err      error // of the folder, or of a loss that is no number
}

func (w *watch) note(r train.Record) {
	e := &w.event
	if e.Epoch == 0 || r.Valid > e.Best.Valid || math.IsNaN(e.Best.Valid) {
		e.Best = r
	}
	e.Record, e.Elapsed = r, time.Since(w.begin)
	if w.err == nil {
		w.err = w.folder.Log(r, "mrr")
	}
	if w.err == nil && (math.IsNaN(r.Loss) || math.IsInf(r.Loss, 0)) {
		w.err = &NotFinite{r.Epoch}
	}
	if w.err != nil {
		w.stop()
		return
	}
	if w.progress != nil {
		w.progress(*e)
	}
}

// stopped is the error of a run that could not go on; where it was told to stop, what it has learnt is kept.
func (w *watch) stopped(ctx context.Context, f *train.Folder, m model, dir string, err error) error {
	if ctx.Err() == nil {
		var joined interface{ Unwrap() []error }
		if errors.As(err, &joined) {
			return joined.Unwrap()[0] // the others follow from it
		}
		return err
	}
	s := &Stopped{Dir: dir, Epoch: w.event.Epoch, Err: ctx.Err()}
	if e, ok := m.(embedding); ok && e.Config.Bilevel == nil && dir != "" && w.event.Epoch > 0 {
		s.Kept = f.Replace("model.safetensors", m.write) == nil && w.event.Runs == 1
	}
	return s
}

// measure ranks validation and test facts.
func (o *outcome) measure(ctx context.Context, untested bool) error {
	t := o.trained
	metric, p := Metric(t.Config), kg.Protocol(t.Config.Link.Protocol)
	d := Tested(t.Config, t.Data)
	o.valid, o.test = o.best.Valid, math.NaN()
	if metric != "mrr" && len(t.Data.Valid) > 0 {
		ranked, err := t.model.rank(ctx, t.Data, t.Data.Valid, p)
		if err != nil {
			return err
		}
		o.valid = judged(metric, report(t.Data, ranked, p))
	}
	if !untested {
		var err error
		if o.ranked, err = t.model.rank(ctx, d, d.Test, p); err != nil {
			return err
		}
	}
	if o.ranking = report(d, o.ranked, p); len(o.ranked) > 0 {
		o.test = judged(metric, o.ranking)
	}
	return nil
}

// files writes what a run leaves behind.
func (o *outcome) files(f *train.Folder) error {
	if err := f.Replace("model.safetensors", o.trained.model.write); err != nil {
		return err
	}
	d := Tested(o.trained.Config, o.trained.Data)
	return f.Replace("predictions.csv", func(w io.Writer) error { return writeRanks(w, d, o.ranked) })
}

// finish writes what is about all runs, and the files of the best one to the top.
func finish(f *train.Folder, r *Result, best *outcome) error {
	if len(r.Best) > 1 {
		if err := best.files(f); err != nil {
			return err
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

// NotFinite is the error for a loss that is no number any more.
type NotFinite struct{ Epoch int }

// Error says what to try.
func (e *NotFinite) Error() string {
	return fmt.Sprintf("epoch %d: the loss is not finite; try a smaller train.rate, or a smaller link.step of refactor", e.Epoch)
}

// Stopped is the error of a run that was told to stop.
type Stopped struct {
	Dir   string // the run folder; empty where there is none
	Epoch int    // how far it came
	Kept  bool   // the folder has the model of that epoch
	Err   error  // that of the context
}

// Error says what is left and what to do.
func (e *Stopped) Error() string {
	text := fmt.Sprintf("stopped after epoch %d", e.Epoch)
	switch {
	case e.Kept:
		return text + "; the model of that epoch is in " + e.Dir + ", which bloom predict takes. A run on a knowledge graph cannot go on: train it again"
	case e.Dir != "":
		return text + "; a run on a knowledge graph cannot go on: train it again, " + e.Dir + " has its log alone"
	}
	return text
}

// Unwrap is the error of the context.
func (e *Stopped) Unwrap() error { return e.Err }
