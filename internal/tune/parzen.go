package tune

import (
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"
)

// parzen is a density on a range: the mean of normal densities, cut off at the ends of its interval, one around every
// value and a wide one in the middle, so that nothing is ever impossible.
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

// log is the logarithm of the density at x, or of the probability of its bin where there are steps.
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

// below is how much of a normal density lies below a place of the scale.
func (p *parzen) below(i int, at float64) float64 {
	return distuv.UnitNormal.CDF((at - p.center[i]) / p.width[i])
}
