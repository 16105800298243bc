package fact

import (
	"context"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/internal/files"
	"github.com/bloomgml/bloom/internal/host"
	"github.com/bloomgml/bloom/internal/show"
	"github.com/bloomgml/bloom/metric"
	"github.com/bloomgml/bloom/task"
	"github.com/bloomgml/bloom/train"
)

// Kind is the kind of runs that complete facts of a knowledge graph.
type Kind struct{}

var _ task.Kind = Kind{}

// Name returns fact.
func (Kind) Name() string { return "fact" }

// Task returns auto: the recipe decides.
func (Kind) Task() string { return "auto" }

// Has reports whether c is about facts.
func (Kind) Has(c *config.Config) bool { return c.Family().IsFacts() }

// About says what is predicted.
func (Kind) About() string { return "facts of a knowledge graph" }

// Takes returns true: commands say what to give instead.
func (Kind) Takes(string) bool { return true }

// Open calls Load.
func (Kind) Open(dir string, c config.Config, d *dataset.Dataset) (task.Run, error) {
	files.KeepTo(files.FixedMemory())
	t, err := Load(dir, c, d)
	return asked{t}, err
}

// Train calls Run.
func (Kind) Train(ctx context.Context, c config.Config, d *dataset.Dataset, o train.Options) (*train.Result, error) {
	return Run(ctx, c, d, Options{Options: o})
}

// Try calls Run without a folder.
func (Kind) Try(ctx context.Context, c config.Config, d *dataset.Dataset, progress func(train.Event)) (float64, error) {
	r, err := Run(ctx, c, d, Options{Untested: true, Options: train.Options{Progress: func(e train.Event) {
		if !math.IsNaN(e.Best.Valid) {
			progress(e)
		}
	}}})
	if err != nil {
		return 0, err
	}
	return r.Valid.Mean, nil
}

// Check returns the metric.
func (Kind) Check(c config.Config, d *dataset.Dataset) (string, error) {
	if len(d.Valid) == 0 {
		return "", &train.BadData{Data: d.Name, Text: "there are no validation facts to choose settings by"}
	}
	_, err := Check(c, d)
	return Metric(c), err
}

// Epoch returns the seconds per epoch that NewEstimate finds.
func (Kind) Epoch(ctx context.Context, c config.Config, d *dataset.Dataset, limit time.Duration) (float64, error) {
	e, err := NewEstimate(ctx, c, d, limit)
	if err != nil {
		return 0, err
	}
	return e.Epoch, nil
}

// Estimate needs no rehearsal: timing batches and ranks already allocates all that training needs at a time.
func (Kind) Estimate(ctx context.Context, c config.Config, d *dataset.Dataset, _ task.Ended) (
	*train.Estimate, int, error) {
	e, err := NewEstimate(ctx, c, d, 0)
	return e, int(host.Peak()), err
}

// Size counts entities, relations and facts.
func (Kind) Size(c *config.Config, d *dataset.Dataset) []string {
	list := []string{fmt.Sprintf("%s entities, %s relations, %s facts", show.Thousands(d.Graph.NumNodes()),
		show.Thousands(d.Graph.NumRelations()), show.Thousands(d.Graph.NumEdges()))}
	if on := Tested(*c, d); on != d {
		list = append(list, fmt.Sprintf("tested on another graph: %s entities, %s facts",
			show.Thousands(on.Graph.NumNodes()),
			show.Thousands(on.Graph.NumEdges())))
	}
	return append(list, d.Notes...)
}

// Note shows loss and validation.
func (Kind) Note(e train.Event) string {
	note := fmt.Sprintf("loss %.3f", e.Loss)
	if !math.IsNaN(e.Best.Valid) {
		note += fmt.Sprintf("  valid MRR %.3f", e.Best.Valid)
	}
	return note
}

// Meaning says how often answers come first.
func (Kind) Meaning(r *train.Result, good func(string) string) string {
	if len(r.Test.Runs) == 0 {
		return ""
	}
	runs := ""
	if len(r.Test.Runs) > 1 {
		runs = fmt.Sprintf(" by the best of %d runs", len(r.Test.Runs))
	}
	share := func(x float64) string { return good(fmt.Sprintf("%.1f %%", 100*x)) }
	return fmt.Sprintf("Asked for either end of %s test facts, %s of the answers come first and %s are among the "+
		"first ten%s, %s; %s parameters, %s.",
		show.Thousands(r.Ranking.Facts), share(r.Ranking.Hits1), share(r.Ranking.Hits10), runs,
		About(r.Ranking.Protocol), show.Thousands(r.Weights), show.Seconds(r.Seconds))
}

// Details returns a table of scores by rule of ties.
func (Kind) Details(res *train.Result) string {
	if len(res.Test.Runs) == 0 {
		return ""
	}
	var b strings.Builder
	r := res.Ranking
	fmt.Fprintf(&b, "%-13s %7s %7s %7s %7s %11s\n", "ties", "MRR", "Hits@1", "Hits@3", "Hits@10", "Hits@10_50")
	for _, s := range []struct {
		name string
		metric.Scores
	}{{"realistic", r.Scores}, {"optimistic", r.Optimistic}, {"pessimistic", r.Pessimistic}} {
		of50 := "–"
		if r.Protocol == metric.Full {
			of50 = fmt.Sprintf("%.4f", s.Hits10of50)
		}
		fmt.Fprintf(&b, "%-13s %7.4f %7.4f %7.4f %7.4f %11s\n", s.name, s.MRR, s.Hits1, s.Hits3, s.Hits10, of50)
	}
	return b.String()
}

// Headline returns the metric of test and validation.
func (Kind) Headline(r *train.Result) string {
	protocol := ""
	if r.Ranking != nil {
		protocol = fmt.Sprintf(" (%s)", r.Ranking.Protocol)
	}
	return task.Headline(r, "facts", protocol)
}

// Next proposes a question about the first test fact.
func (Kind) Next(c *config.Config, r *train.Result) string {
	d := Tested(*c, Of(r).Data)
	if config.IsBaseline(c.Recipe) || len(d.Test) == 0 {
		return show.ShellCommand("bloom", "report", r.Run)
	}
	f := d.Test[0]
	return show.ShellCommand("bloom", "predict", r.Run, "--head", d.IDs.At(f.U), "--relation", d.RelationName(f.R))
}

// Evidence is empty.
func (Kind) Evidence(*train.Result) string { return "" }

// NewEstimate says what Run would need for c on d; for limit see train.NewEstimate.
func NewEstimate(ctx context.Context, c config.Config, d *dataset.Dataset, limit time.Duration) (
	*train.Estimate, error) {
	build := func(c config.Config) (train.Job, error) { return prepared(c, d, train.SeedTrials(c)[0], Options{}) }
	if e, err := train.Foresee(timed(c), build); e != nil || err != nil {
		return e, err
	}
	e, err := train.NewEstimate(ctx, timed(c), func() (train.Job, error) { return build(c) }, limit)
	if err == nil {
		e.Warnings, err = Check(c, d)
	}
	return e, err
}

// Card returns the part of the model card that is about facts.
func (j *job) Card(r *train.Result) train.Card {
	g, c := r.Graph, j.Config.Train
	where := ""
	if r.Tested.Name != g.Name {
		where = " of another graph"
	}
	summary, _ := config.About(r.Recipe)
	return train.Card{
		Task: "link-prediction", Tags: []string{"knowledge-graph"},
		About: fmt.Sprintf("%s: %s. Trained by bloom to complete facts head –relation→ tail.", r.Recipe, summary),
		Data: fmt.Sprintf("%d entities, %d relations, %d training and %d validation facts. The %d test facts are "+
			"about %d entities%s.",
			g.Entities, g.Relations, g.Facts, g.Valid, r.Tested.Test, r.Tested.Entities, where),
		Training: fmt.Sprintf("rate %g, %d epochs, seed %d; the epoch with the best validation MRR was kept.", c.Rate,
			r.Epochs, c.Seed),
		Results: ranksTable(r.Ranking),
		Limits: "Scores order the answers to one question. They are not probabilities, and scores of different " +
			"questions cannot be compared. " +
			limits(r.Recipe),
		Commands: j.commands(),
		Loading: "`model.safetensors` holds the weights by name, `predictions.csv` the ranks of the test facts and " +
			"`config.yaml` everything " +
			"that was set.",
	}
}

// commands returns the commands to run in the run folder: a question, and a page.
func (j *job) commands() [][]string {
	list := [][]string{{"report", "."}}
	d := j.Data
	if d.Twin != nil {
		d = d.Twin
	}
	if d.Graph.NumEdges() == 0 || config.IsBaseline(j.Config.Recipe) {
		return list
	}
	f := d.Graph.Triples()[0]
	return append(list, []string{"predict", ".", "--head", d.NodeName(f.U), "--relation", d.RelationName(f.R)})
}

// limits describes what a model does not know.
func limits(recipe string) string {
	switch config.FamilyOf(recipe) {
	case config.Zero:
		return "It learns neither relations nor entities: it answers questions about any graph."
	case config.Paths, config.Refactor:
		return "It learns relations but no entities: it answers questions about any graph with these relations."
	}
	return "It knows the entities that it was trained with; others are added by their facts (`bloom add`)."
}

// ranksTable returns how the test facts stood, by rule of ties.
func ranksTable(r *metric.Report) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Of the best run by validation, %s:\n\n", About(r.Protocol))
	b.WriteString("| ties | MRR | Hits@1 | Hits@3 | Hits@10 |\n|---|---|---|---|---|")
	for _, s := range []struct {
		name string
		metric.Scores
	}{{"realistic", r.Scores}, {"optimistic", r.Optimistic}, {"pessimistic", r.Pessimistic}} {
		fmt.Fprintf(&b, "\n| %s | %.4f | %.4f | %.4f | %.4f |", s.name, s.MRR, s.Hits1, s.Hits3, s.Hits10)
	}
	return b.String()
}

// About returns a protocol in words.
func About(p metric.Protocol) string {
	if p == metric.Sampled50 {
		return "each answer ranked among 49 entities drawn at random that are not known to be right (grail_50)"
	}
	return "each answer ranked among all entities that are not known to be right (full, filtered)"
}
