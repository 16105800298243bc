package fact

import (
	"context"
	"math"
	"slices"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/internal/fit"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/metric"
	"github.com/bloomgml/bloom/train"
)

// belief says how probable it is that a fact is true if as many are false: a logistic regression for each relation on
// the logarithms of the ranks of both ends, drawn to that of all relations (see fit.Logistic). It learns from
// validation facts, and from facts that the data says are false or, without such, from validation facts with one end
// replaced.
//
// Chosen: ranks, which every model has and which mean the same in every question. On the validation facts of CoDEx-S F1
// is 0.848 by ranks, 0.850 by log probabilities of both ends and 0.844 by scores, the calibration error 0.013, 0.016
// and 0.029.
type belief struct {
	given     bool
	facts     int // that it has learnt from
	weights   []fit.Weights
	count     []int // facts of each relation that it has learnt from
	threshold float64
}

// mostDrawn is how many facts learn and test where what is false is drawn: each costs four questions.
const mostDrawn = 5000

// terms returns what is known about a fact.
func terms(x metric.Ranked) []float64 {
	return []float64{math.Log(x.Tail.Rank(metric.Realistic)), math.Log(x.Head.Rank(metric.Realistic))}
}

// opposed returns true facts of a part of d, 0 for validation and 1 for test, and false ones.
func (t *Trained) opposed(d *dataset.Dataset, part int) (yes, no []graph.Triple) {
	yes = [2][]graph.Triple{d.Valid, d.Test}[part]
	if len(d.False[part]) > 0 {
		return yes, d.False[part]
	}
	yes = spread(yes, mostDrawn, t.Config.Train.Seed)
	return yes, corrupted(d, yes, mat.Mix(t.Config.Train.Seed, uint64(100+part)))
}

// corrupted returns every fact with its tail or its head replaced, in turns, by an entity that has the relation in some
// fact of the graph at that end, and is no known answer; by any entity if there is no other.
func corrupted(d *dataset.Dataset, facts []graph.Triple, seed uint64) []graph.Triple {
	ends := make([][]int32, 2*d.Graph.NumRelations()) // of relation r: tails at 2r, heads at 2r+1
	for _, f := range d.Graph.Triples() {
		ends[2*f.R], ends[2*f.R+1] = append(ends[2*f.R], f.V), append(ends[2*f.R+1], f.U)
	}
	for i := range ends {
		slices.Sort(ends[i])
		ends[i] = slices.Compact(ends[i])
	}
	all, nodes, list := known(d), d.Graph.NumNodes(), make([]graph.Triple, 0, len(facts))
	for i, f := range facts {
		q, _ := metric.QuestionFor(f, i%2)
		for try := range uint64(100) {
			h := mat.Mix(mat.Mix(seed, uint64(i)), try) >> 32
			v := int32(h * uint64(nodes) >> 32)
			if some := ends[q.Of]; try < 50 && len(some) > 0 {
				v = some[h*uint64(len(some))>>32]
			}
			if slices.Contains(all.AnswersTo(q), v) {
				continue
			}
			if i%2 == 0 {
				f.V = v
			} else {
				f.U = v
			}
			list = append(list, f)
			break
		}
	}
	return list
}

// examples returns ranked facts as what a regression learns from.
func examples(ranked []metric.Ranked, is bool) (list []fit.Example) {
	for _, x := range ranked {
		list = append(list, fit.Example{Terms: terms(x), Is: is, Group: x.Fact.R})
	}
	return list
}

// judged ranks the true and false facts of a part of d.
func (t *Trained) judged(ctx context.Context, d *dataset.Dataset, part int) ([]fit.Example, error) {
	yes, no := t.opposed(d, part)
	var list []fit.Example
	for i, facts := range [][]graph.Triple{yes, no} {
		ranked, err := t.model.rank(ctx, d, facts, metric.Full)
		if err != nil {
			return nil, err
		}
		list = append(list, examples(ranked, i == 0)...)
	}
	return list, nil
}

// newBelief learns from the validation facts; the error is a *train.BadData if there are none.
func (t *Trained) newBelief(ctx context.Context) (*belief, error) {
	d := t.heldOut()
	if len(d.Valid) == 0 {
		return nil, &train.BadData{Data: d.Name, Text: "there are no validation facts to calibrate probabilities on"}
	}
	list, err := t.judged(ctx, d, 0)
	if err != nil {
		return nil, err
	}
	x := learned(list, d.Graph.NumRelations())
	x.given = len(d.False[0]) > 0
	return x, nil
}

// learned returns what true and false facts of some relations teach.
func learned(list []fit.Example, relations int) *belief {
	x := &belief{facts: len(list), count: make([]int, relations)}
	_, x.weights = fit.Logistic(list, relations)
	for _, e := range list {
		x.count[e.Group]++
	}
	x.threshold = fit.Threshold(x.told(list), func(c metric.Counts) float64 { return c[1].F1() })
	return x
}

func (x *belief) told(list []fit.Example) []fit.Told {
	all := make([]fit.Told, len(list))
	for i, e := range list {
		all[i] = fit.Told{P: x.weights[e.Group].Probability(e.Terms), Is: e.Is}
	}
	return all
}

func (x *belief) probability(r metric.Ranked) float64 {
	return x.weights[r.Fact.R].Probability(terms(r))
}

// measured returns how probabilities do for the test facts of d.
func (x *belief) measured(ctx context.Context, t *Trained, d *dataset.Dataset) (*train.FactCertainty, error) {
	list, err := t.judged(ctx, d, 1)
	if err != nil {
		return nil, err
	}
	var all told
	count, right := metric.Count{}, 0
	for _, e := range x.told(list) {
		all.add(e.P, e.Is)
		yes := e.P > x.threshold
		switch {
		case yes && e.Is:
			count.Hit++
		case yes:
			count.Wrong++
		case e.Is:
			count.Missed++
		}
		if yes == e.Is {
			right++
		}
	}
	out := &train.FactCertainty{Given: x.given, Valid: x.facts, Tested: len(list), Threshold: x.threshold,
		ECE: metric.Nullable(all.ece()), ROCAUC: metric.Nullable(all.by("roc_auc")), F1: metric.Nullable(math.NaN()),
		Accuracy: metric.Nullable(math.NaN())}
	if len(list) > 0 {
		out.F1 = metric.Nullable(count.F1())
		out.Accuracy = metric.Nullable(float64(right) / float64(len(list)))
	}
	for r, w := range x.weights {
		if x.count[r] > 0 {
			out.Relations = append(out.Relations, train.RelationFacts{Name: d.RelationName(int32(r)), Valid: x.count[r],
				Tail: w[0], Head: w[1], Constant: w[2]})
		}
	}
	return out, nil
}

// usualCoverage is the coverage that results report.
const usualCoverage = 0.9

// mostPathWork is how many questions times nodes and edges certainty asks a model of paths, each of whose questions
// goes over the graph: a few seconds. Above, predict learns what it needs when it is asked.
const mostPathWork = 20_000_000

// certainty measures both on the test facts; nil without validation or test facts, and for a model of paths on a graph
// that is not small.
func (t *Trained) certainty(ctx context.Context) (*train.Certainty, error) {
	d, from := Tested(t.Config, t.Data), t.heldOut()
	if len(from.Valid) < fit.Enough(usualCoverage) || len(d.Test) == 0 {
		return nil, nil
	}
	questions := 6 * (len(from.Valid) + len(d.Test)) // both ends of true and of false facts, and once more for sets
	if _, ok := t.model.(paths); ok && questions*(from.Graph.NumNodes()+2*from.Graph.NumEdges()) > mostPathWork {
		return nil, nil
	}
	// a twin is embedded once, not for every list of facts
	if e, ok := t.model.(embedding); ok && d != e.data && t.heldOut() == d {
		m, err := e.modelFor(d)
		if err != nil {
			return nil, err
		}
		still := *t
		still.model = embedding{m, e.filter, d, e.filter.known(d)}
		t = &still
	}
	out := &train.Certainty{}
	x, err := t.newBelief(ctx)
	if err != nil {
		return nil, err
	}
	if out.Facts, err = x.measured(ctx, t, d); err != nil {
		return nil, err
	}
	if _, ok := t.model.(scoring); !ok {
		return out, nil
	}
	c, err := t.newChances(ctx, usualCoverage)
	if err == nil {
		out.Answers, err = c.measured(ctx, t, d, d.Test)
	}
	return out, err
}
