package tune

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"
)

// TPE is Bayesian search by tree-structured Parzen estimators (Bergstra et al. 2011). Trials are split by their values
// into a good tenth and the rest; densities ℓ of the good and g of the others are estimated for every key by itself,
// and of some values drawn from ℓ the one with the largest
//
//	log ℓ(x) − log g(x)
//
// is tried, which has the largest expected improvement.
//
// Chosen: the split is Optuna's, min(⌈n/10⌉, 25) good trials. Pruned trials come after complete ones, the longest
// first; failed ones come last, since a point where training diverges is a bad one; running ones count among the
// others, so that parallel trials keep apart. A point that was tried is drawn again from half the candidates, and in
// the end evenly.
type TPE struct {
	Startup int // trials that are drawn evenly first; 0 means 10
}

// candidates is the number of values drawn from ℓ.
const candidates = 24

func (t TPE) startup() int { return cmp.Or(t.Startup, 10) }

// String is tpe with its numbers.
func (t TPE) String() string {
	return fmt.Sprintf("tpe(startup=%d, candidates=%d)", t.startup(), candidates)
}

// Sample returns the most promising of some points.
func (t TPE) Sample(q Query) Point {
	good, others := split(q)
	if len(good)+len(others) < t.startup() || len(good) == 0 {
		return Random{}.Sample(q)
	}
	r := q.random()
	for n := candidates; n > 0; n /= 2 {
		at := make(Point, len(q.Space))
		for i, p := range q.Space {
			l, g := estimate(p.Domain, good, i), estimate(p.Domain, others, i)
			at[i] = best(l, g, n, r)
		}
		if !q.tried(at) {
			return at
		}
	}
	return Random{}.Sample(q)
}

// split returns the points of the good trials and the points of the others, the better ones first.
func split(q Query) (good, others []Point) {
	trials := slices.Clone(q.Trials)
	slices.SortStableFunc(trials, func(a, b *Record) int { return order(q.Direction, a, b) })
	ended := 0
	for _, t := range trials {
		if t.State != Running {
			ended++
		}
	}
	n := min((ended+9)/10, 25)
	for i, t := range trials {
		if i < n && t.State != Running && t.State != Failed {
			good = append(good, t.Point)
		} else {
			others = append(others, t.Point)
		}
	}
	return good, others
}

// order puts the better of two trials first.
func order(d Direction, a, b *Record) int {
	rank := map[State]int{Complete: 0, Pruned: 1, Failed: 2, Running: 3}
	if c := cmp.Compare(rank[a.State], rank[b.State]); c != 0 {
		return c
	}
	if a.State == Pruned {
		if c := cmp.Compare(b.lastStep(), a.lastStep()); c != 0 {
			return c
		}
	}
	switch {
	case d.better(a.Value, b.Value):
		return -1
	case d.better(b.Value, a.Value):
		return 1
	}
	return cmp.Compare(a.Number, b.Number)
}

// density is an estimate of where values lie.
type density interface {
	sample(*rand.Rand) float64
	log(x float64) float64
}

// estimate returns the density of the i-th values of some points.
func estimate(d Domain, points []Point, i int) density {
	values := make([]float64, len(points))
	for k, at := range points {
		values[k] = at[i]
	}
	if d.Choices != nil {
		return newHistogram(len(d.Choices), values)
	}
	return newParzen(d, values)
}

// best returns the value of n drawn from l with the largest log l − log g.
func best(l, g density, n int, r *rand.Rand) (value float64) {
	top := math.Inf(-1)
	for range n {
		x := l.sample(r)
		if gain := l.log(x) - g.log(x); gain > top || math.IsInf(top, -1) {
			value, top = x, gain
		}
	}
	return value
}

// histogram is the share of every choice, each counted once more than it occurs.
type histogram []float64

func newHistogram(n int, values []float64) histogram {
	h := make(histogram, n)
	for i := range h {
		h[i] = 1 / float64(n+len(values))
	}
	for _, v := range values {
		h[int(v)] += 1 / float64(n+len(values))
	}
	return h
}

func (h histogram) log(x float64) float64 { return math.Log(h[int(x)]) }

func (h histogram) sample(r *rand.Rand) float64 {
	u := r.Float64()
	for i, p := range h {
		if u -= p; u < 0 {
			return float64(i)
		}
	}
	return float64(len(h) - 1)
}

// parzen is a density on a range: the mean of normal densities, cut off at the ends of its interval, one around every
// value and a wide one in the middle, so that no value is impossible.
//
// Chosen: as hyperopt does, a normal density is as wide as the gap to the farther of the two values next to it, at most
// the whole interval and at least a part of it that shrinks with the number of values, to a hundredth.
type parzen struct {
	Domain
	from, to float64 // of the interval
	center   []float64
	width    []float64
	cut      []float64 // how much of each lies below the interval
	inside   []float64 // and how much in it
}

func newParzen(d Domain, values []float64) *parzen {
	p := &parzen{Domain: d}
	p.from, p.to = d.interval()
	span := p.to - p.from
	if span <= 0 {
		return p
	}
	middle := (p.from + p.to) / 2
	p.center = append(p.center, middle)
	for _, v := range values {
		p.center = append(p.center, d.scale(v))
	}
	slices.Sort(p.center)
	least := span / float64(min(100, 1+len(p.center)))
	prior := slices.Index(p.center, middle)
	for i, c := range p.center {
		gap := 0.0
		if i > 0 {
			gap = c - p.center[i-1]
		}
		if i+1 < len(p.center) {
			gap = max(gap, p.center[i+1]-c)
		}
		if i == prior {
			gap = span
		}
		p.width = append(p.width, min(max(gap, least), span))
		p.cut = append(p.cut, p.below(i, p.from))
		p.inside = append(p.inside, p.below(i, p.to)-p.cut[i])
	}
	return p
}

// sample takes a value from one of the normal densities.
func (p *parzen) sample(r *rand.Rand) float64 {
	if len(p.center) == 0 {
		return p.Low
	}
	i, u := r.IntN(len(p.center)), r.Float64()
	at := p.center[i] + p.width[i]*distuv.UnitNormal.Quantile(p.cut[i]+u*p.inside[i])
	return p.number(min(max(at, p.from), p.to))
}

// log returns the logarithm of the density at x, or of the probability of its bin if there are steps.
func (p *parzen) log(x float64) float64 {
	if len(p.center) == 0 {
		return 0
	}
	sum := 0.0
	for i := range p.center {
		if p.step() > 0 {
			from, to := p.bin(x)
			sum += (p.below(i, to) - p.below(i, from)) / p.inside[i]
		} else {
			at := (p.scale(x) - p.center[i]) / p.width[i]
			sum += distuv.UnitNormal.Prob(at) / p.width[i] / p.inside[i]
		}
	}
	return math.Log(sum / float64(len(p.center)))
}

// below returns the share of a normal density below a point of the scale.
func (p *parzen) below(i int, at float64) float64 {
	return distuv.UnitNormal.CDF((at - p.center[i]) / p.width[i])
}
