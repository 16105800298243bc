package report

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
)

// format writes a number at an axis.
type format func(float64) string

// stride is the distance of at most n intervals between lo and hi: 1, 2 or 5 times a power of ten.
func stride(lo, hi float64, n int) float64 {
	step := math.Pow(10, math.Floor(math.Log10((hi-lo)/float64(n))))
	for _, m := range []float64{1, 2, 5} {
		if (hi-lo)/(step*m) <= float64(n)*(1+1e-9) {
			return step * m
		}
	}
	return 10 * step
}

// multiples are the multiples of step in [lo, hi], ascending, of which there must be fewer than 20.
func multiples(step, lo, hi float64) []float64 {
	var at []float64
	first := math.Ceil(lo/step - 1e-6)
	for i := range 20 {
		if x := (first + float64(i)) * step; x <= hi+1e-6*step {
			at = append(at, x+0) // + 0: there is no −0 on an axis
		}
	}
	return at
}

// apart is the interval from lo to hi, made wider where its ends are so close that no round numbers are between them.
func apart(lo, hi float64) (float64, float64) {
	size := math.Max(math.Abs(lo), math.Abs(hi))
	if hi-lo > 1e-6*size {
		return lo, hi
	}
	if size == 0 {
		size = 1
	}
	return lo - size/2, hi + size/2
}

// inside are round numbers between lo and hi; whole numbers only, where what is shown is counted.
func inside(lo, hi float64, n int, count bool) []float64 {
	step := stride(lo, hi, n)
	if count {
		step = math.Max(1, step)
	}
	return multiples(step, lo, hi)
}

// outside are round numbers of which the first is not above lo and the last not below hi.
func outside(lo, hi float64, n int) []float64 {
	lo, hi = apart(lo, hi)
	step := stride(lo, hi, n)
	return multiples(step, math.Floor(lo/step+1e-6)*step, math.Ceil(hi/step-1e-6)*step)
}

// decades are at most n+1 powers of ten of which the first is not above lo and the last not below hi.
func decades(lo, hi float64, n int) []float64 {
	first, last := math.Floor(math.Log10(lo)+1e-9), math.Ceil(math.Log10(hi)-1e-9)
	last = math.Max(last, first+1)
	skip := math.Ceil((last - first) / float64(n))
	at := []float64{math.Pow(10, first)}
	for e := first; e < last; e += skip {
		at = append(at, math.Pow(10, e+skip))
	}
	return at
}

// labelled are ticks with their text.
func labelled(at []float64, f format) plot.ConstantTicks {
	ticks := make(plot.ConstantTicks, len(at))
	for i, x := range at {
		ticks[i] = plot.Tick{Value: x, Label: f(x)}
	}
	return ticks
}

// compact is x in few letters: 0.25, 1.2k, 3M, 2e−7.
func compact(x float64) string {
	a := math.Abs(x)
	switch {
	case a < 1e-12:
		return "0"
	case a >= 1e15, a < 1e-3:
		return scientific(x)
	case a >= 1e9:
		return digits(x/1e9) + "G"
	case a >= 1e6:
		return digits(x/1e6) + "M"
	case a >= 1e4:
		return digits(x/1e3) + "k"
	}
	return digits(x)
}

// digits is x to three significant digits, or all before the point.
func digits(x float64) string {
	if math.Abs(x) >= 100 {
		return minus(strconv.FormatFloat(math.Round(x), 'f', -1, 64))
	}
	return minus(strconv.FormatFloat(x, 'g', 3, 64))
}

// scientific is x as 2e−7.
func scientific(x float64) string {
	mantissa, exponent, _ := strings.Cut(strconv.FormatFloat(x, 'e', 2, 64), "e")
	e, _ := strconv.Atoi(exponent)
	if strings.Contains(mantissa, ".") {
		mantissa = strings.TrimRight(strings.TrimRight(mantissa, "0"), ".")
	}
	return minus(fmt.Sprintf("%se%d", mantissa, e))
}

// percent is a fraction in hundredths, with a decimal where it is needed.
func percent(x float64) string {
	if math.IsNaN(x) {
		return "–"
	}
	return minus(strconv.FormatFloat(math.Round(1000*x)/10, 'f', -1, 64)) + "\u00a0%"
}

// small is a share of which the size matters more than the digits: 0.046 %, 7 %.
func small(x float64) string { return compact(float64(float32(100*x))) + "\u00a0%" }

// minus writes the sign of a number as typographers do.
func minus(s string) string { return strings.ReplaceAll(s, "-", "−") }

// round is x to two decimals.
func round(x float64) float64 { return math.Round(100*x) / 100 }

// thousands is n with commas.
func thousands(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return minus(s)
}
