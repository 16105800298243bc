package terminal

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
)

// Plot draws a line through values in braille letters of 2×4 dots, with the largest and the smallest value at
// the left and the number of the first and the last below. It is width letters wide, labels not counted. Values that
// are not finite are left out; nil if none is left.
func Plot(values []float64, width, height int) []string {
	if values = finite(values); len(values) == 0 {
		return nil
	}
	lo, hi := slices.Min(values), slices.Max(values)
	top, bottom := fmt.Sprintf("%.4g", hi), fmt.Sprintf("%.4g", lo)
	margin := max(len(top), len(bottom))
	lines := make([]string, 0, height+2)
	for y, row := range dots(values, lo, hi, width, height) {
		label := ""
		switch y {
		case 0:
			label = top
		case height - 1:
			label = bottom
		}
		lines = append(lines, fmt.Sprintf("%*s ┤%s", margin, label, strings.TrimRight(string(row), "\u2800")))
	}
	last := fmt.Sprint(len(values) - 1)
	axis := fmt.Sprintf("%*s └%s", margin, "", strings.Repeat("─", width))
	return append(lines, axis, fmt.Sprintf("%*s  0%*s", margin, "", width-1, last))
}

// bits are the dots of a braille letter, by row and column.
var bits = [4][2]rune{{0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}}

// dots returns the letters of the line, row by row from the top.
func dots(values []float64, lo, hi float64, width, height int) [][]rune {
	rows := make([][]rune, height)
	for y := range rows {
		rows[y] = []rune(strings.Repeat("\u2800", width))
	}
	if hi == lo {
		hi = lo + 1
	}
	levels := float64(4*height - 1)
	before := -1
	for x := range 2 * width {
		y := int(math.Round((hi/2 - between(values, float64(x)/float64(2*width-1))/2) / (hi/2 - lo/2) * levels))
		from := y
		if before >= 0 && before != y { // join the columns where the line is steep
			from = before + cmp.Compare(y, before)
		}
		for k := min(from, y); k <= max(from, y); k++ {
			rows[k/4][x/2] |= bits[k%4][x%2]
		}
		before = y
	}
	return rows
}

// between returns the value at a place from 0 to 1, on straight lines between the values.
func between(values []float64, at float64) float64 {
	at *= float64(len(values) - 1)
	i := min(int(at), len(values)-1)
	if i == len(values)-1 {
		return values[i]
	}
	t := at - float64(i)
	return values[i]*(1-t) + values[i+1]*t
}

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
	values = finite(values)
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

// finite returns the values that are finite.
func finite(values []float64) []float64 {
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
