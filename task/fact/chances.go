package fact

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/internal/fit"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/metric"
	"github.com/bloomgml/bloom/train"
)

// chances says how probable the answers to questions are that are not known to be right,
//
//	p(v) = exp(b s_v) / Σ_u exp(b s_u)
//
// with a factor b for each relation and direction, of least log loss for its validation questions; kinds with few
// of these share one. A set of answers that has the right one with a given probability has all answers
// whose −log p is up to a limit, one for each relation and direction as for the classes of nodes (see
// fit.ByGroup), and at least the first one.
//
// Chosen: −log p, and not the rank, which makes sets of one size for all questions of a relation.
type chances struct {
	scale    []float64   // b, by kind: 2r for tails, 2r+1 for heads
	limits   []fit.Limit // of −log p, by kind
	scores   []float64   // −log p of the right answers of validation questions
	kinds    []int32     // of these questions
	coverage float64
}

// leastScaled is how many validation questions a kind needs for a factor of its own.
const leastScaled = 40

// field is what the answers to a question score that are not known to be right: gaps below the largest score, and how
// many answers have each. The largest are there one by one, others in groups by their mean.
type field struct {
	gap, count []float64
	own        float64 // the gap of the right answer
}

// alone is how many answers of a field are not grouped; the groups after them double in size.
const alone = 64

// newField returns the field of candidates, which it sorts.
func newField(candidates []mat.Real, own mat.Real) field {
	slices.Sort(candidates)
	slices.Reverse(candidates)
	f := field{}
	for at, size := 0, 1; at < len(candidates); at += size {
		if at >= 2*alone {
			size *= 2
		} else if at >= alone {
			size = alone
		}
		size = min(size, len(candidates)-at)
		sum := 0.0
		for _, s := range candidates[at : at+size] {
			sum += float64(candidates[0]) - float64(s)
		}
		f.gap, f.count = append(f.gap, -sum/float64(size)), append(f.count, float64(size))
	}
	if len(candidates) > 0 {
		f.own = float64(own) - float64(candidates[0])
	}
	return f
}

// normal returns log Σ_u exp(b (s_u − top)).
func (f field) normal(b float64) float64 {
	sum := 0.0
	for i, g := range f.gap {
		sum += f.count[i] * math.Exp(b*g)
	}
	return math.Log(sum)
}

// slope returns the derivatives by b of −log p of the right answer, of which a share wrong is another one.
func (f field) slope(b, wrong float64) (slope, curve float64) {
	sum, first, second, all, n := 0.0, 0.0, 0.0, 0.0, 0.0
	for i, g := range f.gap {
		e := f.count[i] * math.Exp(b*g)
		sum += e
		first += e * g
		second += e * g * g
		all += f.count[i] * g
		n += f.count[i]
	}
	mean := first / sum
	return mean - (1-wrong)*f.own - wrong*(all-f.own)/max(1, n-1), second/sum - mean*mean
}

// surprise returns −log p of a gap; 0 for the first answer, which every set has.
func (f field) surprise(b, gap float64) float64 {
	if gap == 0 {
		return 0
	}
	return f.normal(b) - b*gap
}

// candidates returns the scores of the answers to q that are not known, and of answer, −1 for none.
func candidates(scores []mat.Real, q metric.Question, answer int32, known *metric.Known) []mat.Real {
	list, skip := make([]mat.Real, 0, len(scores)), known.AnswersTo(q)
	for v, s := range scores {
		if len(skip) > 0 && int32(v) == skip[0] {
			if skip = skip[1:]; int32(v) != answer {
				continue
			}
		}
		list = append(list, s)
	}
	return list
}

// fields calls f with the questions about facts of d and their fields, in no order, one at a time.
func (t *Trained) fields(ctx context.Context, d *dataset.Dataset, facts []graph.Triple,
	f func(i int, x field, candidates []mat.Real)) error {
	asked, all, mu := metric.Questions(facts), known(d), sync.Mutex{}
	var bad error
	err := t.model.(scoring).scores(ctx, d, asked, func(i int, scores []mat.Real) {
		_, answer := metric.QuestionFor(facts[i/2], i%2)
		own := scores[answer]
		list := candidates(scores, asked[i], answer, all)
		x := newField(list, own)
		mu.Lock()
		defer mu.Unlock()
		for _, s := range []mat.Real{own, list[0], list[len(list)-1]} { // NaN comes last
			if err := t.finiteScore(float64(s)); err != nil {
				bad = err
				return
			}
		}
		f(i, x, list)
	})
	if bad != nil {
		return bad
	}
	return err
}

// heldOut returns the graph that test facts are about with its validation facts, or, if it has none, the graph that
// was trained on with its.
func (t *Trained) heldOut() *dataset.Dataset {
	if d := Tested(t.Config, t.Data); len(d.Valid) > 0 {
		return d
	}
	return t.Data
}

// newChances looks at the validation facts. The error is a *train.BadData for a model that answers no questions, and
// for too few facts.
func (t *Trained) newChances(ctx context.Context, coverage float64) (*chances, error) {
	d := t.heldOut()
	if _, ok := t.model.(scoring); !ok {
		return nil, &train.BadData{Data: t.Data.Name, Text: t.Config.Recipe + " is a baseline for comparing ranks " +
			"and answers no questions, so there are no sets of answers"}
	}
	if n := fit.Enough(coverage); 2*len(d.Valid) < n {
		return nil, &train.BadData{Data: d.Name, Text: fmt.Sprintf("sets that contain the answer with probability %g "+
			"need %d validation questions; there are %d", coverage, n, 2*len(d.Valid))}
	}
	list := make([]field, 2*len(d.Valid))
	if err := t.fields(ctx, d, d.Valid, func(i int, x field, _ []mat.Real) { list[i] = x }); err != nil {
		return nil, err
	}
	c := &chances{coverage: coverage, scores: make([]float64, len(list)), kinds: make([]int32, len(list))}
	of := make([][]field, 2*d.Graph.NumRelations())
	for i, q := range metric.Questions(d.Valid) {
		c.kinds[i], of[q.Of] = q.Of, append(of[q.Of], list[i])
	}
	shared := scaleOf(list)
	for _, some := range of {
		if len(some) < leastScaled {
			c.scale = append(c.scale, shared)
		} else {
			c.scale = append(c.scale, scaleOf(some))
		}
	}
	for i, x := range list {
		c.scores[i] = x.surprise(c.scale[c.kinds[i]], x.own)
	}
	c.limits = fit.ByGroup(c.scores, c.kinds, len(of), coverage)
	return c, nil
}

// scaleOf returns the factor of least log loss. One of n+2 questions counts as answered wrongly, as for classes.
func scaleOf(list []field) float64 {
	unit := 0.0 // factors are looked for around one over the usual gap
	for _, x := range list {
		unit -= x.gap[len(x.gap)/2] / float64(len(list))
	}
	if unit == 0 {
		return 1
	}
	wrong := 1 / float64(len(list)+2)
	return fit.Scale(func(b float64) (slope, curve float64) {
		for _, x := range list {
			s, c := x.slope(b/unit, wrong)
			slope, curve = slope+s/unit, curve+c/unit/unit
		}
		return slope, curve
	}) / unit
}

// size returns how many candidates, in descending order, are in the set for a question of a kind.
func (c *chances) size(kind int32, x field, candidates []mat.Real) int {
	n := 0
	for _, s := range candidates {
		if x.surprise(c.scale[kind], float64(s)-float64(candidates[0])) > c.limits[kind].Quantile {
			break
		}
		n++
	}
	return n
}

// measured returns how the chances do for the questions about the facts of d.
func (c *chances) measured(ctx context.Context, t *Trained, d *dataset.Dataset, facts []graph.Triple) (
	*train.AnswerCertainty, error) {
	out := &train.AnswerCertainty{Questions: len(c.scores), Tested: 2 * len(facts), Coverage: c.coverage}
	asked := metric.Questions(facts)
	by := make([]train.RelationAnswers, len(c.scale))
	sizes := make([]int, len(asked))
	before, after := told{}, told{}
	err := t.fields(ctx, d, facts, func(i int, x field, candidates []mat.Real) {
		kind := asked[i].Of
		n := c.size(kind, x, candidates)
		sizes[i] = n
		by[kind].Tested++
		by[kind].Size += float64(n)
		if x.surprise(c.scale[kind], x.own) <= c.limits[kind].Quantile {
			by[kind].Test++
		}
		before.add(math.Exp(-x.normal(1)), x.own == 0)
		after.add(math.Exp(-x.normal(c.scale[kind])), x.own == 0)
	})
	if err != nil {
		return nil, err
	}
	for kind, r := range by {
		out.Test += r.Test / float64(max(1, len(asked)))
		out.Size += r.Size / float64(max(1, len(asked)))
		if l := c.limits[kind]; r.Tested+l.Count > 0 {
			r.Name, r.For = d.RelationName(int32(kind/2)), [2]string{"tail", "head"}[kind%2]
			r.Questions, r.Alone = l.Count, l.Alone
			r.Test, r.Size = r.Test/float64(max(1, r.Tested)), r.Size/float64(max(1, r.Tested))
			out.Relations = append(out.Relations, r)
		}
	}
	if slices.Sort(sizes); len(sizes) > 0 {
		out.Median = float64(sizes[len(sizes)/2])
	}
	out.Before, out.After = metric.Nullable(before.ece()), metric.Nullable(after.ece())
	return out, nil
}

// told is probabilities and what they were about, as the two classes of metrics.
type told struct {
	logits []mat.Real
	labels []int32
}

func (t *told) add(p float64, is bool) {
	const most = 1e-12 // keeps logits finite
	p = min(max(p, most), 1-most)
	label := int32(0)
	if is {
		label = 1
	}
	t.logits, t.labels = append(t.logits, 0, mat.Real(math.Log(p/(1-p)))), append(t.labels, label)
}

func (t *told) by(name string) float64 {
	if len(t.labels) == 0 {
		return math.NaN()
	}
	m, _ := metric.ByName(name)
	return m.Scores(metric.Predictions{Logits: t.logits, Classes: 2, Labels: t.labels})
}

// ece returns the expected calibration error.
func (t *told) ece() float64 { return t.by("ece") }
