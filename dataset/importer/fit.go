package importer

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/internal/host"
)

const (
	maxLevels = 64 // of a category that is recognised by itself
	maxForced = 4096
	freeWords = 3 // of a text, on average
	fewWords  = 3 // among numbers, which stand for a missing one: unknown
	// of numbers and such words, if they are not a category
	manyLevels = 16
	usualRows  = 10 // of a level, if there are more than maxLevels
)

// saidSo is why a column has the kind that the user gave it.
const saidSo = "you said so"

// wish is what the user wants for a column.
type wish struct {
	kind    string // overrules the guess if it is not empty
	divides bool   // rows are divided by the time in it
	merge   bool   // similar spellings of a level are merged
}

// Fit guesses what a column holds and fits its transform.
func Fit(raw *dataset.RawColumn) (dataset.Column, error) { return fitColumn(raw, wish{}) }

// fitColumn guesses what a column holds and fits its transform.
//
// Chosen: a column is numbers if at least nine of ten values that are there are finite numbers, others counting as
// missing; but not where numbers begin with a zero, as zip codes do, or number the rows. It is times or lists of
// numbers if nine of ten are dates, or lists of one length, and numbers too if half are, and the others are up to three
// words that come again and again. Else it is a category if it has at most 64 levels, and
// no more levels than half the rows; text if values average three words or more; a category with its rare levels
// merged if levels average ten rows; numbers or dates if half of the values are. Else it is skipped. Truth values are a
// category. Mean and deviation are taken over all rows, as features of all nodes are known when a graph is learnt
// from. Times by which rows are divided give features of the calendar only: how much time has passed says nothing
// about test rows, which lie beyond all that was learnt from.
func fitColumn(raw *dataset.RawColumn, w wish) (dataset.Column, error) {
	if raw.Values.Numbers != nil && (w.kind == "" || w.kind == dataset.Number) {
		return fitMade(raw), nil
	}
	p := profile(&raw.Values)
	c := dataset.Column{Name: raw.Name, Kind: w.kind, Why: saidSo}
	if w.kind == "" {
		if c.Kind, c.Why = p.guess(raw.Name); c.Kind == dataset.Time && w.divides {
			c.Kind, c.Why = dataset.Calendar, c.Why+", by which rows are divided"
		}
	}
	if w.merge && p.levels != nil {
		c.Same = p.spellings()
	} else if c.Kind == dataset.Category && w.kind == "" {
		if c.Same = truths(byCount(p.levels)); p.coded != "" {
			c.Same = p.withZeros()
		}
	}
	if lacks := p.fit(&c, &raw.Values, w.kind != ""); lacks != "" {
		if w.kind != "" && lacks != sameDay {
			return c, fmt.Errorf("column %q cannot be %q: %s", c.Name, w.kind, lacks)
		}
		c = dataset.Column{Name: c.Name, Kind: dataset.Skipped, Why: c.Why + "; " + lacks}
	}
	return c, nil
}

// sameDay is what dates lack that are a year apart: such a column is skipped, also where the user says its kind.
const sameDay = "all but the year is the same"

// fit fits the transform of the kind of c, or returns what the column lacks for it.
func (p *columnProfile) fit(c *dataset.Column, values *dataset.Texts, forced bool) (lacks string) {
	length, listed := p.commonLength()
	switch c.Kind {
	case dataset.Number:
		if lacks := p.most(forced, p.numbers, "numbers"); lacks != "" {
			return lacks
		}
		p.fitNumber(c, values, forced)
	case dataset.Category:
		if p.levels == nil {
			return fmt.Sprintf("it has more than %d levels", maxForced)
		}
		p.fitCategory(c, forced)
	case dataset.Time, dataset.Calendar:
		if p.dates+p.compact == 0 && p.sheetDates() {
			c.Unit = sheetDays
		} else if lacks := p.most(forced, p.dates+p.compact, "dates"); lacks != "" {
			return lacks
		}
		c.MonthFirst = p.months > p.days
		if p.fitTime(c, values); len(c.Parts) == 0 {
			return sameDay
		}
	case dataset.Vector:
		if length == 0 {
			return "it has no lists of numbers"
		}
		if lacks := p.most(forced, listed, fmt.Sprintf("lists of %d numbers", length)); lacks != "" {
			return lacks
		}
		fitVector(c, values, length)
	case dataset.Text:
		if fitText(c, values); len(c.Levels) == 0 {
			return "no word is in two rows"
		}
	case dataset.Skipped:
	default:
		return "kinds are " + strings.Join(dataset.Kinds, ", ")
	}
	return ""
}

// most says that less than half of the values are what they were said to be.
func (p *columnProfile) most(forced bool, are int, what string) string {
	there := p.rows - p.missing
	switch {
	case are == 0 && len(p.odd) == 0:
		return "it has no " + what
	case forced && 2*are < there, are == 0:
		return fmt.Sprintf("%d of %d values are %s; not: %s", are, there, what, quotedList(p.odd[:min(3, len(p.odd))]))
	}
	return ""
}

// columnProfile is what guessing needs to know of a column.
type columnProfile struct {
	bounds        int // limits, as <5, which are not among the numbers
	rows, missing int
	levels        map[string]int // nil if there are more than maxForced
	different     int            // how many there are, also of whole numbers that are more
	odd           []string       // the first values that are not plain numbers
	length        int            // of all values
	words         int
	lists         map[int]int // how many lists of numbers have each length

	numbers, whole int            // numbers of no unit or the usual one, and those that are whole
	units          map[string]int // of numbers that have one
	unitless       int            // numbers that have none
	converted      []string       // units that are converted to the usual one
	money          map[string]bool
	points, commas int     // numbers that tell which decimal mark they have
	least, largest float64 // of all numbers
	coded          string  // the first whole number that begins with a zero: 01234
	marks          marks

	dates, compact int   // dates, and those that are numbers too: 20240501
	epoch          int   // of these, seconds or milliseconds since 1970
	early, late    int64 // the first and the last of these, in seconds
	days, months   int   // dates that tell what stands first
	endless        int   // dates such as 9999-12-31
}

func (p *columnProfile) number(text string, n numeral) {
	if n.unit == "" {
		p.unitless++
	} else {
		p.units[strings.Clone(n.unit)]++
	}
	if p.numbers == 0 {
		p.least, p.largest = n.x, n.x
	}
	p.numbers++
	p.least, p.largest = min(p.least, n.x), max(p.largest, n.x)
	switch n.mark {
	case '.':
		p.points++
	case ',':
		p.commas++
	}
	if n.money != "" {
		p.money[strings.Clone(n.money)] = true
	}
	if w, ok := compactDate(text); ok {
		if p.compact++; len(text) > 8 {
			if p.epoch++; p.epoch == 1 {
				p.early, p.late = w.t.Unix(), w.t.Unix()
			}
			p.early, p.late = min(p.early, w.t.Unix()), max(p.late, w.t.Unix())
		}
	}
	if n.x != math.Trunc(n.x) || n.mark != 0 || strings.ContainsAny(text, ".eE") {
		return
	}
	p.whole++
	p.marks.add(n.x)
	if p.coded == "" && len(text) > 1 && text[0] == '0' && plain(text) {
		p.coded = strings.Clone(text)
	}
}

// recent reports whether all numbers that may be seconds since 1970 are within ten years, as other numbers of ten
// digits hardly are, and do not name the rows.
func (p *columnProfile) recent() bool {
	return p.epoch == p.compact && p.late-p.early < 10*366*24*3600 && !p.isKey("")
}

// sheetDates reports whether all values may be dates that a spreadsheet wrote as numbers.
func (p *columnProfile) sheetDates() bool {
	return p.numbers > 0 && p.numbers == p.rows-p.missing && maySheetDay(p.least) && maySheetDay(p.largest) &&
		p.different > 1 && p.coded == "" && len(p.money) == 0
}

// isKey reports whether a column of numbers names the rows: whole numbers, all different, that either are one after
// another, with few gaps, or have a name such as account_id.
func (p *columnProfile) isKey(name string) bool {
	return p.numbers > 2 && p.whole == p.rows-p.missing && p.different == p.whole &&
		(namesKey(name) || p.largest-p.least <= 1.25*float64(p.whole-1) && p.whole > maxLevels)
}

// keyEnds end the names of columns whose numbers name things.
var keyEnds = []string{"_id", " id", "-id", ".id", "uuid", "_no", " no", " no.", "_nr", " nr", " nr.", "_code", " code",
	"_key"}

// namesKey reports whether the name of a column says that its values are names.
func namesKey(name string) bool {
	lower := strings.ToLower(name)
	return lower == "id" || strings.HasSuffix(name, "Id") || strings.HasSuffix(name, "ID") ||
		slices.ContainsFunc(keyEnds, func(end string) bool { return strings.HasSuffix(lower, end) })
}

// profile reads every value once.
func profile(t *dataset.Texts) columnProfile {
	p := columnProfile{rows: t.Len(), levels: map[string]int{}, lists: map[int]int{}, units: map[string]int{},
		money: map[string]bool{}, marks: marks{nines: map[float64]int{}}}
	var list []float64
	for i := range t.Len() {
		text := strings.TrimSpace(t.Text(i))
		if IsMissing(text) {
			p.missing++
			continue
		}
		p.length += len(text)
		if p.levels != nil {
			if _, known := p.levels[text]; !known {
				p.levels[strings.Clone(text)] = 0 // a copy, not to keep the whole table in memory
			}
			p.levels[text]++
			if len(p.levels) > maxForced {
				p.levels = nil
			}
		}
		n, ok := readNumber(text)
		if ok && n.bound {
			p.bounds++
			continue
		}
		if ok && (n.unit == "" || len(p.units) < maxLevels) {
			if p.number(text, n); n.unit == "" {
				continue
			}
		}
		if len(p.odd) <= fewWords && !slices.Contains(p.odd, text) {
			p.odd = append(p.odd, strings.Clone(text))
		}
		for range strings.FieldsSeq(text) {
			p.words++
		}
		p.date(text)
		if list, ok = parseVector(list[:0], text); ok {
			p.lists[len(list)]++
		}
	}
	unit, numbers, converted := p.usualUnit()
	if numbers < p.numbers {
		p.whole = min(p.whole, numbers)
	}
	p.units, p.numbers, p.converted = map[string]int{unit: 1}, numbers, converted
	p.different = len(p.levels)
	if there := p.rows - p.missing; p.levels == nil && p.whole == there && p.numbers == there {
		p.different = differentWhole(t)
	}
	return p
}

// differentWhole returns how many of whole numbers are different.
func differentWhole(t *dataset.Texts) int {
	list := make([]float64, 0, t.Len())
	for i := range t.Len() {
		if x, ok := parseNumber(strings.TrimSpace(t.Text(i))); ok {
			list = append(list, x)
		}
	}
	slices.Sort(list)
	return len(slices.Compact(list))
}

// date takes a value that may be a date.
func (p *columnProfile) date(text string) {
	w, ok := readDate(text)
	switch {
	case !ok:
		return
	case w.t.Year() >= endlessYear || w.t.Year() <= 1:
		p.endless++
		return
	case w.order == 'd':
		p.days++
	case w.order == 'm':
		p.months++
	}
	p.dates++
}

// commonLength returns the most common length of lists of numbers, the smallest if there is a tie, and how many lists
// have it.
func (p *columnProfile) commonLength() (length, count int) {
	for _, n := range slices.Sorted(maps.Keys(p.lists)) {
		if p.lists[n] > count {
			length, count = n, p.lists[n]
		}
	}
	return length, count
}

// allMissing says why a column is skipped.
const allMissing = "all values are missing"

// guess returns the kind of a column and why.
func (p *columnProfile) guess(name string) (string, string) {
	there := p.rows - p.missing
	levels := len(p.levels)
	some := p.levels != nil
	length, listed := p.commonLength()
	switch {
	case there == 0:
		return dataset.Skipped, allMissing
	case some && levels == 1 && min(there, p.missing) > 1: // a box that is ticked or not
		return dataset.Category, fmt.Sprintf("%d of %d values are %.20q, and the others are missing", there, p.rows,
			byCount(p.levels)[0])
	case some && levels == 1:
		return dataset.Skipped, fmt.Sprintf("all values are %.20q", byCount(p.levels)[0])
	case p.coded != "":
		return p.codes(there)
	case 10*p.compact >= 9*there && p.compact == p.numbers && (!some || levels > 1) &&
		(p.epoch == 0 || namesTime(name) || p.recent()):
		return dataset.Time, fmt.Sprintf("%d of %d values are dates", p.compact, p.rows)
	case p.sheetDates() && namesTime(name):
		return dataset.Time, fmt.Sprintf("%d of %d values are days since 1900, as spreadsheets write dates", p.numbers,
			p.rows)
	case p.isKey(name):
		return dataset.Skipped, "whole numbers, all different, which name the rows; --kind " +
			flagValue(name+"="+dataset.Number)
	case namesKey(name) && p.whole == there && p.numbers == there && p.different > 2:
		return p.keys(name, there)
	case 10*(p.numbers+p.bounds) >= 9*there &&
		(2*p.numbers >= there || p.numbers > 0 && (!some || levels > manyLevels)):
		return p.asNumbers()
	case 2*(p.numbers+p.bounds) >= there && p.numbers > p.bounds && len(p.odd) <= fewWords &&
		(!some || levels > manyLevels):
		return p.asNumbers()
	case 10*(p.dates+p.endless) >= 9*there && p.dates > 0:
		return p.asDates()
	case 10*listed >= 9*there:
		return dataset.Vector, fmt.Sprintf("%d of %d values are lists of %d numbers", listed, p.rows, length)
	case some && levels <= maxLevels && levels <= max(2, there/2):
		return dataset.Category, fmt.Sprintf("%d levels in %d values", levels, there)
	case p.words >= freeWords*there:
		return dataset.Text, fmt.Sprintf("%.3g words in a value", float64(p.words)/float64(there))
	case 2*p.numbers >= there:
		return p.asNumbers()
	case 2*p.dates >= there:
		return p.asDates()
	case some && levels*usualRows <= there:
		return dataset.Category, fmt.Sprintf("%d levels in %d values", levels, there)
	case some && levels == there:
		return dataset.Skipped, "every value is different"
	case some:
		return dataset.Skipped, fmt.Sprintf("%d different values", levels) + p.connects(name)
	}
	return dataset.Skipped, fmt.Sprintf("more than %d different values", maxForced)
}

// asNumbers says why a column is one of numbers.
func (p *columnProfile) asNumbers() (string, string) {
	why := fmt.Sprintf("%d of %d values are numbers", p.numbers+p.bounds, p.rows)
	if p.bounds > 0 {
		why += fmt.Sprintf(", %d of them limits such as <5, read as 5", p.bounds)
	}
	return dataset.Number, why
}

// asDates says why a column is one of dates.
func (p *columnProfile) asDates() (string, string) {
	return dataset.Time, fmt.Sprintf("%d of %d values are dates", p.dates, p.rows)
}

// codes returns the kind of a column with numbers such as 01234, which are names.
func (p *columnProfile) codes(there int) (string, string) {
	why := fmt.Sprintf("codes such as %.20q, not numbers", p.coded)
	if n := len(p.levels); p.levels != nil && (n <= maxLevels && n <= max(2, there/2) || n*usualRows <= there) {
		return dataset.Category, fmt.Sprintf("%d levels of %s", n, why)
	}
	return dataset.Skipped, why + "; too many different ones for a category"
}

// keys returns the kind of a column whose name says that its numbers are ids.
func (p *columnProfile) keys(name string, there int) (string, string) {
	if p.levels != nil && p.different*usualRows <= there {
		return dataset.Category, fmt.Sprintf("%d levels in %d values; the numbers are names", p.different, there)
	}
	return dataset.Skipped, fmt.Sprintf("%d different numbers that are names", p.different) + p.connects(name)
}

// connects says that rows could be connected by the values of a column that many rows share.
func (p *columnProfile) connects(name string) string {
	if 3*p.different > 2*(p.rows-p.missing) {
		return ""
	}
	return "; --connect " + flagValue(name) + " makes edges of rows that share one"
}

func isFinite(x float64) bool { return !math.IsInf(x, 0) && !math.IsNaN(x) }

// sortNames sorts names as numbers if all are numbers, else alphabetically.
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
		return cmp.Or(cmp.Compare(number[a], number[b]), strings.Compare(a, b))
	})
}

// eachOf calls f for the numbers below n on all cores, and returns the error of the smallest number that has one.
func eachOf(n int, f func(k int) error) error {
	errs := make([]error, n)
	host.Each(n, func(k int) { errs[k] = f(k) })
	return cmp.Or(errs...)
}
