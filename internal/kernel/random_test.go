package kernel

import (
	"math"
	"testing"
)

// Moments within five standard deviations of their expectations, for fixed seeds.
func TestRandomMoments(t *testing.T) {
	const n = 100000
	x := make([]Real, n)
	moments := func() (mean, variance float64) {
		for _, v := range x {
			mean += float64(v) / n
		}
		for _, v := range x {
			variance += (float64(v) - mean) * (float64(v) - mean) / n
		}
		return mean, variance
	}
	for seed := range uint64(10) {
		Uniform(x, -1, 3, seed)
		for i, v := range x {
			if !(v >= -1 && v < 3) {
				t.Fatalf("seed %d: uniform [%d] = %g", seed, i, v)
			}
		}
		// Variance 16/12; fourth central moment 256/80.
		mean, variance := moments()
		if math.Abs(mean-1) > 5*math.Sqrt(16./12/n) ||
			math.Abs(variance-16./12) > 5*math.Sqrt((256./80-16./12*16/12)/n) {
			t.Errorf("seed %d: uniform mean %g, variance %g", seed, mean, variance)
		}
		Normal(x, 2, 0.5, seed)
		mean, variance = moments()
		if math.Abs(mean-2) > 5*0.5/math.Sqrt(n) || math.Abs(variance-0.25) > 5*0.25*math.Sqrt(2./n) {
			t.Errorf("seed %d: normal mean %g, variance %g", seed, mean, variance)
		}
	}
}

// A number depends on seed and position, not on how many are drawn.
func TestRandomPositions(t *testing.T) {
	long, short := make([]Real, 50000), make([]Real, 777)
	Normal(long, 0, 1, 3)
	Normal(short, 0, 1, 3)
	sameBits(t, "normal", short, long[:777])
	Uniform(long, 0, 1, 4)
	Uniform(short, 0, 1, 4)
	sameBits(t, "uniform", short, long[:777])
}

// Rounding must not reach the upper end.
func TestUniformStaysBelow(t *testing.T) {
	x := make([]Real, 1<<17)
	hi := Real(math.Nextafter32(1, 2))
	Uniform(x, 1, hi, 1)
	for _, v := range x {
		if v >= hi {
			t.Fatal("reached the upper end")
		}
	}
}
