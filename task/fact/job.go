package fact

import (
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"

	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/internal/kg"
	"github.com/bloomgml/bloom/internal/path"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/metric"
	"github.com/bloomgml/bloom/train"
)

// job is a model of a knowledge graph during and after training: the train.Job of facts.
type job struct {
	Trained
	train.Trainer

	ties     metric.Ties    // of validation
	valid    []graph.Triple // facts that an evaluation ranks
	untested bool
	facts    int // that are trained on
	warnings []string
	ranked   []metric.Ranked  // test facts, after Finish
	report   *metric.Report   // of them
	sure     *train.Certainty // of probabilities
	texts    *train.Literals  // of numbers and texts of entities
}

var (
	_ train.Job      = (*job)(nil)
	_ train.Partial  = (*job)(nil)
	_ train.Sampled  = (*job)(nil)
	_ train.Renewed  = (*job)(nil)
	_ train.Advising = (*job)(nil)
)

// Options are the options of train.Run, and whether test facts are ranked.
type Options struct {
	train.Options
	Untested bool // rank no test facts
}

// Run trains the model that c describes on d, as often as c says, and ranks the test facts. For errors see train.Run.
func Run(ctx context.Context, c config.Config, d *dataset.Dataset, o Options) (*train.Result, error) {
	o.Data = d
	build := func(t train.Trial) (train.Job, error) { return prepared(c, d, t, o) }
	return train.Run(ctx, timed(c), train.SeedTrials(c), build, o.Options)
}

// timed returns c with the evaluations of refactor at the epochs where its states are reset.
func timed(c config.Config) config.Config {
	if config.FamilyOf(c.Recipe) == config.Refactor {
		c.Train.Every = c.Facts.Reset
	}
	return c
}

// prepared returns a job to train the model that c describes on d. The error is a *train.BadSetting or a
// *train.BadData.
func prepared(c config.Config, d *dataset.Dataset, t train.Trial, o Options) (train.Job, error) {
	if _, err := os.Stat(filepath.Join(o.Dir, "parts", "parts.json")); err == nil && o.Resume {
		return nil, &train.BadData{Data: o.Dir, Text: "its entities are in parts on disk, which this version does " +
			"not support: train it again, in memory"}
	}
	warnings, err := Check(c, d)
	if err != nil {
		return nil, err
	}
	j, err := assemble(c, d, t)
	if err != nil {
		return nil, err
	}
	j.Dir, j.untested, j.warnings = o.Dir, o.Untested, warnings
	return j, nil
}

// assemble is prepared for a config and data that Check has passed.
func assemble(c config.Config, d *dataset.Dataset, t train.Trial) (j *job, err error) {
	c.Train.Seed = t.Seed
	j = &job{Trained: Trained{Config: c, Data: asTested(c, d)}, ties: metric.Pessimistic, valid: d.Valid,
		facts: d.Graph.NumEdges()}
	switch config.FamilyOf(c.Recipe) {
	case config.Paths:
		err = j.paths()
	case config.Zero:
		err = j.zero()
	case config.Refactor:
		err = j.refactor()
	default:
		err = j.embedding()
	}
	return j, named(err)
}

// embedding trains H and E, or E alone.
func (j *job) embedding() error {
	k, err := kg.FromConfig(j.Config)
	if err != nil {
		return err
	}
	t, err := kg.NewTrainer(k, j.Data.Graph)
	if err != nil {
		return err
	}
	m := t.Model()
	m.Entities, m.Relations = j.Data.IDs, j.Data.Relations
	j.model, j.Trainer, j.ties = embedding{m, filterOf(j.Config, j.Data), j.Data, known(j.Data)}, t, metric.Realistic
	j.valid = kg.Sample(j.Data.Valid, j.Config.Facts.Sample, k.Seed)
	return nil
}

// paths trains a model of paths.
func (j *job) paths() error {
	p, err := pathOf(j.Config)
	if err != nil {
		return err
	}
	m, err := path.New(p, relationNames(j.Data))
	if err != nil {
		return err
	}
	t, err := path.NewTrainer(m, j.Data.Graph)
	if err != nil {
		return fmt.Errorf("%s: %w", j.Data.Name, err)
	}
	j.model, j.Trainer = paths{m, filterOf(j.Config, j.Data)}, t
	j.valid = kg.Sample(j.Data.Valid, j.Config.Facts.Sample, p.Seed)
	return nil
}

// refactor trains the RefactorGNN baseline.
func (j *job) refactor() error {
	r := path.NewRefactor(refactor(j.Config), relationNames(j.Data))
	t, err := path.NewRefactorTrainer(r, j.Data.Graph)
	if err != nil {
		return fmt.Errorf("%s: %w", j.Data.Name, err)
	}
	j.model, j.Trainer = refactored{r, filterOf(j.Config, j.Data)}, t
	return nil
}

// Rows returns the entities that a batch reads; nil for all.
func (j *job) Rows() *mat.Index {
	if p, ok := j.Trainer.(train.Partial); ok {
		return p.Rows()
	}
	return nil
}

// Renewed returns after how many epochs a batch costs as much as the first one did; 0 for never.
func (j *job) Renewed() int {
	if l := j.Config.Facts; config.FamilyOf(j.Config.Recipe) == config.Bilevel && l.Block == 0 {
		return l.Redraw
	}
	return 0
}

// Advice names the step of refactor.
func (j *job) Advice() string {
	if config.FamilyOf(j.Config.Recipe) == config.Refactor {
		return "a smaller link.step"
	}
	return ""
}

// follow recomputes the entities that are not parameters from the current parameters.
func (j *job) follow() error {
	if t, ok := j.Trainer.(kg.Trainer); ok {
		return t.Embed()
	}
	return nil
}

// Metric returns mrr, by which validation chooses; for what the result reports see Describe.
func (j *job) Metric() string { return "mrr" }

// Measure returns the mean reciprocal rank of validation facts; NaN if there are none.
func (j *job) Measure(ctx context.Context) (train.Scores, error) {
	none := math.NaN()
	s := train.Scores{Train: none, Valid: none, Test: none, Start: none, End: none}
	if len(j.valid) == 0 {
		return s, nil
	}
	ranked, err := j.rankValid(ctx, j.valid)
	if err == nil {
		s.Valid = metric.MRR(metric.Rankings(ranked), j.ties)
	}
	return s, err
}

// rankValid ranks validation facts among all entities with the current weights.
func (j *job) rankValid(ctx context.Context, facts []graph.Triple) ([]metric.Ranked, error) {
	if err := j.follow(); err != nil {
		return nil, err
	}
	return j.model.rank(ctx, j.Data, facts, metric.Full)
}

// Glance ranks some of the validation facts.
func (j *job) Glance(ctx context.Context, k int) (measured, of int, err error) {
	of, measured = len(j.valid), min(k, len(j.valid))
	if e, ok := j.model.(embedding); ok {
		at := e.AtOnce()
		measured = min(of, (k+at-1)/at*at)
	}
	if of == 0 {
		return 0, 0, nil
	}
	_, err = j.rankValid(ctx, j.valid[:measured])
	return measured, of, err
}

// Finish ranks validation and test facts as the result reports them.
func (j *job) Finish(ctx context.Context, best train.Record) (valid, test float64, err error) {
	if err := j.follow(); err != nil {
		return 0, 0, err
	}
	name, p := Metric(j.Config), metric.Protocol(j.Config.Facts.Protocol)
	d := Tested(j.Config, j.Data)
	if j.texts, err = j.fitLiterals(ctx); err != nil {
		return 0, 0, err
	}
	valid, test = best.Valid, math.NaN()
	if name != j.Metric() && len(j.Data.Valid) > 0 {
		ranked, err := j.model.rank(ctx, j.Data, j.Data.Valid, p)
		if err != nil {
			return 0, 0, err
		}
		valid = judged(name, report(j.Data, ranked, p), j.ties)
	}
	if !j.untested {
		if j.ranked, err = j.model.rank(ctx, d, d.Test, p); err != nil {
			return 0, 0, err
		}
		if j.sure, err = j.certainty(ctx); err != nil {
			return 0, 0, err
		}
	}
	if j.report = report(d, j.ranked, p); len(j.ranked) > 0 {
		test = judged(name, j.report, j.ties)
	}
	return valid, test, nil
}

// Write writes the model; the epoch is not part of it.
func (j *job) Write(w io.Writer, _ int) error { return j.model.write(w) }

// WritePredictions writes the ranks of the test facts.
func (j *job) WritePredictions(w io.Writer) error {
	return writeRanks(w, Tested(j.Config, j.Data), j.ranked)
}

// Describe names the data, the metric and the graphs, and adds warnings about them.
func (j *job) Describe(r *train.Result) {
	on := Tested(j.Config, j.Data)
	r.Data, r.Metric, r.Warnings, r.Notes = j.Data.Name, Metric(j.Config), j.warnings, j.Data.Notes
	r.Graph, r.Tested, r.Ranking, r.Certainty = graphOf(j.Data), graphOf(on), j.report, j.sure
	r.Graph.Facts, r.Literals = j.facts, j.texts
	warn := func(format string, args ...any) { r.Warnings = append(r.Warnings, fmt.Sprintf(format, args...)) }
	if len(on.Test) == 0 {
		warn("there are no test facts, so nothing is known about how good the model is")
	}
	if n := j.report.Unseen; n > 0 {
		warn("%d of %d test facts name an entity that no known fact is about; they are ranked like the others", n,
			len(on.Test))
	}
	if n := filterOf(j.Config, j.Data).counted(on); n > 0 && on != j.Data {
		warn("%d of %d questions about test facts have other right answers among the facts held out, which count as "+
			"mistakes, as in published figures: --set link.filter=all leaves them out", n, 2*len(on.Test))
	}
	if j.Data.Twin != nil && on == j.Data {
		warn("the test graph has other entities, which %s does not know: test facts are taken from the training graph",
			r.Recipe)
	}
}

func graphOf(d *dataset.Dataset) *train.Graph {
	return &train.Graph{Name: d.Name, Entities: d.Graph.NumNodes(), Relations: d.Graph.NumRelations(),
		Facts: d.Graph.NumEdges(),
		Valid: len(d.Valid), Test: len(d.Test)}
}
