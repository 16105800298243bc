package importer

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/bloomgml/bloom/internal/tabular"
)

const (
	maxLevels = 64 // of a category that is recognised by itself
	maxForced = 4096
	freeWords = 3 // of a text, on average
)

// saidSo is why a column has the kind that the user gave it.
const saidSo = "you said so"

// fitColumn guesses what a column holds and fits its transform. A kind that is not empty is obeyed. divides says that
// rows are divided by the time in the column.
//
// Chosen: a column is numbers if at least nine of ten values that are there are finite numbers, others counting as
// missing; but not where numbers begin with a zero, as zip codes do, or number the rows. It is times or lists of
// numbers if nine of ten are dates, or lists of one length. Else it is a category if it has at most 64 levels and at
// most half as many as rows; text if values have three words on average; else it is skipped. Truth values are a
// category. Mean and deviation are taken over all rows, as features of all nodes are known when a graph is learnt from.
// Times by which rows are divided give features of the calendar only: how much time has passed says nothing about test
// rows, which lie beyond all that was learnt from.
func fitColumn(raw *tabular.RawColumn, forced string, divides bool) (tabular.Column, error) {
	p := profile(&raw.Values)
	c := tabular.Column{Name: raw.Name, Kind: forced, Why: saidSo}
	if forced == "" {
		if c.Kind, c.Why = p.guess(raw.Name); c.Kind == tabular.Time && divides {
			c.Kind, c.Why = tabular.Calendar, c.Why+", by which rows are divided"
		}
	}
	if lacks := p.fit(&c, &raw.Values); lacks != "" {
		if forced != "" {
			return c, fmt.Errorf("column %q cannot be %q: %s", c.Name, forced, lacks)
		}
		c = tabular.Column{Name: c.Name, Kind: tabular.Skipped, Why: c.Why + "; " + lacks}
	}
	return c, nil
}

// fit fits the transform of the kind of c, or says what the column lacks for that.
func (p *columnProfile) fit(c *tabular.Column, values *tabular.Texts) (lacks string) {
	length, _ := p.commonLength()
	switch c.Kind {
	case tabular.Number:
		if p.numbers == 0 {
			return "it has no numbers"
		}
		c.Missing, c.Mean, c.SD = p.rows-p.numbers, p.mean, math.Sqrt(p.square/float64(p.numbers))
		if c.SD == 0 {
			c.SD = 1
		}
	case tabular.Category:
		if p.levels == nil {
			return fmt.Sprintf("it has more than %d levels", maxForced)
		}
		c.Missing, c.Levels = p.missing, p.names()
	case tabular.Time, tabular.Calendar:
		if p.dates == 0 {
			return "it has no dates"
		}
		if fitTime(c, values); len(c.Parts) == 0 {
			return "all but the year is the same"
		}
	case tabular.Vector:
		if length == 0 {
			return "it has no lists of numbers"
		}
		fitVector(c, values, length)
	case tabular.Text:
		if fitText(c, values); len(c.Levels) == 0 {
			return "no word is in two rows"
		}
	case tabular.Skipped:
	default:
		return "kinds are " + strings.Join(tabular.Kinds, ", ")
	}
	return ""
}

// columnProfile is what guessing needs to know of a column.
type columnProfile struct {
	rows, missing, numbers int
	mean, square           float64 // of the numbers; square is Σ(x − mean)²
	levels                 map[string]int
	odd                    string // the first value that is no number
	length                 int    // of all values
	dates, words           int
	lists                  map[int]int // how many lists of numbers have each length
	coded                  string      // the first whole number that begins with a zero: 01234
	whole                  int         // whole numbers
	least, most            float64     // of all numbers
}

// number takes a number. Mean and squares are Welford's.
func (p *columnProfile) number(text string, x float64) {
	if p.numbers++; p.numbers == 1 {
		p.least, p.most = x, x
	}
	p.least, p.most = min(p.least, x), max(p.most, x)
	d := x - p.mean
	p.mean += d / float64(p.numbers)
	p.square += d * (x - p.mean)
	if x != math.Trunc(x) || strings.ContainsAny(text, ".eE") {
		return
	}
	p.whole++
	if p.coded == "" && len(text) > 1 && text[0] == '0' {
		p.coded = text
	}
}

// isKey reports whether a column of numbers names the rows: whole numbers, all different, that either are one after
// another or have a name such as account_id.
func (p *columnProfile) isKey(name string) bool {
	name = strings.ToLower(name)
	named := name == "id" || strings.HasSuffix(name, "_id") || strings.HasSuffix(name, "uuid")
	return p.numbers > 2 && p.whole == p.rows-p.missing && len(p.levels) == p.whole &&
		(named || p.most-p.least == float64(p.whole-1) && p.whole > maxLevels)
}

// profile looks at every value once.
func profile(t *tabular.Texts) columnProfile {
	p := columnProfile{rows: t.Len(), levels: map[string]int{}, lists: map[int]int{}}
	var list []float64
	for i := range t.Len() {
		text := strings.TrimSpace(string(t.Get(i)))
		if isMissing(text) {
			p.missing++
			continue
		}
		p.length += len(text)
		if p.levels != nil {
			p.levels[text]++
			if len(p.levels) > maxForced {
				p.levels = nil
			}
		}
		if x, ok := parseNumber(text); ok {
			p.number(text, x)
			continue
		}
		if p.odd == "" {
			p.odd = text
		}
		p.words += countWords(text)
		if _, ok := parseTime(text); ok {
			p.dates++
		}
		ok := false
		if list, ok = parseVector(list[:0], text); ok {
			p.lists[len(list)]++
		}
	}
	return p
}

// commonLength is the length that most lists of numbers have, the smallest of those that tie, and how many have it.
func (p *columnProfile) commonLength() (length, count int) {
	for _, n := range slices.Sorted(maps.Keys(p.lists)) {
		if p.lists[n] > count {
			length, count = n, p.lists[n]
		}
	}
	return length, count
}

// guess is the kind of a column and why.
func (p *columnProfile) guess(name string) (string, string) {
	there := p.rows - p.missing
	levels := len(p.levels)
	some := p.levels != nil
	length, listed := p.commonLength()
	switch {
	case there == 0:
		return tabular.Skipped, "all values are missing"
	case some && levels == 1:
		return tabular.Skipped, fmt.Sprintf("all values are %.20q", p.names()[0])
	case p.coded != "":
		return p.codes(there)
	case p.isKey(name):
		return tabular.Skipped, "whole numbers that are all different name the rows; --kind " + name + "=number"
	case 10*p.numbers >= 9*there && isFinite(p.square):
		why := fmt.Sprintf("%d of %d values are numbers", p.numbers, p.rows)
		if p.numbers < there {
			why += fmt.Sprintf("; not a number: %.20q", p.odd)
		}
		return tabular.Number, why
	case 10*p.dates >= 9*there:
		return tabular.Time, fmt.Sprintf("%d of %d values are dates", p.dates, p.rows)
	case 10*listed >= 9*there:
		return tabular.Vector, fmt.Sprintf("%d of %d values are lists of %d numbers", listed, p.rows, length)
	case some && levels <= maxLevels && levels <= max(2, there/2):
		return tabular.Category, fmt.Sprintf("%d levels in %d values", levels, there)
	case p.words >= freeWords*there:
		return tabular.Text, fmt.Sprintf("%.3g words in a value", float64(p.words)/float64(there))
	case some && levels == there:
		return tabular.Skipped, "every value is different"
	case some:
		return tabular.Skipped, fmt.Sprintf("%d different values", levels)
	}
	return tabular.Skipped, fmt.Sprintf("more than %d different values", maxForced)
}

// codes is the kind of a column with numbers such as 01234, which are names.
func (p *columnProfile) codes(there int) (string, string) {
	why := fmt.Sprintf("codes such as %.20q, not numbers", p.coded)
	if p.levels != nil && len(p.levels) <= maxLevels && len(p.levels) <= max(2, there/2) {
		return tabular.Category, fmt.Sprintf("%d levels of %s", len(p.levels), why)
	}
	return tabular.Skipped, why + "; too many different ones for a category"
}

func isFinite(x float64) bool { return !math.IsInf(x, 0) && !math.IsNaN(x) }

// names are the levels in order.
func (p *columnProfile) names() []string {
	names := make([]string, 0, len(p.levels))
	for name := range p.levels {
		names = append(names, name)
	}
	sortNames(names)
	return names
}

// sortNames sorts names by their numbers where all are numbers, else by their letters.
func sortNames(names []string) {
	number := make(map[string]float64, len(names))
	for _, name := range names {
		x, ok := parseNumber(name)
		if !ok {
			slices.Sort(names)
			return
		}
		number[name] = x
	}
	slices.SortFunc(names, func(a, b string) int {
		switch {
		case number[a] < number[b]:
			return -1
		case number[a] > number[b]:
			return 1
		}
		return strings.Compare(a, b)
	})
}
