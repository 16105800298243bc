package report

import (
	"fmt"
	"math"
	"strconv"

	"github.com/bloomgml/bloom/internal/chart"
)

// small is a share of which the size matters more than the digits: 0.046 %, 7 %.
func small(x float64) string { return chart.Compact(float64(float32(100*x))) + "\u00a0%" }

// round is x to two decimals.
func round(x float64) float64 { return math.Round(100*x) / 100 }

// signed is x with its sign.
func signed(x float64) string {
	if x > 0 {
		return "+" + chart.Compact(x)
	}
	return chart.Compact(x)
}

// duration is seconds for people.
func duration(seconds float64) string {
	switch {
	case seconds < 1:
		return chart.Digits(math.Round(1000*seconds)) + " ms"
	case seconds < 60:
		return chart.Digits(seconds) + " s"
	case seconds < 3600:
		return fmt.Sprintf("%d min %d s", int(seconds)/60, int(seconds)%60)
	}
	return fmt.Sprintf("%d h %d min", int(seconds)/3600, int(seconds)/60%60)
}

// ratio is the share of n that a sum is.
func ratio(sum float64, n int) float64 { return sum / float64(n) }

// coordinate is x with two decimals.
func coordinate(x float64) string { return strconv.FormatFloat(x, 'f', 2, 64) }
