package node

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/internal/keys"
	"github.com/bloomgml/bloom/metric"
	"github.com/bloomgml/bloom/train"
)

// RaceOptions say what Race compares.
type RaceOptions struct {
	// Budget is about how long everything may take, including the training of the winner; 0 means a minute. No
	// candidate starts once their share of it is spent, and one that has not ended by then is judged by what it has
	// come to on the split of the data, and on folds is out, except the closed form and one that is clearly better than
	// it on the first folds.
	Budget time.Duration
	// Names are the candidates regardless of the time: the same names give the same bits. nil means the candidates
	// that suit the data and the budget.
	Names []string
	// Configure returns the config of a recipe with some settings; nil means the settings for any data.
	Configure func(recipe string, set []string) (*config.Config, error)
	// Dir is a folder for what has been trained, which may be removed afterwards: a race that was stopped goes on with
	// it, with the same bits as if it had not been stopped, and counts the time that it had spent. Empty means none.
	Dir    string
	Report func(metric string, c train.Candidate) // called when a candidate has been measured; may be nil
}

// Raced is the result of comparing candidates. Config is the best candidate's.
type Raced struct {
	Config     config.Config     `json:"-"`
	Name       string            `json:"name"`
	Metric     string            `json:"metric"`
	Folds      int               `json:"folds,omitempty"` // 0 for the split of the data
	Score      train.Score       `json:"score"`           // of the best one, by folds
	Candidates []train.Candidate `json:"candidates"`
	Closed     *train.Closed     `json:"closed,omitempty"`
	// Of an average: the candidate that Config trains and that answers are explained by, the others, and the
	// calibration of the former by itself.
	Voice   string             `json:"voice,omitempty"`
	Members []Member           `json:"members,omitempty"`
	Alone   *train.Calibration `json:"alone,omitempty"`

	answers *outOfFold // of the best one; nil without folds
}

// defaultFolds is data.folds if the data has no split.
const defaultFolds = 5

// firstTrials is the number of folds that all candidates are trained for; the better half, and at least leastKept, go
// on.
const firstTrials, leastKept = 2, 3

// firstShare is the share of the budget after which no new candidate is tried: the rest is for the better half on the
// other folds and for the training on all labels.
const firstShare = 0.4

// raceShare is the share of the budget after which a candidate that has not ended is out: the rest is for the training
// on all labels.
const raceShare = 0.85

// againShare is the share of the time left that an entrant may take on a single split, where the winner is trained once
// more.
const againShare = 0.45

// leastTried is the minimum number of candidates that start regardless of the time.
const leastTried = 2

// race is a comparison while it runs.
type race struct {
	RaceOptions
	trials   *trials
	metric   metric.Metric
	name     string // of the metric
	goal     goal
	entrants []*entrant
	frequent float64 // share of the most frequent class
	fewest   float64 // training nodes of the rarest class
	instead  string  // the metric instead of the accuracy; empty for none
	began    time.Time
}

// Race compares candidates on the folds of d if d has no given split, otherwise on its split: all of them on two
// folds, and the better half on the others. It chooses the average of the best ones if that is better on folds than any
// of them by more than one standard error of the difference, and otherwise the simplest candidate whose mean over folds
// is within one of the best. The error is a *train.BadData, or the first candidate's error if all of them fail.
func Race(ctx context.Context, d *dataset.Dataset, o RaceOptions) (*Raced, error) {
	r := &race{RaceOptions: o}
	if o.Configure == nil {
		r.Configure = func(recipe string, set []string) (*config.Config, error) {
			return config.Load(config.Options{Recipe: recipe, Data: "-", Set: set})
		}
	}
	if r.Budget == 0 {
		r.Budget = time.Minute
	}
	r.began = time.Now()
	if err := r.enter(ctx, d); err != nil {
		return nil, err
	}
	left := r.left(firstTrials)
	if len(left) == 0 {
		return nil, r.entrants[0].err
	}
	keep := max(leastKept, (len(left)+1)/2)
	for i, e := range left {
		if i < keep && len(e.curves) < r.trials.count() {
			r.advance(ctx, e, r.trials.count())
		}
	}
	if err := errors.Join(ctx.Err(), r.trials.wrong); err != nil {
		return nil, err
	}
	best := r.choose()
	if best == nil {
		return nil, fmt.Errorf("none of the candidates could be trained on all folds")
	}
	if e := r.bestAverage(r.complete()); e != nil {
		best, r.entrants = e, append(r.entrants, e)
	}
	return r.result(best)
}

// enter trains all candidates for the first trials.
func (r *race) enter(ctx context.Context, d *dataset.Dataset) error {
	list := r.Names
	if list == nil {
		list = turns(d)
	}
	for _, name := range list {
		i := slices.Index(CandidateNames(), name)
		if i < 0 {
			return keys.NewUnknown("candidate", name, CandidateNames())
		}
		late := len(r.entrants) >= leastTried && time.Now().After(r.deadline(firstTrials, len(r.entrants)))
		if r.Names == nil && (late || !candidates[i].suits(d)) {
			continue
		}
		c, err := r.config(candidates[i], d)
		if err != nil { // of settings that are not for all recipes
			r.entrants = append(r.entrants, &entrant{name: name, err: err})
			continue
		}
		if r.trials == nil {
			if err := r.prepare(*c, d); err != nil {
				return err
			}
		}
		e := &entrant{name: name, config: *c}
		r.entrants = append(r.entrants, e)
		r.advance(ctx, e, firstTrials)
		if err := ctx.Err(); err != nil {
			return err
		}
		if r.instead == "" && r.uninformative(e) {
			r.instead, r.trials, r.entrants = "roc_auc", nil, nil
			return r.enter(ctx, d)
		}
	}
	return nil
}

// uninformative reports whether the accuracy, as a default metric, is no better than always answering the most
// frequent class: then the ranking of nodes is measured instead.
func (r *race) uninformative(e *entrant) bool {
	if r.name != "accuracy" || e.config.Train.Metric != "auto" || len(r.entrants) > 1 || e.err != nil ||
		r.fewest < float64(2*r.trials.count()) {
		return false
	}
	x := r.candidate(e)
	return float64(x.Score) <= r.frequent+max(0, float64(x.Error))
}

// config returns the config of a candidate. If the closed form does better with logarithms of numbers in
// leave-one-out, others learn logarithms too.
func (r *race) config(c candidate, d *dataset.Dataset) (*config.Config, error) {
	set := c.settings(d)
	if undivided(d) || windows(d, defaultFolds) != nil {
		set = append([]string{fmt.Sprintf("data.folds=%d", defaultFolds)}, set...)
	}
	if c.recipe != "closed" && r.trials != nil && r.trials.log {
		set = append(set, "train.target=log")
	}
	if r.instead != "" {
		set = append(set, "train.metric="+r.instead)
	}
	if d.Graph.Weights() == nil {
		set = slices.DeleteFunc(set, func(s string) bool { return strings.HasPrefix(s, "data.weights") })
	}
	if d.Raw == nil {
		set = slices.DeleteFunc(set, func(s string) bool { return strings.HasPrefix(s, "model.alike") })
	}
	return r.Configure(c.recipe, set)
}

// prepare makes the trials, and finds the metric.
func (r *race) prepare(c config.Config, d *dataset.Dataset) (err error) {
	if c, err = filled(c); err != nil {
		return err
	}
	if r.trials, err = newTrials(c, d); err != nil {
		return err
	}
	if r.trials.shelf, err = newShelf(r.Dir, d); err != nil {
		return err
	}
	s, err := splitOf(c, d, r.trials.at)
	if err != nil {
		return err
	}
	if _, err := checkSplit(d, s); err != nil {
		return err
	}
	g, err := newGoal(d, s, c.Train)
	if err != nil {
		return err
	}
	r.goal = g
	if c, ok := g.(*classes); ok {
		r.frequent, r.fewest = slices.Max(c.counts)/float64(len(c.train)), slices.Min(c.counts)
	}
	r.name, err = chooseMetric(string(c.Train.Metric), d, g)
	r.metric, _ = metric.ByName(r.name)
	return err
}

// advance trains an entrant for the trials before to, and reports it. An entrant that fails is out.
func (r *race) advance(ctx context.Context, e *entrant, to int) {
	limit := ctx
	if r.Names == nil && e.name != "closed" && !r.leads(e) {
		var done context.CancelFunc
		limit, done = context.WithDeadline(ctx, r.deadline(to, len(r.entrants)-1))
		defer done()
	}
	err := e.advance(limit, r.trials, to)
	r.began = r.began.Add(-time.Duration(e.saved * float64(time.Second)))
	e.saved = 0
	switch {
	case ctx.Err() != nil:
		return
	case errors.Is(err, context.DeadlineExceeded):
		e.err = errors.New("it did not finish within its share of the budget")
	case err != nil:
		e.err = err
	case math.IsNaN(e.mean(e.best(r.metric))):
		e.err = fmt.Errorf("there is no %s of the validation nodes: too few of them have a rare class", r.name)
	}
	if r.Report != nil {
		r.Report(r.name, r.candidate(e))
	}
}

// leads reports whether an entrant is the best on the first trials, and clearly better than those that have all trials.
// It then is trained on the others however long that takes: a worse model in time is no answer.
func (r *race) leads(e *entrant) bool {
	return len(e.curves) >= firstTrials && r.trials.count() > firstTrials && r.left(firstTrials)[0] == e &&
		!slices.ContainsFunc(r.complete(), func(x *entrant) bool { return r.alike(x, e) })
}

// deadline returns when an entrant that is now trained for the trials before to is out, if others came before it. On
// one split it is about half of what is left, as the winner is trained once more, and there must be time for the
// slowest so far.
func (r *race) deadline(to, others int) time.Time {
	switch {
	case r.trials.count() == 1:
		slowest := 0.0
		for _, e := range r.entrants {
			slowest = max(slowest, e.again(r.metric))
		}
		spent := time.Since(r.began).Seconds() / r.Budget.Seconds()
		return r.until(min(spent+(1-spent)*againShare, raceShare, 1-slowest/r.Budget.Seconds()))
	case to == firstTrials && others >= leastTried:
		return r.until(firstShare)
	}
	return r.until(raceShare)
}

// again returns the seconds that training up to the best epoch takes.
func (e *entrant) again(m metric.Metric) float64 {
	if len(e.curves) == 0 {
		return 0
	}
	epochs := e.curves[0].epochs
	return e.seconds * float64(epochs[e.best(m)]+1) / float64(epochs[len(epochs)-1]+1)
}

// until returns the time at which a share of the budget is spent.
func (r *race) until(share float64) time.Time {
	return r.began.Add(time.Duration(share * float64(r.Budget)))
}

// left returns the entrants that are not out, the best on some trials first.
func (r *race) left(trials int) (list []*entrant) {
	for _, e := range r.entrants {
		if e.err == nil {
			list = append(list, e)
		}
	}
	slices.SortStableFunc(list, func(a, b *entrant) int {
		x, y := a.over(trials, r.metric), b.over(trials, r.metric)
		switch {
		case r.better(x, y):
			return -1
		case r.better(y, x):
			return 1
		}
		return 0
	})
	return list
}

// over returns the mean metric of an entrant over its first trials.
func (e *entrant) over(trials int, m metric.Metric) float64 {
	list := e.scores(e.best(m))
	return metric.Mean(finite(list[:min(trials, len(list))]))
}

func (r *race) better(a, b float64) bool { return r.metric.Lower && a < b || !r.metric.Lower && a > b }

// complete returns the entrants with all trials, the best first.
func (r *race) complete() []*entrant {
	all := r.trials.count()
	return slices.DeleteFunc(r.left(all), func(e *entrant) bool { return len(e.curves) < all })
}

// choose returns the simplest of the entrants with all trials that is not clearly worse than the best of them.
func (r *race) choose() *entrant {
	list := r.complete()
	if len(list) == 0 {
		return nil
	}
	best := list[0]
	for _, c := range candidates {
		for _, e := range list {
			if e.name == c.name && (e == best || r.alike(e, best)) {
				return e
			}
		}
	}
	return best
}

// alike reports whether e is worse than best by no more than a standard error of the difference, over folds or, on one
// split, over parts of its validation nodes.
func (r *race) alike(e, best *entrant) bool {
	x, y := r.sides(e), r.sides(best)
	var less []float64
	for i := range min(len(x), len(y)) {
		if d := y[i] - x[i]; !math.IsNaN(d) && r.metric.Lower {
			less = append(less, -d)
		} else if !math.IsNaN(d) {
			less = append(less, d)
		}
	}
	return len(less) > 1 && metric.Mean(less) <= standardError(less)
}

// sides returns the scores of an entrant that are compared with another's, one by one.
func (r *race) sides(e *entrant) []float64 {
	at := e.best(r.metric)
	if r.trials.count() > 1 {
		return e.scores(at)
	}
	return e.curves[0].parts(r.goal, r.name, at, r.trials.data.Graph.NumNodes())
}

// candidate summarises an entrant, with the standard error of the scores that sides compares.
func (r *race) candidate(e *entrant) train.Candidate {
	none := metric.Nullable(math.NaN())
	c := train.Candidate{Name: e.name, Score: none, Error: none, Seconds: e.seconds, Folds: len(e.curves)}
	if e.err != nil {
		c.Why = e.err.Error()
	}
	if len(e.curves) == 0 {
		return c
	}
	c.Score = metric.Nullable(e.mean(e.best(r.metric)))
	c.Error = metric.Nullable(standardError(finite(r.sides(e))))
	return c
}

// result sums up; best is the entrant to train.
func (r *race) result(best *entrant) (*Raced, error) {
	x, m, at := r.trials, r.metric, best.best(r.metric)
	out := &Raced{Name: best.name, Metric: r.name}
	scores := finite(best.scores(at))
	out.Score = train.Score{Mean: metric.Mean(scores), SD: metric.SD(scores), Runs: scores}
	if x.folds != nil {
		out.Folds, out.answers = x.folds.k, best.outOfFold(at)
	}
	if out.Config = best.settled(m, x.folds != nil); len(best.members) > 0 {
		if err := out.speak(x, m, best); err != nil {
			return nil, err
		}
	}
	for _, e := range r.entrants {
		out.Candidates = append(out.Candidates, r.candidate(e))
		if e.name == "closed" && e.err == nil {
			out.Closed = &train.Closed{Valid: out.Candidates[len(out.Candidates)-1].Score,
				Test: metric.Nullable(e.curves[0].test[0])}
		}
	}
	return out, nil
}

// Best returns the recipe of the best candidate whose recipe suits, and the settings that it had besides the recipe's
// own; nothing if none suits.
func (r *Raced) Best(suits func(recipe string) bool) (recipe string, set []string) {
	m, _ := metric.ByName(r.Metric)
	best := math.NaN()
	for _, c := range r.Candidates {
		i := slices.IndexFunc(candidates, func(x candidate) bool { return x.name == c.Name })
		score := float64(c.Score)
		if m.Lower {
			score = -score
		}
		if i >= 0 && c.Why == "" && suits(candidates[i].recipe) && !(score <= best) && !math.IsNaN(score) {
			best, recipe, set = score, candidates[i].recipe, strings.Fields(candidates[i].set)
		}
	}
	return recipe, set
}

// hasFolds reports whether there are out-of-fold answers.
func (r *Raced) hasFolds() bool { return r != nil && r.answers != nil }

// describe writes what was compared into a result.
func (r *Raced) describe(to *train.Result) {
	if r == nil {
		return
	}
	if len(r.Candidates) > 1 {
		to.Candidates = r.Candidates
	}
	if r.Closed != nil {
		to.Closed = r.Closed
	}
	if r.hasFolds() {
		to.Folds, to.Valid = r.Folds, r.Score
	}
}
