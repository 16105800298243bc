package show

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// Duration returns a duration for people: 0.25ms, 340ms, 7.2s, 3m05s, 2h10m.
func Duration(d time.Duration) string {
	switch {
	case d > 0 && d < 10*time.Millisecond:
		return fmt.Sprintf("%.2gms", float64(d)/float64(time.Millisecond))
	case d < time.Second:
		return fmt.Sprintf("%dms", d.Milliseconds())
	case d < time.Minute:
		return fmt.Sprintf("%.1fs", d.Seconds())
	case d < time.Hour:
		return fmt.Sprintf("%dm%02ds", int(d.Minutes()), int(d.Seconds())%60)
	}
	return fmt.Sprintf("%dh%02dm", int(d.Hours()), int(d.Minutes())%60)
}

// Seconds returns a number of them as a Duration.
func Seconds(s float64) string { return Duration(time.Duration(s * float64(time.Second))) }

// Thousands sets every three digits off: 1,166,243.
func Thousands(n int) string {
	text := fmt.Sprint(n)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}

// Plural returns a count with its noun.
func Plural(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return Thousands(n) + " " + noun
}

// Size returns a number of bytes for people.
func Size(bytes int) string {
	switch b := float64(bytes); {
	case b < 1e6:
		return fmt.Sprintf("%.0f kB", b/1e3)
	case b < 1e9:
		return fmt.Sprintf("%.1f MB", b/1e6)
	default:
		return fmt.Sprintf("%.1f GB", b/1e9)
	}
}

// Shorten cuts text to n letters.
func Shorten(text string, n int) string {
	if r := []rune(text); len(r) > n {
		return string(r[:n-1]) + "…"
	}
	return text
}

// Format writes a number at an axis.
type Format func(float64) string

// stride returns the distance of at most n intervals between lo and hi: 1, 2 or 5 times a power of ten.
func stride(lo, hi float64, n int) float64 {
	step := math.Pow(10, math.Floor(math.Log10((hi-lo)/float64(n))))
	for _, m := range []float64{1, 2, 5} {
		if (hi-lo)/(step*m) <= float64(n)*(1+1e-9) {
			return step * m
		}
	}
	return 10 * step
}

// multiples returns the multiples of step in [lo, hi], ascending, of which there must be fewer than 20.
func multiples(step, lo, hi float64) []float64 {
	var at []float64
	first := math.Ceil(lo/step - 1e-6)
	for i := range 20 {
		if x := (first + float64(i)) * step; x <= hi+1e-6*step {
			at = append(at, x+0) // + 0 turns −0 into 0
		}
	}
	return at
}

// widened returns the interval from lo to hi, made wider if its ends are too close for a round number between them.
func widened(lo, hi float64) (float64, float64) {
	size := math.Max(math.Abs(lo), math.Abs(hi))
	if hi-lo > 1e-6*size {
		return lo, hi
	}
	if size == 0 {
		size = 1
	}
	return lo - size/2, hi + size/2
}

// inside returns round numbers between lo and hi; whole numbers only if count is set.
func inside(lo, hi float64, n int, count bool) []float64 {
	step := stride(lo, hi, n)
	if count {
		step = math.Max(1, step)
	}
	return multiples(step, lo, hi)
}

// outside returns round numbers of which the first is not above lo and the last not below hi.
func outside(lo, hi float64, n int) []float64 {
	lo, hi = widened(lo, hi)
	step := stride(lo, hi, n)
	return multiples(step, math.Floor(lo/step+1e-6)*step, math.Ceil(hi/step-1e-6)*step)
}

// decades returns at most n+1 powers of ten of which the first is not above lo and the last not below hi.
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

// Compact returns x in few letters: 0.25, 1.2k, 3M, 2e−7.
func Compact(x float64) string {
	a := math.Abs(x)
	switch {
	case a < 1e-12:
		return "0"
	case a >= 1e15, a < 1e-3:
		return scientific(x)
	case a >= 1e9:
		return Digits(x/1e9) + "G"
	case a >= 1e6:
		return Digits(x/1e6) + "M"
	case a >= 1e4:
		return Digits(x/1e3) + "k"
	}
	return Digits(x)
}

// Digits returns x to three significant digits, or all before the point.
func Digits(x float64) string {
	if math.Abs(x) >= 100 {
		return Minus(strconv.FormatFloat(math.Round(x), 'f', -1, 64))
	}
	return Minus(strconv.FormatFloat(x, 'g', 3, 64))
}

// scientific returns x as 2e−7.
func scientific(x float64) string {
	mantissa, exponent, _ := strings.Cut(strconv.FormatFloat(x, 'e', 2, 64), "e")
	e, _ := strconv.Atoi(exponent)
	if strings.Contains(mantissa, ".") {
		mantissa = strings.TrimRight(strings.TrimRight(mantissa, "0"), ".")
	}
	return Minus(fmt.Sprintf("%se%d", mantissa, e))
}

// Minus writes the sign of a number as typographers do.
func Minus(s string) string { return strings.ReplaceAll(s, "-", "−") }

// Percent returns a fraction in hundredths, with a decimal if it needs one; – for NaN.
func Percent(x float64) string {
	if math.IsNaN(x) {
		return "–"
	}
	return Minus(strconv.FormatFloat(math.Round(1000*x)/10, 'f', -1, 64)) + "\u00a0%"
}

// Fraction returns a number between 0 and 1 as papers print it.
func Fraction(x float64) string { return strconv.FormatFloat(x, 'f', 3, 64) }
