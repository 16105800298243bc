package event

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/internal/host"
	"github.com/bloomgml/bloom/internal/show"
	"github.com/bloomgml/bloom/task"
	"github.com/bloomgml/bloom/train"
)

// Kind is the kind of runs that predict which pairs meet next.
type Kind struct{}

var _ task.Kind = Kind{}

// Name returns event.
func (Kind) Name() string { return "event" }

// Task returns links.
func (Kind) Task() string { return "links" }

// Has reports whether c is about links in time.
func (Kind) Has(c *config.Config) bool { return c.Family() == config.EventFamily }

// About says what is predicted.
func (Kind) About() string { return "links in time" }

// Takes returns true for top and at.
func (Kind) Takes(flag string) bool { return flag == "top" || flag == "at" }

// Open loads a run folder.
func (Kind) Open(dir string, c config.Config, d *dataset.Dataset) (task.Run, error) {
	t, err := load(dir, c, d)
	return asked{t}, err
}

// Train calls Run.
func (Kind) Train(ctx context.Context, c config.Config, d *dataset.Dataset, o train.Options) (*train.Result, error) {
	return Run(ctx, c, d, o)
}

// Try calls Run without a folder.
func (Kind) Try(ctx context.Context, c config.Config, d *dataset.Dataset, told func(train.Event)) (float64, error) {
	r, err := Run(ctx, c, d, train.Options{Progress: told})
	if err != nil {
		return 0, err
	}
	return r.Valid.Mean, nil
}

// Check returns mrr.
func (Kind) Check(c config.Config, d *dataset.Dataset) (string, error) {
	j, err := build(c, d, train.SeedTrials(c)[0], 0)
	if err == nil && j.split[0] == j.split[1] {
		err = &train.BadSetting{Key: "events.valid", Value: "0", Want: "validation events to choose settings by"}
	}
	return "mrr", err
}

// Estimate times some steps.
func (Kind) Estimate(ctx context.Context, c config.Config, d *dataset.Dataset, _ task.Ended) (*train.Estimate, int,
	error) {
	e, err := train.NewEstimate(ctx, c, func() (train.Job, error) { return build(c, d, train.SeedTrials(c)[0], 0) }, 0)
	return e, int(host.Peak()), err
}

// Epoch returns the seconds per epoch that Estimate finds.
func (k Kind) Epoch(ctx context.Context, c config.Config, d *dataset.Dataset, _ time.Duration) (float64, error) {
	e, _, err := k.Estimate(ctx, c, d, nil)
	if err != nil {
		return 0, err
	}
	return e.Epoch, nil
}

// Size counts events and nodes.
func (Kind) Size(c *config.Config, d *dataset.Dataset) []string {
	if d.Events == nil {
		return d.Notes
	}
	e, n := d.Events, len(d.Events.Time)
	list := []string{fmt.Sprintf("%s events between %s nodes, from %s to %s", show.Thousands(n),
		show.Thousands(d.Graph.NumNodes()), e.When(e.Time[0]), e.When(e.Time[n-1]))}
	if first, err := divide(c.Events, d); err == nil {
		list = append(list, fmt.Sprintf("by time: %s train, %s validate and %s test", show.Thousands(first[0]),
			show.Thousands(first[1]-first[0]), show.Thousands(n-first[1])))
	}
	return append(list, d.Notes...)
}

// Note shows loss and validation.
func (Kind) Note(e train.Event) string { return task.LossAndValid(e) }

// Meaning says what the metric is.
func (Kind) Meaning(r *train.Result, good func(string) string) string {
	if len(r.Test.Runs) == 0 {
		return ""
	}
	j := r.Job.(*job)
	return fmt.Sprintf("Test MRR %s: the mean of 1/rank of the true target among all %s, ties averaged, in batches "+
		"of %d events during which nothing is learnt. %s parameters, %s; scoring all targets for an event and "+
		"learning it takes %d µs.", good(fmt.Sprintf("%.4f", r.Test.Mean)), show.Thousands(len(j.targets)),
		r.Config.Events.Batch, show.Thousands(r.Weights), show.Seconds(r.Seconds), j.took.Microseconds())
}

// compared are the rows of a comparison, their metrics and how they are called.
var compared = []struct{ metric, name string }{{"mrr", "decay"}, {"mrr_recency", "recency of the pair"},
	{"mrr_edgebank", "EdgeBank, all of the past"}, {"mrr_edgebank_window", "EdgeBank, a window"}}

// rows returns the test metrics, in batches and event by event.
func rows(r *train.Result) (list [][3]string) {
	score := map[string]string{}
	for _, m := range r.Metrics {
		score[m.Metric] = "–"
		if len(m.Test.Runs) > 0 {
			score[m.Metric] = fmt.Sprintf("%.4f", m.Test.Mean)
		}
	}
	for _, x := range compared {
		list = append(list, [3]string{x.name, score[x.metric], score[x.metric+"_event_by_event"]})
	}
	return list
}

// Details compares with plain rules.
func (Kind) Details(r *train.Result) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%-27s %14s %15s\n", "test MRR", fmt.Sprintf("batches of %d", r.Config.Events.Batch),
		"event by event")
	for _, x := range rows(r) {
		fmt.Fprintf(&b, "%-27s %14s %15s\n", x[0], x[1], x[2])
	}
	met := r.Job.(*job).met
	fmt.Fprintf(&b, "%-27s %12.1f %% %13.1f %%\n", "pairs that had met before", 100*met[inBatches], 100*met[oneByOne])
	return b.String()
}

// Headline returns the metric of test and validation.
func (Kind) Headline(r *train.Result) string {
	return task.Headline(r, "events", fmt.Sprintf(" (batches of %d)", r.Config.Events.Batch))
}

// Next asks who the source of the last event meets next.
func (Kind) Next(_ *config.Config, r *train.Result) string {
	d := r.Job.(*job).data
	source := d.Events.Source[len(d.Events.Source)-1]
	return show.ShellCommand("bloom", "predict", r.Run, "--node", d.NodeName(source), "--top", "10")
}

// Evidence is empty.
func (Kind) Evidence(*train.Result) string { return "" }

var _ task.Paged = Kind{}

// Page compares the run with plain rules.
func (Kind) Page(dir string, r *train.Result) (*task.Page, error) {
	t := task.Table{Title: "Test MRR", Head: []string{"", fmt.Sprintf("batches of %d", r.Config.Events.Batch),
		"event by event"}, Words: 1}
	for _, x := range rows(r) {
		t.Rows = append(t.Rows, x[:])
	}
	return &task.Page{Of: "events",
		Lead: fmt.Sprintf("Which target a source meets next: a model of the events of %s by an energy of pairs that "+
			"decays in time. Events are divided by time; each is predicted from those before it.", r.Data),
		Commands: []string{show.ShellCommand("bloom", "predict", dir)},
		Sections: []task.Section{{Title: "Compared with plain rules",
			About: "The true target is ranked among all targets, ties averaged. In batches, nothing is learnt until " +
				"the batch is over. Recency ranks by the time of the last meeting; EdgeBank knows whether a pair has " +
				"met, ever or within a window.",
			Tables: []task.Table{t}}}}, nil
}
