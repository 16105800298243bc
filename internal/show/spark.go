package show

import (
	"math"
	"slices"
	"strings"
)

// Bar returns a bar of width letters, filled to an eighth of a letter.
func Bar(share float64, width int) string {
	eighths := int(share * float64(8*width))
	full, rest := eighths/8, eighths%8
	text := strings.Repeat("█", full)
	if rest > 0 {
		text += string([]rune("▏▎▍▌▋▊▉")[rest-1])
		full++
	}
	return text + strings.Repeat("░", width-full)
}

// Sparkline draws values as letters of eight heights, the last width finite ones.
func Sparkline(values []float64, width int) string {
	values = finiteOnes(values)
	values = values[max(0, len(values)-width):]
	if len(values) == 0 {
		return ""
	}
	lo, hi := slices.Min(values), slices.Max(values)
	var b strings.Builder
	for _, v := range values {
		level := 0
		if hi > lo {
			// halves: the difference of large numbers may be infinite
			level = int((v/2 - lo/2) / (hi/2 - lo/2) * 7.999)
		}
		b.WriteRune([]rune("▁▂▃▄▅▆▇█")[level])
	}
	return b.String()
}

// finiteOnes returns the values that are finite.
func finiteOnes(values []float64) []float64 {
	return slices.DeleteFunc(slices.Clone(values), func(v float64) bool { return math.IsNaN(v - v) })
}

// Pull is up to ten blocks for the size of x, by its sign in the colour of good or bad.
func Pull(x, largest float64, p Paint) string {
	if math.IsNaN(x) || math.IsInf(x, 0) || math.IsNaN(largest) {
		return ""
	}
	blocks := strings.Repeat("█", int(10*math.Abs(x)/max(largest, 1e-30)+0.5))
	if x < 0 {
		return p.Bad(blocks)
	}
	return p.Good(blocks)
}

// Largest returns the largest size of the numbers of a list, for Pull.
func Largest[T any](list []T, number func(T) float64) float64 {
	largest := 0.0
	for _, x := range list {
		largest = max(largest, math.Abs(number(x)))
	}
	return largest
}
