package link

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"time"

	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/metric"
	"github.com/bloomgml/bloom/run"
)

// Options say what happens around a training run. The zero value trains and keeps nothing.
type Options struct {
	Progress func(run.Event) // called after every epoch; nil for nobody. Valid is the MRR of validation facts, NaN where they were not ranked.
	Dir      string          // the run folder; empty for none
	Resume   bool            // go on where the run in Dir stopped
	Untested bool            // rank no test facts
}

// outcome is what is kept of one run.
type outcome struct {
	trained *Trained
	ranking *metric.Report
	ranked  []metric.Ranked
	best    run.Record // the epoch that validation chose
	valid   float64    // the metric of validation facts at that epoch
	test    float64
	epochs  int
	seconds float64
}

// Run trains the model that c describes on d, as often as c says, and ranks the test facts. The error is a *run.BadSetting, a
// *run.BadData, a *run.NotWritten, a *NotFinite, or a *run.Interrupted where ctx ended; where there is a folder it then holds a
// checkpoint to resume from.
func Run(ctx context.Context, c config.Config, d *dataset.Dataset, o Options) (*Result, error) {
	warnings, err := Check(c, d)
	if err != nil {
		return nil, err
	}
	var folder *run.Folder
	if o.Dir != "" {
		if folder, err = o.folder(c); err != nil {
			return nil, err
		}
	}
	c.Train.Repeat = max(1, c.Train.Repeat)
	var all []outcome
	for i := range c.Train.Repeat {
		out, err := o.one(ctx, c, d, folder, run.Event{Run: i, Runs: c.Train.Repeat, Epochs: c.Train.Epochs})
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

// folder is the one of all runs.
func (o Options) folder(c config.Config) (*run.Folder, error) {
	if o.Resume {
		return run.OpenFolder(o.Dir)
	}
	return run.NewFolder(o.Dir, c)
}

// one is one run, in a folder below that of all where there are several.
func (o Options) one(ctx context.Context, c config.Config, d *dataset.Dataset, f *run.Folder, e run.Event) (*outcome, error) {
	begin := time.Now()
	c.Train.Seed += uint64(e.Run)
	if e.Runs > 1 {
		var err error
		if f, err = f.Below(fmt.Sprintf("run-%02d", e.Run)); err != nil {
			return nil, err
		}
	}
	t, err := newTraining(c, d)
	if err != nil {
		return nil, err
	}
	l := &loop{training: t, config: c, folder: f, options: o, event: e, begin: begin}
	if err := l.enter(); err != nil {
		return nil, err
	}
	err = l.train(ctx)
	if closed := f.Close(); err == nil { // else it follows from err
		err = closed
	}
	if err != nil {
		return nil, err
	}
	m, err := t.finish()
	if err != nil {
		return nil, err
	}
	out := &outcome{trained: &Trained{Config: c, Data: d, Dir: o.Dir, model: m}, best: l.event.Best, epochs: l.event.Epoch}
	if err := out.measure(ctx, o.Untested); err != nil {
		return nil, err
	}
	out.seconds = time.Since(l.begin).Seconds()
	return out, out.files(f)
}

// measure ranks validation and test facts.
func (o *outcome) measure(ctx context.Context, untested bool) error {
	t := o.trained
	name, p := Metric(t.Config), metric.Protocol(t.Config.Link.Protocol)
	d := Tested(t.Config, t.Data)
	o.valid, o.test = o.best.Valid, math.NaN()
	if name != "mrr" && len(t.Data.Valid) > 0 {
		ranked, err := t.model.rank(ctx, t.Data, t.Data.Valid, p)
		if err != nil {
			return err
		}
		o.valid = judged(name, report(t.Data, ranked, p))
	}
	if !untested {
		var err error
		if o.ranked, err = t.model.rank(ctx, d, d.Test, p); err != nil {
			return err
		}
	}
	if o.ranking = report(d, o.ranked, p); len(o.ranked) > 0 {
		o.test = judged(name, o.ranking)
	}
	return nil
}

// files writes what a run leaves behind.
func (o *outcome) files(f *run.Folder) error {
	if err := f.Replace("model.safetensors", o.trained.model.write); err != nil {
		return err
	}
	d := Tested(o.trained.Config, o.trained.Data)
	return f.Replace("predictions.csv", func(w io.Writer) error { return writeRanks(w, d, o.ranked) })
}

// finish writes what is about all runs, and the files of the best one to the top.
func finish(f *run.Folder, r *Result, best *outcome) error {
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
