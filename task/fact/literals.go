package fact

import (
	"cmp"
	"context"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/internal/fit"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/metric"
	"github.com/bloomgml/bloom/train"
)

// literals are what numbers and texts of entities add to the score of an answer v to a question about u of kind k, a
// relation and a direction,
//
//	a · w_k t(x_u, x_v)
//
// with the log odds of a logistic regression for each kind, which tells answers of training facts from entities drawn
// at random, and a factor a for all kinds that the ranks of validation facts choose. t has the numbers of v that most
// answers have, their squares, their differences from those of u, and how alike words are. A fact between entities
// without literals scores as before.
//
// Chosen: outside of the model, not within it. So every model has them, weights that were trained elsewhere too, and no
// entity needs them.
type literals struct {
	numbers int // the first columns of features
	factor  float64
	kinds   []literalKind // 2r for tails, 2r+1 for heads
}

// literalKind is what is learnt about the questions of a kind.
type literalKind struct {
	columns []int32    // the numbers that t is about
	words   []mat.Real // the mean row of words of answers; nil without words
	weights fit.Weights
}

// The limits of what is learnt about a kind.
const (
	mostNumbers   = 4   // in t
	leastCovered  = 0.3 // share of the answers that have a number
	mostAnswers   = 200 // of training facts
	wrongAnswers  = 8   // drawn for each
	leastAnswers  = 10  // fewer teach nothing
	literalChoice = 500 // validation facts that choose the factor
)

// literalFactors are tried.
var literalFactors = []float64{0, 0.5, 1, 2}

// featuresOf returns the features of entities; ok is false without any.
func featuresOf(d *dataset.Dataset) (x dataset.Matrix, ok bool) {
	if len(d.Features) == 0 || d.Features[0].Cols == 0 {
		return x, false
	}
	return d.Features[0], true
}

// learn fits the regressions to the training facts of d; it does nothing if d has no literals.
func (l *literals) learn(d *dataset.Dataset, seed uint64) {
	x, ok := featuresOf(d)
	if !ok {
		return
	}
	l.numbers, l.kinds = d.Literals, make([]literalKind, 2*d.Graph.NumRelations())
	facts := make([][][2]int32, len(l.kinds)) // ends and answers
	for _, f := range spread(d.Graph.Triples(), d.Graph.NumEdges(), seed) {
		for side := range 2 {
			q, answer := metric.QuestionFor(f, side)
			if len(facts[q.Of]) < mostAnswers {
				facts[q.Of] = append(facts[q.Of], [2]int32{q.End, answer})
			}
		}
	}
	nodes := uint64(d.Graph.NumNodes())
	for k, list := range facts {
		if len(list) < leastAnswers {
			continue
		}
		kind := &l.kinds[k]
		kind.describe(x, l.numbers, list)
		var examples []fit.Example
		for i, f := range list {
			examples = append(examples, fit.Example{Terms: l.terms(nil, x, kind, f[0], f[1]), Is: true})
			for j := range uint64(wrongAnswers) {
				h := mat.Mix(mat.Mix(seed, uint64(k)), uint64(i)*wrongAnswers+j) >> 32
				v := int32(h * nodes >> 32)
				examples = append(examples, fit.Example{Terms: l.terms(nil, x, kind, f[0], v)})
			}
		}
		kind.weights, _ = fit.Logistic(examples, 1)
	}
}

// describe chooses the numbers that most answers have, and takes the mean of their words.
func (k *literalKind) describe(x dataset.Matrix, numbers int, list [][2]int32) {
	count := make([]int, numbers)
	words, any := make([]mat.Real, x.Cols-numbers), false
	for _, f := range list {
		for c, value := range x.Entries(int(f[1])) {
			if c < numbers {
				count[c]++
			} else {
				words[c-numbers] += value / mat.Real(len(list))
				any = true
			}
		}
	}
	if any {
		k.words = words
	}
	for c, n := range count {
		if float64(n) >= leastCovered*float64(len(list)) {
			k.columns = append(k.columns, int32(c))
		}
	}
	slices.SortStableFunc(k.columns, func(a, b int32) int { return cmp.Compare(count[b], count[a]) })
	k.columns = k.columns[:min(mostNumbers, len(k.columns))]
}

// terms appends t(x_u, x_v) to list.
func (l *literals) terms(list []float64, x dataset.Matrix, k *literalKind, u, v int32) []float64 {
	const most = 4 // deviations
	for _, c := range k.columns {
		a, hasU := numberOf(x, u, c)
		b, hasV := numberOf(x, v, c)
		t := [5]float64{}
		if hasV {
			b = min(max(b, -most), most)
			t[0], t[1], t[2] = 1, b, b*b
		}
		if hasU && hasV {
			a = min(max(a, -most), most)
			t[3], t[4] = b-a, math.Abs(b-a)
		}
		list = append(list, t[:]...)
	}
	if k.words == nil {
		return list
	}
	usual, alike := 0.0, 0.0
	for c, value := range x.Entries(int(v)) {
		if c >= l.numbers {
			usual += float64(value * k.words[c-l.numbers])
			other, _ := numberOf(x, u, int32(c))
			alike += float64(value) * other
		}
	}
	return append(list, usual, alike)
}

// numberOf returns an entry of a row; ok is false if the row has none there.
func numberOf(x dataset.Matrix, row, column int32) (value float64, ok bool) {
	from, to := x.Ptr[row], x.Ptr[row+1]
	if i, found := slices.BinarySearch(x.Idx[from:to], column); found {
		return float64(x.Values[from+int64(i)]), true
	}
	return 0, false
}

// on returns what adds to the scores of all entities of d as answers to a question; nil if that is nothing.
func (l *literals) on(d *dataset.Dataset) func(metric.Question, []mat.Real) {
	x, ok := featuresOf(d)
	if !ok || l.factor == 0 {
		return nil
	}
	return func(q metric.Question, scores []mat.Real) { l.add(x, q, l.factor, scores) }
}

// add adds factor times the log odds to scores.
func (l *literals) add(x dataset.Matrix, q metric.Question, factor float64, scores []mat.Real) {
	k := &l.kinds[q.Of]
	if k.weights == nil || int(q.End) >= x.Rows {
		return
	}
	var terms []float64
	for v := range min(len(scores), x.Rows) {
		terms = l.terms(terms[:0], x, k, q.End, int32(v))
		scores[v] += mat.Real(factor * k.weights.Odds(terms))
	}
}

// fitLiterals learns from the training facts and chooses the factor by the mean reciprocal rank of validation facts.
// It returns what it chose; nil if the data has no literals or no validation facts.
func (t *Trained) fitLiterals(ctx context.Context) (*train.Literals, error) {
	l, d := t.model.beside(), t.heldOut()
	m, scores := t.model.(scoring)
	x, ok := featuresOf(d)
	l.factor = 0
	if !ok || !scores || len(d.Valid) == 0 {
		return nil, nil
	}
	l.learn(t.Data, t.Config.Train.Seed)
	facts := spread(d.Valid, literalChoice, t.Config.Train.Seed)
	among := metric.Candidates{Known: known(d)}
	sums, mu := make([]float64, len(literalFactors)), sync.Mutex{}
	asked := metric.Questions(facts)
	err := m.scores(ctx, d, asked, func(i int, scores []mat.Real) {
		odds, sum := make([]mat.Real, len(scores)), make([]mat.Real, len(scores))
		l.add(x, asked[i], 1, odds)
		for j, a := range literalFactors {
			for v := range sum {
				sum[v] = scores[v] + mat.Real(a)*odds[v]
			}
			rank := 1 / among.Place(sum, facts[i/2], i%2, i).Rank(metric.Realistic)
			mu.Lock()
			sums[j] += rank
			mu.Unlock()
		}
	})
	best := 0
	for j := range sums {
		if sums[j] > sums[best]*(1+1e-9) { // sums come in any order
			best = j
		}
	}
	l.factor = literalFactors[best]
	n := float64(max(1, len(asked)))
	return &train.Literals{Factor: l.factor, With: sums[best] / n, Without: sums[0] / n}, err
}

// recall learns again what a run in dir has learnt about literals.
func (t *Trained) recall(dir string) {
	var of struct{ Literals *train.Literals }
	text, err := os.ReadFile(filepath.Join(dir, "result.json"))
	if err == nil && json.Unmarshal(text, &of) == nil && of.Literals != nil {
		t.model.beside().learn(t.Data, t.Config.Train.Seed)
		t.model.beside().factor = of.Literals.Factor
	}
}

// oddsOf returns what literals add to the score of a fact.
func (l *literals) oddsOf(d *dataset.Dataset, f graph.Triple) float64 {
	x, ok := featuresOf(d)
	if !ok || l.factor == 0 || l.kinds[2*f.R].weights == nil || int(max(f.U, f.V)) >= x.Rows {
		return 0
	}
	k := &l.kinds[2*f.R]
	return l.factor * k.weights.Odds(l.terms(nil, x, k, f.U, f.V))
}
