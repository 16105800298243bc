package fit

import "math"

// The scales of logits that are looked at.
const smallest, largest = 0.02, 50

// passes is the maximum number of Newton steps and bisections: bisections alone determine log b to 1e-11.
const passes = 40

// Scale returns the b that minimises a convex function by Newton's method on its slope, kept between a b of negative
// slope and one of positive slope; a step that does not halve the slope is followed by a bisection. at returns slope
// and curve of the function at b. The log loss of softmax(b z) is one: b = 1/T for a temperature T (Guo et al. 2017).
func Scale(at func(b float64) (slope, curve float64)) float64 {
	lo, hi, b, last := smallest, float64(largest), 1.0, math.Inf(1)
	if slope, _ := at(hi); slope <= 0 {
		return hi
	}
	if slope, _ := at(lo); slope >= 0 {
		return lo
	}
	for range passes {
		slope, curve := at(b)
		if slope > 0 {
			hi = b
		} else {
			lo = b
		}
		next := b - slope/curve
		if math.Abs(next-b) <= 1e-10*b {
			return next
		}
		if !(lo < next && next < hi) || math.Abs(slope) > last/2 {
			next = math.Sqrt(lo * hi)
		}
		b, last = next, math.Abs(slope)
	}
	return b
}
