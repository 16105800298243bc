package importer

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/bloomgml/bloom/dataset"
)

// Overview: a number is read as people write it: €1,234.50, 1.234,50 EUR, 1 234, 1'234, (12), 12-, 7.1 %, 44 months,
// 1.2k, 12:34. What a text alone leaves open, whether 1,234 has thousands or a decimal comma, is decided by the other
// values of its column and kept in dataset.Column.

// numeral is a number as it is written.
type numeral struct {
	x     float64 // with the point as decimal mark if the text does not say
	comma float64 // the same with the comma
	mark  byte    // the decimal mark if the text tells it, else 0
	unit  string  // "month", empty for none
	money string  // "€", "EUR", empty for none
	bound bool    // it is a limit or approximate, as <0.1 and ~3
}

// missingWords are texts in lower case that stand for a missing value; see IsMissing for those whose case counts.
var missingWords = []string{"nan", "nat", "null", "n/a", "n.a.", "#n/a", "#na", "<na>", "(null)", "(blank)", "-", "--",
	"---", "–", "—", "?", ".", `\n`, "not available", "0000-00-00", "0000-00-00 00:00:00", "#value!", "#ref!",
	"#div/0!", "#null!", "#name?", "#num!", "#n/a n/a", "-nan", "nil", "n.d.", "n/d", "k.a.", "k. a."}

// IsMissing reports whether a text says that there is no value.
func IsMissing(text string) bool {
	switch {
	case text == "":
		return true
	case len(text) > 19:
		return false
	case text == "NA" || text == "na" || text == "None":
		return true
	}
	c := text[0]
	if c >= '1' && c <= '9' || c == '-' && len(text) > 4 {
		return false
	}
	return slices.Contains(missingWords, strings.ToLower(text))
}

// parseNumber reads a finite number that needs no column to be understood.
func parseNumber(text string) (float64, bool) { return Number(new(dataset.Column), text) }

// Number reads a number of column c.
func Number(c *dataset.Column, text string) (float64, bool) {
	n, ok := readNumber(text)
	if !ok {
		return 0, false
	}
	factor, ok := conversion(n.unit, c.Unit)
	if c.Comma {
		return n.comma * factor, ok
	}
	return n.x * factor, ok
}

func readNumber(text string) (n numeral, ok bool) {
	if x, whole, ok := shortNumber(text); ok {
		n.x, n.comma = x, x
		if !whole {
			n.mark = '.'
		}
		return n, true
	}
	if x, err := strconv.ParseFloat(text, 64); err == nil && plain(text) {
		n.x, n.comma = x, x
		at := strings.IndexByte(text, '.')
		if at < 0 {
			return n, true
		}
		n.mark = '.'
		if y, ok := grouped(strings.TrimLeft(text, "+-"), "."); ok { // 1.234
			if n.comma, n.mark = y, 0; text[0] == '-' {
				n.comma = -y
			}
		}
		return n, true
	}
	if len(text) == 0 || len(text) > 64 || len(text) > 7 && text[4] == '-' && plainDigits(text[:4]) { // a date
		return n, false
	}
	return readDressed(text)
}

// powers are the powers of ten that are exact.
var powers = [...]float64{1, 10, 100, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15}

// shortNumber reads 12 and −1.25: up to 15 digits, which are exact, so that their quotient by a power of ten is the
// nearest number. What may have thousands, as 1.234, is left to others.
func shortNumber(text string) (x float64, whole, ok bool) {
	rest, point, value := strings.TrimPrefix(text, "-"), -1, int64(0)
	if len(rest) == 0 || len(rest) > 16 {
		return 0, false, false
	}
	for i := range len(rest) {
		switch c := rest[i]; {
		case c >= '0' && c <= '9':
			value = 10*value + int64(c-'0')
		case c == '.' && point < 0 && i > 0:
			point = i
		default:
			return 0, false, false
		}
	}
	x, whole = float64(value), point < 0
	if fraction := len(rest) - point - 1; whole && len(rest) == 16 || !whole && (fraction == 0 || fraction == 3) {
		return 0, false, false
	} else if !whole {
		x /= powers[fraction]
	}
	if len(rest) < len(text) {
		x = -x
	}
	return x, whole, true
}

// plain reports whether text has only characters of a Go number.
func plain(text string) bool {
	for i := range len(text) {
		if c := text[i]; (c < '0' || c > '9') && c != '.' && c != '-' && c != '+' && c != 'e' && c != 'E' {
			return false
		}
	}
	return text != "" && (text[0] < 'A')
}

// readDressed is readNumber for texts with more than digits and a point.
func readDressed(text string) (n numeral, ok bool) {
	negative := false
	if inner, found := strings.CutPrefix(text, "("); found {
		if inner, found = strings.CutSuffix(inner, ")"); !found {
			return n, false
		}
		text, negative = strings.TrimSpace(inner), true
	}
	if bare := strings.TrimLeft(text, "<>=≤≥~≈±"); len(bare) < len(text) {
		text, n.bound = trimLeft(bare), true
	}
	for _, about := range aboutWords {
		if rest, found := strings.CutPrefix(text, about); found {
			text, n.bound = trimLeft(rest), true
			break
		}
	}
	text = strings.TrimRight(text, "*†‡") // footnotes
	if rest, found := strings.CutSuffix(text, "+"); found {
		text, n.bound = rest, true
	}
	sign := func() {
		for _, minus := range []string{"-", "−", "–"} {
			if rest, found := strings.CutPrefix(text, minus); found {
				text, negative = trimLeft(rest), !negative
				return
			}
		}
		text = strings.TrimPrefix(text, "+")
	}
	sign()
	if x, ok := readDuration(text); ok {
		if n.x, n.unit = x, clockUnit; negative {
			n.x = -x
		}
		n.comma = n.x
		return n, true
	}
	if x, ok := readDegrees(text); ok {
		n.x, n.comma, n.unit = x, x, "°"
		return n, true
	}
	if text, n.money = cutMoney(text); n.money != "" {
		sign()
	}
	end := digitsEnd(text)
	x, comma, mark, ok := readDigits(text[:end])
	if !ok {
		return n, false
	}
	factor, ok := n.suffix(strings.TrimFunc(text[end:], unicode.IsSpace), &negative)
	if negative {
		factor = -factor
	}
	n.x, n.comma, n.mark = x*factor, comma*factor, mark
	return n, ok && isFinite(n.x) && isFinite(n.comma)
}

// aboutWords stand before numbers that are not exact.
var aboutWords = []string{"approx. ", "approx ", "about ", "around ", "circa ", "ca. ", "ca ", "c. ", "max. ", "min. "}

// clockUnit is the unit of numbers that are written as hours, minutes and seconds.
const clockUnit = "h:m:s"

// readDuration reads 12:34, 1:02:03, 1h 20m, 2m5s and 5 years 3 months: seconds, of minutes and seconds where there are
// two numbers with a colon.
func readDuration(text string) (seconds float64, ok bool) {
	if strings.IndexByte(text, ':') >= 0 {
		parts := strings.Split(text, ":")
		for i, part := range parts {
			x, err := strconv.ParseFloat(part, 64)
			whole, _, _ := strings.Cut(part, ".")
			if err != nil || !plain(part) || i > 0 && (len(whole) != 2 || x >= 60) || i == 0 && !plainDigits(part) {
				return 0, false
			}
			seconds = 60*seconds + x
		}
		return seconds, len(parts) <= 3
	}
	rest, words := strings.ToLower(text), 0
	for rest != "" {
		number, after := digits(rest)
		after = trimLeft(after)
		x, err := strconv.ParseFloat(number, 64)
		end := strings.IndexFunc(after, func(r rune) bool { return r < 'a' || r > 'z' })
		if end < 0 {
			end = len(after)
		}
		unit := after[:end]
		if unit == "m" {
			unit = "min"
		}
		m := units[unitOf(unit)]
		if err != nil || m.what != "time" {
			return 0, false
		}
		seconds += x * m.size
		rest = strings.TrimLeft(after[end:], " ,")
		words++
	}
	return seconds, words > 1
}

// readDegrees reads an angle in degrees, minutes and seconds, or with a direction: 52°30'N, 13° 24′ 18″ W.
func readDegrees(text string) (x float64, ok bool) {
	if !strings.Contains(text, "°") {
		return 0, false
	}
	scale, rest, parts := 1.0, text, 0
	for _, marks := range []string{"°", "'′’", "\"″”"} {
		at := strings.IndexAny(rest, marks)
		if at < 0 {
			continue
		}
		part, err := strconv.ParseFloat(strings.TrimSpace(rest[:at]), 64)
		if err != nil || part < 0 {
			return 0, false
		}
		_, size := utf8.DecodeRuneInString(rest[at:])
		x, rest, parts = x+part*scale, strings.TrimSpace(rest[at+size:]), parts+1
		scale /= 60
	}
	switch strings.ToUpper(rest) {
	case "N", "E":
	case "S", "W":
		x = -x
	case "":
		return x, parts > 1
	default:
		return 0, false
	}
	return x, true
}

func trimLeft(text string) string { return strings.TrimLeftFunc(text, unicode.IsSpace) }

// moneyCodes are the codes that stand before or after amounts.
var moneyCodes = []string{"EUR", "USD", "GBP", "CHF", "JPY", "CNY", "RMB", "SEK", "NOK", "DKK", "ISK", "PLN", "CZK",
	"HUF", "RON", "BGN", "TRY", "RUB", "UAH", "INR", "IDR", "MYR", "SGD", "HKD", "TWD", "KRW", "THB", "VND", "PHP",
	"AUD", "NZD", "CAD", "MXN", "BRL", "ARS", "CLP", "COP", "PEN", "ZAR", "NGN", "KES", "EGP", "MAD", "ILS", "SAR",
	"AED", "QAR", "KWD", "PKR", "BDT", "LKR", "BTC", "ETH", "FR.", "RS.", "RS", "KR", "KČ", "ZŁ", "FT", "LEI"}

// dollars are the prefixes of the sign in US$ and the like.
var dollars = []string{"", "US", "R", "A", "C", "NZ", "S", "HK", "NT"}

// isMoney reports whether a word is money: a sign, or one of the codes.
func isMoney(word string) bool {
	r, n := utf8.DecodeRuneInString(word)
	return n == len(word) && unicode.Is(unicode.Sc, r) || slices.Contains(moneyCodes, strings.ToUpper(word))
}

// cutMoney cuts signs and codes of money off the beginning: €, US$, EUR.
func cutMoney(text string) (rest, money string) {
	at := strings.IndexFunc(text, func(r rune) bool { return !unicode.IsLetter(r) })
	if at < 0 {
		return text, ""
	}
	if at > 0 && text[at] == '.' {
		at++
	}
	r, n := utf8.DecodeRuneInString(text[at:])
	switch word := text[:at]; {
	case unicode.Is(unicode.Sc, r) && slices.Contains(dollars, word):
		return trimLeft(text[at+n:]), text[:at+n]
	case word != "" && isMoney(word):
		return trimLeft(text[at:]), word
	}
	return text, ""
}

// digitsEnd returns where the digits of a number end, including separators and exponent.
func digitsEnd(text string) int {
	end := 0
	for i, r := range text {
		switch {
		case r >= '0' && r <= '9':
			end = i + 1
		case r == '.' || r == ',':
			end = i + 1
		case r == '\'' || r == '’' || unicode.IsSpace(r): // between digits alone
		case (r == 'e' || r == 'E') && end == i && exponent(text[i+1:]) > 0:
			return i + 1 + exponent(text[i+1:])
		default:
			return end
		}
	}
	return end
}

// exponent returns the length of the exponent that text begins with, 0 if there is none.
func exponent(text string) int {
	n := 0
	if n < len(text) && (text[n] == '-' || text[n] == '+') {
		n++
	}
	from := n
	for n < len(text) && text[n] >= '0' && text[n] <= '9' {
		n++
	}
	if n == from {
		return 0
	}
	return n
}

// readDigits reads digits with a decimal mark and thousands that commas, points, spaces or apostrophes group.
func readDigits(text string) (x, comma float64, mark byte, ok bool) {
	for _, group := range []string{" ", "\u00a0", "\u202f", "\u2009", "'", "’"} {
		if !strings.Contains(text, group) {
			continue
		}
		at := strings.IndexAny(text, ".,")
		if at < 0 {
			at = len(text)
		}
		if _, ok := grouped(text[:at], group); !ok {
			return 0, 0, 0, false
		}
		text = strings.ReplaceAll(text[:at], group, "") + text[at:]
		break
	}
	points, commas := strings.Count(text, "."), strings.Count(text, ",")
	switch {
	case points > 0 && commas > 0:
		mark = ','
		if strings.LastIndexByte(text, '.') > strings.LastIndexByte(text, ',') {
			mark = '.'
		}
	case points > 1:
		mark = ','
	case commas > 1:
		mark = '.'
	case points+commas == 1:
		mark = text[strings.IndexAny(text, ".,")]
		if y, ok := grouped(text, string(mark)); ok { // 1,234 and 1.234
			z, err := strconv.ParseFloat(strings.Replace(text, ",", ".", 1), 64)
			if mark == ',' {
				return y, z, 0, err == nil
			}
			return z, y, 0, err == nil
		}
	default:
		x, err := strconv.ParseFloat(text, 64)
		return x, x, 0, err == nil
	}
	thousands := ","
	if mark == ',' {
		thousands = "."
	}
	whole, part, _ := strings.Cut(text, string(mark))
	if strings.Contains(whole, thousands) {
		if _, ok := grouped(whole, thousands); !ok {
			return 0, 0, 0, false
		}
		whole = strings.ReplaceAll(whole, thousands, "")
	}
	x, err := strconv.ParseFloat(whole+"."+part, 64)
	return x, x, mark, err == nil
}

// grouped reads a whole number in groups of three digits, as 1,234,567, or of two before the last, as 12,34,567.
func grouped(text, group string) (float64, bool) {
	rest, digits := text, make([]byte, 0, 24)
	for first := true; ; first = false {
		part, after, more := strings.Cut(rest, group)
		n := len(part)
		if n == 0 || n > 3 || !first && n == 1 || !more && (n != 3 || first) || first && part[0] == '0' {
			return 0, false
		}
		for i := range n {
			if part[i] < '0' || part[i] > '9' {
				return 0, false
			}
		}
		if digits = append(digits, part...); !more {
			x, err := strconv.ParseFloat(string(digits), 64)
			return x, err == nil
		}
		rest = after
	}
}

// multiples are what k and its like multiply by.
var multiples = map[string]float64{"k": 1e3, "K": 1e3, "M": 1e6, "mn": 1e6, "Mio": 1e6, "Mio.": 1e6, "B": 1e9,
	"bn": 1e9, "Mrd": 1e9, "Mrd.": 1e9, "thousand": 1e3, "Tsd": 1e3, "Tsd.": 1e3, "lakh": 1e5, "million": 1e6,
	"millions": 1e6, "crore": 1e7, "billion": 1e9, "TEUR": 1e3, "T€": 1e3}

// moneyMultiples are the same of amounts of money, where m is no metre: €1.2m.
var moneyMultiples = map[string]float64{"m": 1e6, "mm": 1e6, "mio": 1e6, "b": 1e9}

// multipleOf returns what a word multiplies by, with money behind it or not: k, k€, kEUR.
func (n *numeral) multipleOf(word string) (times float64, ok bool) {
	if times, ok = multiples[word]; ok {
		return times, true
	}
	r, size := utf8.DecodeLastRuneInString(word)
	if unicode.Is(unicode.Sc, r) {
		n.money, word = word[len(word)-size:], word[:len(word)-size]
	} else if at := len(word) - 3; at > 0 && isMoney(word[at:]) {
		n.money, word = word[at:], word[:at]
	} else if n.money == "" {
		return 1, false
	}
	if times, ok = moneyMultiples[word]; !ok {
		times, ok = multiples[word]
	}
	return times, ok
}

// suffix reads what follows the digits, and returns the factor to multiply by.
func (n *numeral) suffix(text string, negative *bool) (factor float64, ok bool) {
	factor = 1
	if text == "-" {
		*negative = !*negative
		return 1, true
	}
	for text != "" {
		word, rest, _ := strings.Cut(text, " ")
		before := n.money
		times, multiple := n.multipleOf(word)
		if !multiple {
			n.money = before
		}
		switch {
		case word == "%":
			factor /= 100
		case multiple && n.unit == "" && factor == 1:
			factor = times
		case isMoney(word):
			n.money = word
		case n.unit == "" && len(word) > 1 && word[0] == '/' && plainDigits(word[1:]): // 4/5 stars
			n.unit = word
		case n.unit == "" && isUnit(word):
			n.unit = unitOf(word)
			if times, size := byteMultiples[n.unit]; size {
				n.unit, factor = bytesUnit, factor*times
			}
		case n.unit != "" && (word == "ago" || word == "old"): // 3 days ago, 2 years old
		default:
			return 0, false
		}
		text = trimLeft(rest)
	}
	return factor, true
}

// isUnit reports whether a word may be a unit: letters, and what stands in km/h, m² and °C.
func isUnit(word string) bool {
	if len(word) > 16 {
		return false
	}
	for i, r := range word {
		if !unicode.IsLetter(r) && r != '°' && r != 'µ' && (i == 0 || !strings.ContainsRune("/²³.€$", r)) {
			return false
		}
	}
	return true
}
