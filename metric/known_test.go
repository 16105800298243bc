package metric

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/bloomgml/bloom/internal/testkit"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/part"
)

// definition is a metric written naively, for everything that it measures.
type definition struct {
	nodes   func(told) float64
	sets    func([]column) float64
	numbers func(got, want []float64) float64
	rank    func(rank, negatives float64) float64 // of one question
}

// told is what was predicted of some nodes, and what is true.
type told struct {
	classes      int
	guess, truth []int
	prob         [][]float64
}

// column is what was told of one class: its score for every node, and which nodes have it.
type column struct {
	score []float64
	has   []bool
}

// known are the definitions of all metrics.
var known = map[string][]definition{
	"accuracy":          {{nodes: told.right}},
	"balanced_accuracy": {{nodes: func(x told) float64 { return x.averaged(recall) }}},
	"macro_f1": {{nodes: func(x told) float64 { return x.averaged(f1) },
		sets: func(cs []column) float64 { return naiveMean(each(cs, column.f1)) }}},
	"micro_f1": {{nodes: told.right, sets: func(cs []column) float64 {
		var all column
		for _, c := range cs {
			all.score, all.has = append(all.score, c.score...), append(all.has, c.has...)
		}
		return all.f1()
	}}},
	"roc_auc": {{nodes: func(x told) float64 { return x.ofColumns(column.pairs) }}},
	"average_precision": {{nodes: func(x told) float64 { return x.ofColumns(column.precision) },
		sets: func(cs []column) float64 { return naiveMean(each(cs, column.precision)) }}},
	"log_loss": {{nodes: func(x told) float64 {
		var losses []float64
		for i, p := range x.prob {
			losses = append(losses, -math.Log(p[x.truth[i]]))
		}
		return naiveMean(losses)
	}}},
	"ece": {{nodes: told.gap}},
	"rmse": {{numbers: func(got, want []float64) float64 {
		return math.Sqrt(naiveMean(errors(got, want, func(e float64) float64 { return e * e })))
	}}},
	"mae": {{numbers: func(got, want []float64) float64 { return naiveMean(errors(got, want, math.Abs)) }}},
	"r2": {{numbers: func(got, want []float64) float64 {
		var off, spread float64
		for i := range got {
			off += math.Pow(got[i]-want[i], 2)
			spread += math.Pow(want[i]-naiveMean(want), 2)
		}
		return 1 - off/spread
	}}},
	"mrr":       {{rank: func(rank, _ float64) float64 { return 1 / rank }}},
	"mean_rank": {{rank: func(rank, _ float64) float64 { return rank }}},
	"hits@1":    {{rank: within(1)}},
	"hits@3":    {{rank: within(3)}},
	"hits@10":   {{rank: within(10)}},
	"hits@10_50": {{rank: func(rank, negatives float64) float64 {
		ahead := make([]float64, 50) // ahead[i] is the probability that i of the drawn are ahead
		ahead[0] = 1
		p := (rank - 1) / max(1, negatives)
		for range 49 {
			for i := 49; i > 0; i-- {
				ahead[i] = ahead[i]*(1-p) + ahead[i-1]*p
			}
			ahead[0] *= 1 - p
		}
		sum := 0.0
		for _, q := range ahead[:10] {
			sum += q
		}
		return sum
	}}},
}

// TestKnown compares every metric with its definition, on everything that it measures.
func TestKnown(t *testing.T) {
	testkit.Known(t, Metrics, known, func(t *testing.T, p part.Part[Metric], d definition) {
		m := p.New
		for what, has := range map[string][2]bool{
			"classes": {m.Answers != nil || m.Scores != nil, d.nodes != nil},
			"sets":    {m.SetScores != nil || m.About(TaskSets) != "", d.sets != nil},
			"numbers": {m.Numbers != nil, d.numbers != nil}, "ranks": {m.Links != nil, d.rank != nil},
		} {
			if has[0] != has[1] {
				t.Fatalf("measures %s: %v, has known values of them: %v", what, has[0], has[1])
			}
		}
		for seed := range uint64(60) {
			d.compare(t, m, seed)
		}
	})
}

// compare measures random predictions.
func (d definition) compare(t *testing.T, m Metric, seed uint64) {
	t.Helper()
	same := func(what string, got, want float64) {
		if !near(got, want) && math.Abs(got-want) > 1e-10 { // hits@10_50 adds 10 terms of 49 factors each
			t.Errorf("seed %d: %v of %s, want %v", seed, got, what, want)
		}
	}
	if d.nodes != nil {
		p := randomPredictions(seed)
		same("nodes", m.Nodes(p), d.nodes(p.naive()))
	}
	if d.sets != nil {
		s, columns := randomSets(seed)
		same("sets", m.Sets(s), d.sets(columns))
	}
	rng := rand.New(rand.NewPCG(seed, 5))
	if d.numbers != nil {
		var n Numbers
		for range 2 + rng.IntN(30) {
			n.Got, n.Want = append(n.Got, rng.NormFloat64()), append(n.Want, rng.NormFloat64())
		}
		same("numbers", m.Numbers(n), d.numbers(n.Got, n.Want))
	}
	if d.rank != nil {
		rs := randomRankings(seed)
		for ties, share := range map[Ties]float64{Optimistic: 0, Realistic: 0.5,
			Pessimistic: 1} {
			var list []float64
			for _, r := range rs {
				rank := 1 + float64(r.Greater) + share*float64(r.Equal)
				list = append(list, d.rank(rank, float64(r.Negatives)))
			}
			same("ranks", m.Links(rs, ties), naiveMean(list))
		}
	}
}

// naive is p row by row, of the picked, labelled nodes.
func (p Predictions) naive() told {
	x := told{classes: p.Classes}
	for v, y := range p.Labels {
		picked := p.Pick == nil
		for _, w := range p.Pick {
			picked = picked || int(w) == v
		}
		if y < 0 || !picked {
			continue
		}
		row, sum, best := make([]float64, p.Classes), 0.0, 0
		for j := range row {
			row[j] = math.Exp(float64(p.Logits[v*p.Classes+j]))
			sum += row[j]
			if row[j] > row[best] {
				best = j
			}
		}
		for j := range row {
			row[j] /= sum
		}
		x.guess, x.truth, x.prob = append(x.guess, best), append(x.truth, int(y)), append(x.prob, row)
	}
	return x
}

// randomSets has scores of a few values, so that there are ties, and the same class by class.
func randomSets(seed uint64) (Sets, []column) {
	rng := rand.New(rand.NewPCG(seed, 6))
	n, k := 1+rng.IntN(20), 1+rng.IntN(4)
	s, columns := Sets{Classes: k, Pick: []int32{}}, make([]column, k)
	for v := range n {
		picked := rng.IntN(3) > 0
		if picked {
			s.Pick = append(s.Pick, int32(v))
		}
		for c := range columns {
			score, has := float64(rng.IntN(7)-3), rng.IntN(3) == 0
			s.Logits, s.Values = append(s.Logits, mat.Real(score)), append(s.Values, map[bool]mat.Real{true: 1}[has])
			if picked {
				columns[c].score, columns[c].has = append(columns[c].score, score), append(columns[c].has, has)
			}
		}
	}
	return s, columns
}

// right is the share of right guesses.
func (x told) right() float64 {
	var hits []float64
	for i := range x.guess {
		hits = append(hits, map[bool]float64{true: 1}[x.guess[i] == x.truth[i]])
	}
	return naiveMean(hits)
}

// averaged is the mean over classes of a function of how many nodes were rightly taken for it, were taken for it, and
// are of it.
func (x told) averaged(f func(right, taken, are float64) float64) float64 {
	var list []float64
	for c := range x.classes {
		right, taken, are := 0.0, 0.0, 0.0
		for i := range x.guess {
			if x.guess[i] == c {
				taken++
			}
			if x.truth[i] == c {
				are++
			}
			if x.guess[i] == c && x.truth[i] == c {
				right++
			}
		}
		list = append(list, f(right, taken, are))
	}
	return naiveMean(list)
}

func recall(right, _, are float64) float64 { return right / are }

func f1(right, taken, are float64) float64 { return 2 * right / (taken + are) }

// ofColumns is f of the second of two classes, or the mean over classes.
func (x told) ofColumns(f func(column) float64) float64 {
	var list []float64
	for c := range x.classes {
		var one column
		for i, p := range x.prob {
			one.score, one.has = append(one.score, p[c]), append(one.has, x.truth[i] == c)
		}
		list = append(list, f(one))
	}
	if x.classes == 2 {
		return list[1]
	}
	return naiveMean(list)
}

// above reports whether score i is above score j, or equal up to rounding.
func (c column) above(i, j int) (above, equal bool) {
	d := c.score[i] - c.score[j]
	return d > 1e-12, math.Abs(d) <= 1e-12
}

// pairs is how often one that has the class scores above one that has not.
func (c column) pairs() float64 {
	var won []float64
	for i := range c.has {
		for j := range c.has {
			if c.has[i] && !c.has[j] {
				above, equal := c.above(i, j)
				won = append(won, map[bool]float64{true: 1}[above]+map[bool]float64{true: 0.5}[equal])
			}
		}
	}
	return naiveMean(won)
}

// precision is, for those that have the class, the share of it among all that score as high.
func (c column) precision() float64 {
	var list []float64
	for i := range c.has {
		if !c.has[i] {
			continue
		}
		high, right := 0.0, 0.0
		for j := range c.has {
			if above, equal := c.above(j, i); above || equal {
				high++
				right += map[bool]float64{true: 1}[c.has[j]]
			}
		}
		list = append(list, right/high)
	}
	return naiveMean(list)
}

func (c column) f1() float64 {
	right, taken, are := 0.0, 0.0, 0.0
	for i, has := range c.has {
		got := c.score[i] > 0
		taken += map[bool]float64{true: 1}[got]
		are += map[bool]float64{true: 1}[has]
		right += map[bool]float64{true: 1}[got && has]
	}
	return f1(right, taken, are)
}

// gap is the expected calibration error.
func (x told) gap() float64 {
	if len(x.guess) == 0 {
		return math.NaN()
	}
	total := 0.0
	for b := range 15 {
		var right, confidence []float64
		for i := range x.guess {
			if c := x.prob[i][x.guess[i]]; c > float64(b)/15 && c <= float64(b+1)/15 {
				right = append(right, map[bool]float64{true: 1}[x.guess[i] == x.truth[i]])
				confidence = append(confidence, c)
			}
		}
		if len(right) > 0 {
			total += float64(len(right)) / float64(len(x.guess)) * math.Abs(naiveMean(right)-naiveMean(confidence))
		}
	}
	return total
}

func within(k float64) func(rank, negatives float64) float64 {
	return func(rank, _ float64) float64 { return map[bool]float64{true: 1}[rank <= k] }
}

func each(cs []column, f func(column) float64) (list []float64) {
	for _, c := range cs {
		list = append(list, f(c))
	}
	return list
}

func errors(got, want []float64, f func(float64) float64) (list []float64) {
	for i := range got {
		list = append(list, f(got[i]-want[i]))
	}
	return list
}

// naiveMean is the mean of the numbers that are not NaN.
func naiveMean(x []float64) float64 {
	sum, n := 0.0, 0.0
	for _, v := range x {
		if !math.IsNaN(v) {
			sum, n = sum+v, n+1
		}
	}
	return sum / n
}
