package report

import (
	"html"
	"regexp"
	"strings"
	"unicode"
)

// symbol is what stands below or above the line in a formula, or a word of it.
var symbol = regexp.MustCompile(`_[\p{L}\p{M}\p{N}]+|\^[−½.\p{L}\p{N}]+|[∞₀-₉ˡ]|\p{L}[\p{L}\p{M}]*`)

// lowered and raised are characters that are small already, in few fonts.
var lowered = map[string]string{"∞": "∞", "₀": "0", "₁": "1", "₂": "2"}

// typeset is HTML for a formula as texts have it, such as λ/2 ‖h_u C − h_v‖²: letters in italics, indices below the
// line and exponents above it, and words as they are.
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
