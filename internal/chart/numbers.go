package chart

import (
	"math"
	"strconv"
)

// Percent is a fraction in hundredths, with a decimal if it needs one; – for NaN.
func Percent(x float64) string {
	if math.IsNaN(x) {
		return "–"
	}
	return Minus(strconv.FormatFloat(math.Round(1000*x)/10, 'f', -1, 64)) + "\u00a0%"
}

// Fraction is a number between 0 and 1 as papers print it.
func Fraction(x float64) string { return strconv.FormatFloat(x, 'f', 3, 64) }

// Thousands is n with commas.
func Thousands(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return Minus(s)
}
