package metric

import "math"

// Numbers are what was predicted for some nodes, and what is true.
type Numbers struct{ Got, Want []float64 }

// mean is the mean of f of the errors, NaN of nothing.
func (n Numbers) mean(f func(float64) float64) float64 {
	sum := 0.0
	for i, x := range n.Got {
		sum += f(x - n.Want[i])
	}
	return sum / float64(len(n.Got))
}

func square(x float64) float64 { return x * x }

func (n Numbers) rmse() float64 { return math.Sqrt(n.mean(square)) }

func (n Numbers) mae() float64 { return n.mean(math.Abs) }

// r2 is 1 − Σ(got − want)² / Σ(want − mean)², NaN where all that is true is equal.
func (n Numbers) r2() float64 {
	sd := SD(n.Want)
	if sd == 0 {
		return math.NaN()
	}
	return 1 - n.mean(square)/square(sd)
}
