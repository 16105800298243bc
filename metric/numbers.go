package metric

import "math"

// Numbers holds the predicted and the true values of some nodes.
type Numbers struct{ Got, Want []float64 }

// mean returns the mean of f over the errors, NaN if there are none.
func (n Numbers) mean(f func(float64) float64) float64 {
	sum := 0.0
	for i, x := range n.Got {
		sum += f(x - n.Want[i])
	}
	return sum / float64(len(n.Got))
}

func square(x float64) float64 { return x * x }

func (n Numbers) rmse() float64 { return math.Sqrt(n.mean(square)) }
func (n Numbers) mae() float64  { return n.mean(math.Abs) }

// r2 returns 1 − Σ(got − want)² / Σ(want − mean)², NaN if all true values are equal.
func (n Numbers) r2() float64 {
	sd := SD(n.Want)
	if sd == 0 {
		return math.NaN()
	}
	return 1 - n.mean(square)/square(sd)
}

// Mean returns Σx/n, NaN if x is empty.
func Mean(x []float64) float64 {
	sum := 0.0
	for _, v := range x {
		sum += v
	}
	return sum / float64(len(x))
}

// SD returns the population standard deviation √(Σ(x−mean)²/n), as usual in published tables: it is 0 for a single run.
func SD(x []float64) float64 {
	mean, sum := Mean(x), 0.0
	for _, v := range x {
		sum += (v - mean) * (v - mean)
	}
	return math.Sqrt(sum / float64(len(x)))
}
