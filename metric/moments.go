package metric

import "math"

// Mean is Σx/n, NaN of nothing.
func Mean(x []float64) float64 {
	sum := 0.0
	for _, v := range x {
		sum += v
	}
	return sum / float64(len(x))
}

// SD is the population standard deviation √(Σ(x−mean)²/n), which the tables of the field show: it
// is 0 of a single run.
func SD(x []float64) float64 {
	mean, sum := Mean(x), 0.0
	for _, v := range x {
		sum += (v - mean) * (v - mean)
	}
	return math.Sqrt(sum / float64(len(x)))
}
