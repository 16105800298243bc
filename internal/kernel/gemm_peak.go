package kernel

import (
	"sync"
	"time"
)

// PeakFMA measures GFLOP/s of independent fused multiply-adds on threads goroutines for about d.
// The portable level returns what a scalar loop reaches.
func PeakFMA(threads int, d time.Duration) float64 {
	rates := make([]float64, threads)
	var wg sync.WaitGroup
	for i := range rates {
		wg.Go(func() { rates[i] = peakRate(d) })
	}
	wg.Wait()
	total := 0.0
	for _, r := range rates {
		total += r
	}
	return total
}

// peakRate returns the GFLOP/s of the calling goroutine.
func peakRate(d time.Duration) float64 {
	const rounds = 2000
	flops, start := 0, time.Now()
	for time.Since(start) < d {
		flops += peakRounds(rounds)
	}
	return float64(flops) / float64(time.Since(start).Nanoseconds())
}

// peakRounds runs rounds of multiply-adds and returns how many operations that were.
func peakRounds(rounds int) int {
	t := gemmLevels[Active()]
	if t == nil {
		return peakPortable(rounds)
	}
	t.peak(rounds, 0.5, 1)
	return rounds * 2 * t.rows * t.lanes * 2
}

// peakPortable runs rounds of eight multiply-adds without dependence and returns the operations.
func peakPortable(rounds int) int {
	var s [8]Real
	x0, x1, x2, x3, x4, x5, x6, x7 := s[0], s[1], s[2], s[3], s[4], s[5], s[6], s[7]
	for range rounds {
		x0, x1, x2, x3 = x0*0.5+1, x1*0.5+1, x2*0.5+1, x3*0.5+1
		x4, x5, x6, x7 = x4*0.5+1, x5*0.5+1, x6*0.5+1, x7*0.5+1
	}
	if x0+x1+x2+x3+x4+x5+x6+x7 < 0 { // never; keeps the loop
		return 0
	}
	return rounds * 8 * 2
}
