package importer

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/bloomgml/bloom/dataset"
)

const (
	maxLevels = 64 // of a category that is recognised by itself
	maxForced = 4096
)

// fitColumn guesses what a column holds and fits its transform. A kind that is not empty is obeyed.
//
// Chosen: a column is numbers if every value that is there is a finite number; else a category if it
// has at most 64 levels and at most half as many as rows; else it is skipped. Truth values are a
// category. Mean and deviation are taken over all rows, as features of all nodes are known when a
// graph is learnt from.
func fitColumn(raw *dataset.RawColumn, forced string) (dataset.Column, error) {
	p := profile(&raw.Values)
	c := dataset.Column{Name: raw.Name, Missing: p.missing, Kind: forced}
	if forced == "" {
		c.Kind, c.Why = p.guess()
	} else {
		c.Why = "you said so"
	}
	switch c.Kind {
	case dataset.Number:
		if p.numbers == 0 {
			return c, fmt.Errorf("column %q cannot be a number: it has none", c.Name)
		}
		c.Missing = p.rows - p.numbers
		c.Mean, c.SD = p.mean, math.Sqrt(p.square/float64(p.numbers))
		if c.SD == 0 {
			c.SD = 1
		}
	case dataset.Category:
		if p.levels == nil {
			return c, fmt.Errorf("column %q cannot be a category: it has more than %d levels", c.Name, maxForced)
		}
		c.Levels = p.names()
	case dataset.Skipped:
		c.Missing = 0
	default:
		return c, fmt.Errorf("column %q cannot be %q, want number, category or skipped", c.Name, forced)
	}
	return c, nil
}

// columnProfile is what guessing needs to know of a column.
type columnProfile struct {
	rows, missing, numbers int
	mean, square           float64 // of the numbers; square is Σ(x − mean)²
	levels                 map[string]int
	odd                    string // the first value that is no number
	length                 int    // of all values
	dates                  int
}

// profile looks at every value once. Mean and squares are Welford's.
func profile(t *dataset.Texts) columnProfile {
	p := columnProfile{rows: t.Len(), levels: map[string]int{}}
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
			p.numbers++
			d := x - p.mean
			p.mean += d / float64(p.numbers)
			p.square += d * (x - p.mean)
			continue
		}
		if p.odd == "" {
			p.odd = text
		}
		if _, ok := parseTime(text); ok {
			p.dates++
		}
	}
	return p
}

// guess is the kind of a column and why.
func (p *columnProfile) guess() (string, string) {
	there := p.rows - p.missing
	levels := len(p.levels)
	some := p.levels != nil
	switch {
	case there == 0:
		return dataset.Skipped, "all values are missing"
	case some && levels == 1:
		return dataset.Skipped, fmt.Sprintf("all values are %.20q", p.names()[0])
	case p.numbers == there && !math.IsInf(p.square, 0) && !math.IsNaN(p.square):
		return dataset.Number, fmt.Sprintf("%d of %d values are numbers", p.numbers, p.rows)
	case p.dates == there:
		return dataset.Skipped, "dates; --split time=COLUMN divides by them"
	case some && levels <= maxLevels && levels <= max(2, there/2):
		why := fmt.Sprintf("%d levels in %d values", levels, there)
		if 10*p.numbers >= 9*there {
			why += fmt.Sprintf("; not a number: %.20q", p.odd)
		}
		return dataset.Category, why
	case 10*p.numbers >= 9*there:
		return dataset.Skipped, fmt.Sprintf("%d of %d values are numbers, but not %.20q", p.numbers, there, p.odd)
	case some && levels == there:
		return dataset.Skipped, "every value is different"
	case some:
		return dataset.Skipped, fmt.Sprintf("text: %d different values", levels)
	}
	return dataset.Skipped, fmt.Sprintf("text: more than %d different values", maxForced)
}

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
