package event

import (
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"strconv"
	"time"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/internal/random"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/metric"
	"github.com/bloomgml/bloom/train"
)

// job is a model while it is trained: the train.Job of links in time. θ has two rows of weights: for batches, during
// which nothing is learnt, and for an event at a time.
type job struct {
	*model
	config config.Config
	data   *dataset.Dataset
	trial  train.Trial
	split  [2]int // the first events of validation and of test
	period float64

	theta *ad.Param
	grad  *mat.Dense
	loss  *mat.Dense
	softmax

	ranks    [2][]metric.Ranking // of the held-out events: in batches, and event by event
	measures []train.Measure
	met      [2]float64    // the share of test events whose pair had met before
	took     time.Duration // that scoring all targets for an event and learning it takes
}

var (
	_ train.Job       = (*job)(nil)
	_ train.Measuring = (*job)(nil)
)

// The rows of θ.
const (
	inBatches = iota
	oneByOne
)

// step is the number of events per step of the optimiser; a batch, if that is longer.
const step = 200

// Run trains the model that c describes on the events of d. For errors see train.Run.
func Run(ctx context.Context, c config.Config, d *dataset.Dataset, o train.Options) (*train.Result, error) {
	o.Data = d
	make := func(t train.Trial) (train.Job, error) { return build(c, d, t, 0) }
	return train.Run(ctx, c, train.SeedTrials(c), make, o)
}

// build makes a job whose weights are 0. trained is the training period of the events that its weights come from; 0 if
// they are to be trained on d.
func build(c config.Config, d *dataset.Dataset, t train.Trial, trained float64) (*job, error) {
	first, err := divide(c.Events, d)
	if err != nil {
		return nil, err
	}
	e := d.Events
	var targets []int32
	is := make([]bool, d.Graph.NumNodes())
	for _, v := range e.Target {
		is[v] = true
	}
	for v, yes := range is {
		if yes {
			targets = append(targets, int32(v))
		}
	}
	if len(targets) < 2 {
		return nil, &train.BadData{Data: d.Name, Text: fmt.Sprintf("all events have the target %s, so there is "+
			"nothing to predict", d.NodeName(targets[0]))}
	}
	period := e.Time[first[0]-1] - e.Time[0]
	if trained > 0 {
		period = trained
	}
	if !(period > 0) {
		return nil, &train.BadData{Data: d.Name, Text: fmt.Sprintf("the %d training events all have the time "+
			"%s", first[0], e.When(e.Time[0]))}
	}
	m := newModel(d.Graph.NumNodes(), targets, newClock(period))
	j := &job{model: m, config: c, data: d, trial: t, split: first, period: period,
		softmax: softmax{drawn: c.Events.Negatives}, loss: mat.New(1, 1)}
	j.theta = random.Filled("θ", 2, j.numWeights(), 0)
	j.grad = mat.New(2, j.numWeights())
	return j, nil
}

// fewest is how many events are needed for training, and for validation and test where there are any.
const fewest = 10

// divide returns the first events of validation and of test.
func divide(c config.Events, d *dataset.Dataset) (first [2]int, err error) {
	bad := func(format string, args ...any) error {
		return &train.BadData{Data: d.Name, Text: fmt.Sprintf(format, args...)}
	}
	if d.Events == nil {
		return first, bad("its edges have no times; links in time need lines of source, target and time")
	}
	n := len(d.Events.Time)
	first[1] = int(math.Round(float64(n) * (1 - c.Test)))
	first[0] = int(math.Round(float64(n) * (1 - c.Test - c.Valid)))
	if first[0] < fewest {
		return first, bad("%d events, of which %d would be for training; at least %d are "+
			"needed", n, max(0, first[0]), fewest)
	}
	return first, nil
}

// firstPredicted is the first event that is predicted in training: those before it only fill the history.
func (j *job) firstPredicted() int { return j.split[0] / 20 }

// stride is how many events a step is about: whole batches.
func (j *job) stride() int {
	b := j.config.Events.Batch
	return (step + b - 1) / b * b
}

func (j *job) Params() []*ad.Param { return []*ad.Param{j.theta} }

// State is empty: what was learnt follows from the events.
func (j *job) State() []*ad.Param { return nil }
func (j *job) Batches() int       { return (j.split[0] - j.firstPredicted() + j.stride() - 1) / j.stride() }

// Batch predicts some events in the order of time: once in batches, and once event by event.
func (j *job) Batch(epoch, i int) error {
	first := j.firstPredicted() + i*j.stride()
	last := min(first+j.stride(), j.split[0])
	n := j.numWeights()
	g := make([]mat.Real, 2*n)
	rng := random.At(j.trial.Seed, random.Negatives, epoch<<32|i)
	sum := 0.0
	for from := first; from < last; from += j.config.Events.Batch {
		to := min(from+j.config.Events.Batch, last)
		j.advance(j.data.Events, from)
		j.use(inBatches)
		for k := from; k < to; k++ {
			sum += j.softmax.loss(j.model, j.data.Events, k, g[:n], rng)
		}
		j.use(oneByOne)
		for k := from; k < to; k++ {
			j.advance(j.data.Events, k)
			sum += j.softmax.loss(j.model, j.data.Events, k, g[n:], rng)
		}
	}
	for k := range g {
		g[k] /= mat.Real(last - first)
	}
	j.grad.Write(g)
	j.loss.Write([]mat.Real{mat.Real(sum / float64(2*(last-first)))})
	return nil
}

func (j *job) use(row int) {
	n := j.numWeights()
	j.w = append(j.w[:0], j.theta.Value().Slice()[row*n:(row+1)*n]...)
}

func (j *job) Loss() *mat.Dense    { return j.loss }
func (j *job) Grads() []*mat.Dense { return []*mat.Dense{j.grad} }
func (j *job) Metric() string      { return "mrr" }

// Measure ranks the validation events, in batches.
func (j *job) Measure(context.Context) (train.Scores, error) {
	none := math.NaN()
	s := train.Scores{Train: none, Valid: none, Test: none, Start: none, End: none}
	if j.split[0] < j.split[1] {
		j.use(inBatches)
		ranks, _ := j.walk(j.data.Events, j.split[0], j.split[1], j.config.Events.Batch, j.scores)
		s.Valid = metric.MRR(ranks[0], metric.Realistic)
	}
	return s, nil
}

// Finish ranks all held-out events in both ways, by the model and by plain rules.
func (j *job) Finish(context.Context, train.Record) (valid, test float64, err error) {
	e := j.data.Events
	names := []string{"", "recency", "edgebank", "edgebank_window"}
	judges := []judge{j.scores, j.recency, j.edgeBank(math.Inf(1)), j.edgeBank(0.15 * j.period)}
	for way, batch := range []int{j.config.Events.Batch, 1} {
		j.use(way)
		valids, _ := j.walk(e, j.split[0], j.split[1], batch, judges...)
		tests, took := j.walk(e, j.split[1], len(e.Time), batch, judges...)
		j.ranks[way], j.took = append(valids[0], tests[0]...), took/time.Duration(max(1, len(tests[0])))
		for k, name := range names {
			j.measures = append(j.measures, measure(name, way, valids[k], tests[k]))
		}
		j.met[way] = met(tests[1])
	}
	return j.measures[0].Valid, j.measures[0].Test, nil
}

// met returns the share of events whose pair had met, by their ranks by recency: pairs that have not are level.
func met(ranks []metric.Ranking) float64 {
	n := 0
	for _, r := range ranks {
		if r.Equal == 0 {
			n++
		}
	}
	return float64(n) / float64(max(1, len(ranks)))
}

// measure returns the MRR of the ranks of validation and test events.
func measure(name string, way int, valids, tests []metric.Ranking) train.Measure {
	mrr := func(rs []metric.Ranking) float64 {
		if len(rs) == 0 {
			return math.NaN()
		}
		return metric.MRR(rs, metric.Realistic)
	}
	key := "mrr"
	if name != "" {
		key += "_" + name
	}
	if way == oneByOne {
		key += "_event_by_event"
	}
	return train.Measure{Metric: key, Valid: mrr(valids), Test: mrr(tests), Majority: math.NaN()}
}

// Measures returns the MRR of the model and of plain rules, in batches and event by event.
func (j *job) Measures() []train.Measure { return j.measures }

func (j *job) Write(w io.Writer, epoch int) error {
	return train.WriteWeights(w, map[string]string{"format": "bloom model", "version": "1", "task": "links in time",
		"recipe": j.config.Recipe, "seed": fmt.Sprint(j.trial.Seed), "epoch": fmt.Sprint(epoch),
		"period": strconv.FormatFloat(j.period, 'g', -1, 64)}, j.Params())
}

// predictionColumns are the columns of predictions.csv.
var predictionColumns = []string{"source", "target", "time", "rank", "rank_event_by_event", "split"}

// WritePredictions writes a row for every held-out event, with the ranks of its target.
func (j *job) WritePredictions(w io.Writer) error {
	out, e := csv.NewWriter(w), j.data.Events
	if err := out.Write(predictionColumns); err != nil {
		return err
	}
	rank := func(way, i int) string {
		return strconv.FormatFloat(j.ranks[way][i].Rank(metric.Realistic), 'g', -1, 64)
	}
	for i := range j.ranks[inBatches] {
		at, part := j.split[0]+i, "valid"
		if at >= j.split[1] {
			part = "test"
		}
		if err := out.Write([]string{j.data.NodeName(e.Source[at]), j.data.NodeName(e.Target[at]), e.When(e.Time[at]),
			rank(inBatches, i), rank(oneByOne, i), part}); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}

// Describe names the data, and warns of a batch that holds all test events.
func (j *job) Describe(r *train.Result) {
	r.Data = j.data.Name
	if n := len(j.data.Events.Time) - j.split[1]; n > 1 && n <= j.config.Events.Batch {
		r.Warnings = append(r.Warnings, fmt.Sprintf("the %d test events are one batch: in batches of %d, nothing is "+
			"learnt between them", n, j.config.Events.Batch))
	}
}

// Card returns the part of the model card that is about links in time.
func (j *job) Card(r *train.Result) train.Card {
	e, c := j.data.Events, j.config
	source, target := j.data.NodeName(e.Source[0]), j.data.NodeName(e.Target[0])
	return train.Card{
		Task: "link-prediction", Tags: []string{"bilevel-optimization", "temporal-graph"},
		About: "An energy of pairs that decays in time, trained by bloom to tell which target a source meets next.",
		Data: fmt.Sprintf("%d events between %d nodes, %d of which are targets; the first %d train, the next %d "+
			"validate and the last %d test.", len(e.Time), j.data.Graph.NumNodes(), len(j.targets), j.split[0],
			j.split[1]-j.split[0], len(e.Time)-j.split[1]),
		Training: fmt.Sprintf("%s at rate %g, %d epochs, seed %d; events in the order of time, each predicted from "+
			"the events before it.", c.Train.Optimizer, c.Train.Rate, r.Epochs, c.Train.Seed),
		Limits: "Targets are ranked among those of the data. A source without earlier events gets the most popular " +
			"targets.",
		Commands: [][]string{{"predict", ".", "--node", source, "--top", "10"},
			{"explain", ".", "--node", source, "--node", target}},
		Loading: "`model.safetensors` holds θ: a row of weights for batches, and one for an event at a time.",
	}
}
