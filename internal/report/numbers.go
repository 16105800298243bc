package report

import (
	"fmt"
	"html"
	"math"
	"regexp"
	"strconv"
	"strings"
	"unicode"

	"github.com/bloomgml/bloom/internal/show"
)

// small returns a share of which the size matters more than the digits: 0.046 %, 7 %.
func small(x float64) string { return show.Compact(float64(float32(100*x))) + "\u00a0%" }

// round returns x to two decimals.
func round(x float64) float64 { return math.Round(100*x) / 100 }

// signed returns x with its sign.
func signed(x float64) string {
	if x > 0 {
		return "+" + show.Compact(x)
	}
	return show.Compact(x)
}

// duration is seconds for people.
func duration(seconds float64) string {
	switch {
	case seconds < 1:
		return show.Digits(math.Round(1000*seconds)) + " ms"
	case seconds < 60:
		return show.Digits(seconds) + " s"
	case seconds < 3600:
		return fmt.Sprintf("%d min %d s", int(seconds)/60, int(seconds)%60)
	}
	return fmt.Sprintf("%d h %d min", int(seconds)/3600, int(seconds)/60%60)
}

// ratio returns the share of n that a sum is.
func ratio(sum float64, n int) float64 { return sum / float64(n) }

// coordinate returns x with two decimals.
func coordinate(x float64) string { return strconv.FormatFloat(x, 'f', 2, 64) }

// symbol matches a subscript, a superscript or a word in a formula.
var symbol = regexp.MustCompile(`_[\p{L}\p{M}\p{N}]+|\^[−½.\p{L}\p{N}]+|[∞₀-₉ˡ]|\p{L}[\p{L}\p{M}]*`)

// lowered and raised are characters that are small already, in few fonts.
var lowered = map[string]string{"∞": "∞", "₀": "0", "₁": "1", "₂": "2"}

// typeset returns HTML for a formula as texts have it, such as λ/2 ‖h_u C − h_v‖²: letters in italics, indices below
// the line and exponents above it, and words as they are.
func typeset(text string) string {
	return symbol.ReplaceAllStringFunc(html.EscapeString(text), func(s string) string {
		switch {
		case s[0] == '_' && s[1] >= '0' && s[1] <= '9':
			return "<sub>" + s[1:] + "</sub>"
		case s[0] == '_':
			return "<sub><i>" + s[1:] + "</i></sub>"
		case s[0] == '^':
			return "<sup>" + typeset(s[1:]) + "</sup>"
		case s == "ˡ":
			return "<sup><i>l</i></sup>"
		case lowered[s] != "":
			return "<sub>" + lowered[s] + "</sub>"
		case isVariable(s):
			return "<i>" + s + "</i>"
		}
		return s
	})
}

// isVariable reports whether letters are variables rather than a word: a single one, capitals such as XW, or Greek.
func isVariable(s string) bool {
	single := len([]rune(s)) == 1 || len([]rune(s)) == 2 && unicode.Is(unicode.Mn, []rune(s)[1])
	greek := strings.ContainsFunc(s, func(c rune) bool { return unicode.Is(unicode.Greek, c) })
	return s != "a" && s != "Σ" && (single || greek || strings.ToUpper(s) == s)
}
