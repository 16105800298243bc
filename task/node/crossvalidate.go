package node

import (
	"context"
	"errors"
	"math"
	"slices"
	"time"

	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/internal/fit"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/metric"
	"github.com/bloomgml/bloom/train"
)

// trials are the splits on which configs are compared: the folds of a data set, or its own split.
type trials struct {
	data   *dataset.Dataset
	folds  *partition // nil for the split of the data
	at     train.Trial
	solved *closedForm // of all that teaches, without rows alike; nil before somebody asks
	kept   []*solution // the column of the closed form for trees, by fold; networks on the same rows share it
	log    bool        // the closed form is better with logarithms of numbers
	closed []*curve    // of the closed form on folds; nil before somebody asks
	shelf
}

// newTrials returns the trials of c on d.
func newTrials(c config.Config, d *dataset.Dataset) (_ *trials, err error) {
	x := &trials{data: d, at: Trials(c, d)[0]}
	if c.Data.Folds > 1 {
		x.folds, err = newPartition(d, c.Data, c.Train.Seed)
	}
	return x, err
}

// count returns the number of trials.
func (x *trials) count() int {
	if x.folds == nil {
		return 1
	}
	return x.folds.k
}

// build returns the task of trial i. No network depends on its validation nodes.
func (x *trials) build(c config.Config, i int) (*Task, error) {
	if x.folds == nil {
		return Build(c, x.data, x.at, Options{})
	}
	d := *x.data
	if c.Model.Closed && x.shares() {
		if err := x.solve(c); err != nil {
			return nil, err
		}
	}
	d.Splits, d.DrawnValid = []dataset.Split{x.folds.split(i)}, false
	c.Data = onFold(c.Data)
	t, err := Build(c, &d, train.Trial{Seed: x.at.Seed}, Options{})
	if err != nil {
		return nil, err
	}
	if x.kept == nil {
		x.kept = make([]*solution, x.folds.k)
	}
	if x.kept[i] == nil || x.kept[i].data != c.Data {
		x.kept[i] = &solution{data: c.Data}
	}
	if t.kept = x.kept[i]; x.solved == nil || !x.shares() || onFold(x.solved.Config.Data) != t.Config.Data {
		return t, nil
	}
	t.kept.whole = x.solved
	if f, ok := t.network.(*closedForm); ok && f.table.width > 0 {
		f.whole, f.gone = x.solved, x.solved.lacks(t.Split)
	}
	return t, nil
}

// onFold returns what c is for the data of a single fold.
func onFold(c config.Data) config.Data {
	c.Folds, c.Holdout, c.Split, c.Splits = 0, 0, 0, "one"
	return c
}

// solution is what Task.solution returned for some data.
type solution struct {
	data  config.Data
	rows  []float32
	whole *closedForm // of all labels; nil if it is solved from the start
}

// curve records how a config does on a trial: the metric and the answers of the validation nodes after some epochs.
type curve struct {
	valid   []int32
	epochs  []int
	scores  []float64
	answers [][]mat.Real // of the validation nodes: logits, or the numbers themselves
	test    []float64
	seconds float64 // that it took to train
}

// compared is the number of parts of the validation nodes of one split whose scores are compared one by one.
const compared = 10

// parts returns the metric of evaluation at for every tenth of the validation nodes, of n nodes in all: the i-th of
// them is in part i mod 10.
func (c *curve) parts(g goal, name string, at, n int) (scores []float64) {
	o := &outOfFold{nodes: c.valid, answers: c.answers[at]}
	z := o.logits(g, n)
	g.decide(z, c.valid, name)
	for part := range compared {
		var nodes []int32
		for i := part; i < len(c.valid); i += compared {
			nodes = append(nodes, c.valid[i])
		}
		scores = append(scores, g.measure(name, z, nodes))
	}
	return scores
}

// mostAnswers is the maximum of numbers that a curve keeps: evaluations are made rarer to stay below it.
const mostAnswers = 1 << 24

// evaluateEvery is the minimum number of epochs between evaluations of a cross-validation.
const evaluateEvery = 5

// train takes a config through the epochs of trial i.
func (x *trials) train(ctx context.Context, c config.Config, i int) (*curve, error) {
	if c.Train.Schedule != "constant" {
		c.Train.Patience = 0 // the rate falls to the last epoch, which is the result
	}
	t, err := x.build(c, i)
	if err != nil {
		return nil, err
	}
	room := mostAnswers / max(1, len(t.Split.Valid)*t.Classes())
	every := max(evaluateEvery, c.Train.Every, c.Train.Epochs/max(1, room))
	c.Train.Every = every
	l, err := train.NewLoop(c.Train, t.Job())
	if err != nil {
		return nil, err
	}
	out := &curve{valid: t.Split.Valid}
	for {
		if err := ctx.Err(); err != nil && !x.suffices(c, out, err) {
			return nil, err
		} else if err != nil {
			return out, nil
		}
		if before := l.Epoch(); before < l.Epochs() {
			if err := l.Step(); err != nil {
				return nil, err
			}
			if now := l.Epoch(); now == before || now%every != 0 && now < l.Epochs() {
				continue
			}
		}
		r, err := l.Evaluate(ctx)
		if err != nil {
			return nil, err
		}
		out.add(t, r)
		if l.Done() {
			return out, nil
		}
	}
}

// leastEvaluations is the number of evaluations by which a config can be judged before its training has ended.
const leastEvaluations = 10

// suffices reports whether c is judged by what it has come to when its time was up: where the epoch is chosen by the
// only split, and the learning rate does not fall towards the last epoch.
func (x *trials) suffices(c config.Config, y *curve, err error) bool {
	return errors.Is(err, context.DeadlineExceeded) && x.folds == nil && c.Train.Schedule == "constant" &&
		len(y.epochs) >= leastEvaluations
}

// add adds what the last evaluation of t says.
func (c *curve) add(t *Task, r train.Record) {
	k := t.Classes()
	row := make([]mat.Real, 0, k*len(t.last.Valid))
	for _, v := range t.last.Valid {
		row = append(row, t.last.z[int(v)*k:int(v+1)*k]...)
	}
	c.addAnswers(t.goal, row)
	c.epochs, c.scores, c.test = append(c.epochs, r.Epoch), append(c.scores, r.Valid), append(c.test, r.Test)
}

// addAnswers keeps logits of the validation nodes as answers.
func (c *curve) addAnswers(g goal, z []mat.Real) {
	if n, ok := g.(*numbers); ok {
		for i, x := range z {
			z[i] = mat.Real(n.value(x))
		}
	}
	c.answers = append(c.answers, z)
}

// shares reports whether folds take filters from the closed form of all labels.
func (x *trials) shares() bool { return x.folds != nil && x.folds.time == nil }

// solve solves for the closed form of all that teaches, once, by the data of a config.
func (x *trials) solve(c config.Config) error {
	if x.solved != nil {
		return nil
	}
	c.Recipe, c.Energy, c.Model.Alike = "closed", nil, false
	t, err := assemble(c, x.data, x.at, Options{})
	if err != nil {
		return err
	}
	f := t.network.(*closedForm)
	p := f.problem()
	if x.shares() {
		p.Folds = x.folds.k
		for _, v := range p.Rows {
			p.Fold = append(p.Fold, x.folds.of[v])
		}
	}
	if f.linear, err = fit.NewLinear(p); err != nil {
		return &train.BadData{Data: t.Data.Name, Text: err.Error()}
	}
	x.solved, x.log = f, f.linear.Log
	return nil
}

// solveFolds runs the closed form on all folds at once: its answer for a labelled node is exactly the answer of the
// regressions without the labels of the fold of the node.
func (x *trials) solveFolds(c config.Config) ([]*curve, error) {
	if err := x.solve(c); err != nil {
		return nil, err
	}
	t, err := Build(c, x.data, x.at, Options{})
	if err != nil {
		return nil, err
	}
	t.network.(*closedForm).linear = x.solved.linear
	fit, k := x.solved.linear.Answers, x.solved.linear.Outputs
	z, row := make([]mat.Real, t.Data.Graph.NumNodes()*k), make([]float64, k)
	for i, v := range fit.Rows {
		fit.Calibration.Logits(row, fit.OutOfFold[i*k:(i+1)*k])
		for j, y := range row {
			if g, ok := t.goal.(*numbers); ok {
				y = float64(g.scaled(y))
			}
			z[int(v)*k+j] = mat.Real(y)
		}
	}
	test := math.NaN()
	if len(t.Split.Test) > 0 {
		s, err := t.Job().Measure(context.Background())
		if err != nil {
			return nil, err
		}
		test = s.Test
	}
	list := make([]*curve, x.folds.k)
	for i := range list {
		valid := x.folds.split(i).Valid
		t.goal.decide(z, valid, t.metric)
		list[i] = &curve{valid: valid, epochs: []int{0}, test: []float64{test},
			scores: []float64{t.goal.measure(t.metric, z, valid)}}
		list[i].addAnswers(t.goal, picked(z, k, valid))
	}
	return list, nil
}

// entrant is a config that is compared with others.
type entrant struct {
	name    string
	config  config.Config
	curves  []*curve // of the first trials
	seconds float64
	saved   float64    // seconds of trials that an earlier race has trained
	err     error      // why it is out; nil if it is not
	members []*entrant // of an average, the best first; nil for a candidate
}

// advance trains the entrant for the trials before trial to that are still missing, the closed form for all.
func (e *entrant) advance(ctx context.Context, x *trials, to int) error {
	if e.config.Recipe == "closed" && !e.config.Model.Alike {
		to = x.count()
	}
	for i := len(e.curves); i < min(to, x.count()); i++ {
		began := time.Now()
		c := x.loadTrial(e.config, i)
		if c != nil {
			e.saved += c.seconds
		} else {
			var err error
			if c, err = x.trial(ctx, e.config, i); err != nil {
				e.seconds += time.Since(began).Seconds()
				return err
			}
			c.seconds = time.Since(began).Seconds()
			x.put(e.config, i, c)
		}
		e.curves, e.seconds = append(e.curves, c), e.seconds+c.seconds
	}
	return nil
}

// trial takes a config through trial i; the closed form goes through all folds at once.
func (x *trials) trial(ctx context.Context, c config.Config, i int) (_ *curve, err error) {
	switch {
	case c.Recipe == "closed" && !c.Model.Alike && x.shares():
		if x.closed == nil {
			x.closed, err = x.solveFolds(c)
		}
		if err != nil {
			return nil, err
		}
		return x.closed[i], nil
	case c.Recipe == "closed" && (x.shares() || x.data.Labels.Task == dataset.Numbers):
		if err := x.solve(c); err != nil {
			return nil, err
		}
	}
	y, err := x.train(ctx, c, i)
	if err == nil && c.Recipe == "closed" && x.folds != nil && i == 0 { // what it is when all windows train
		y.test[0], err = x.tested(ctx, c)
	}
	return y, err
}

// tested returns the test metric of the closed form of all that teaches.
func (x *trials) tested(ctx context.Context, c config.Config) (float64, error) {
	t, err := Build(c, x.data, x.at, Options{})
	if err != nil {
		return 0, err
	}
	if len(t.Split.Test) == 0 {
		return math.NaN(), nil
	}
	s, err := t.Job().Measure(ctx)
	return s.Test, err
}

// best returns the evaluation whose metric has the best mean over the trials; the last one if the learning rate falls
// until the end.
func (e *entrant) best(m metric.Metric) int {
	evaluations := math.MaxInt
	for _, c := range e.curves {
		evaluations = min(evaluations, len(c.scores))
	}
	if s := e.config.Train.Schedule; s != "constant" && s != "" {
		return evaluations - 1
	}
	best := 0
	for i := 1; i < evaluations; i++ {
		if a, b := e.mean(i), e.mean(best); m.Lower && a <= b || !m.Lower && a >= b {
			best = i
		}
	}
	return best
}

// scores returns the metrics of the trials after evaluation i.
func (e *entrant) scores(i int) (list []float64) {
	for _, c := range e.curves {
		list = append(list, c.scores[i])
	}
	return list
}

// mean returns the mean of the scores that are not NaN.
func (e *entrant) mean(i int) float64 { return metric.Mean(finite(e.scores(i))) }

func finite(list []float64) []float64 {
	return slices.DeleteFunc(slices.Clone(list), func(x float64) bool { return math.IsNaN(x) })
}

// standardError returns the standard error of the mean of a list, NaN for fewer than two numbers.
func standardError(list []float64) float64 {
	if len(list) < 2 {
		return math.NaN()
	}
	return metric.SD(list) / math.Sqrt(float64(len(list)-1))
}

// outOfFold returns the answers after evaluation i.
func (e *entrant) outOfFold(i int) *outOfFold {
	type place struct{ node, fold, at int32 }
	var places []place
	for f, c := range e.curves {
		for at, v := range c.valid {
			places = append(places, place{v, int32(f), int32(at)})
		}
	}
	slices.SortFunc(places, func(a, b place) int { return int(a.node - b.node) })
	o := &outOfFold{}
	for _, p := range places {
		c := e.curves[p.fold]
		k := len(c.answers[i]) / len(c.valid)
		o.nodes, o.fold = append(o.nodes, p.node), append(o.fold, int8(p.fold))
		o.answers = append(o.answers, c.answers[i][int(p.at)*k:int(p.at+1)*k]...)
	}
	return o
}

// CrossValidate measures c on the folds of d that it asks for, and determines the number of epochs for training on
// all labelled nodes.
func CrossValidate(ctx context.Context, c config.Config, d *dataset.Dataset, progress func(train.Event)) (*Raced,
	error) {
	x, err := newTrials(c, d)
	if err != nil {
		return nil, err
	}
	e := &entrant{name: c.Recipe, config: c}
	for i := range x.count() {
		if err := e.advance(ctx, x, i+1); err != nil {
			return nil, err
		}
		if progress != nil {
			at := e.best(metric.Metric{})
			progress(train.Event{Run: i, Runs: x.count(), Epochs: c.Train.Epochs, Done: (i + 1) * c.Train.Epochs,
				Record: train.Record{Epoch: e.curves[i].epochs[at], Loss: math.NaN(),
					Scores: train.Scores{Valid: e.curves[i].scores[at], Start: math.NaN(), End: math.NaN()}}})
		}
	}
	t, err := x.build(c, 0)
	if err != nil {
		return nil, err
	}
	r := &race{trials: x, name: t.metric, goal: t.goal, entrants: []*entrant{e}}
	r.metric, _ = metric.ByName(t.metric)
	return r.result(e)
}
