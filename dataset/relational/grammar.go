package relational

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/bloomgml/bloom/dataset"
)

// Grammar is what a question in words may look like.
const Grammar = `  customers: no row in orders within 30 days
  customers: any row in orders within 30 days where status = returned
  customers: any row in orders.shipped_at within 30 days    by another time of the rows
  customers: count of orders within 90 days
  customers: sum of orders.amount within 90 days            or mean, max, last
  customers: … for those with a row within 180 days         asks only about customers with a row that recent`

// words is a question in words.
type words struct {
	table, verb    string
	from, column   string
	window, active time.Duration
	where          []condition
}

// condition keeps rows whose column compares to a value.
type condition struct{ column, op, value string }

var (
	asked = regexp.MustCompile(`(?i)^\s*([^:]+?)\s*:\s*(?:(no|any)\s+rows?\s+in\s+(\S+)|(count)\s+of\s+(\S+)|` +
		`(sum|mean|max|last)\s+of\s+(\S+)\.(\S+))\s+within\s+(\d+)\s*(\w+)(?:\s+where\s+(.+?))?` +
		`(?:\s+for\s+those\s+with\s+a\s+row\s+within\s+(\d+)\s*(\w+))?\s*$`)
	compared = regexp.MustCompile(`^\s*(\S+?)\s*(!=|<=|>=|=|<|>)\s*(.+?)\s*$`)
	lasting  = regexp.MustCompile(`^\s*(\d+)\s*([a-zA-Z]+)\s*$`)
)

// units are the words for a time, in hours.
var units = map[string]int{"h": 1, "hour": 1, "d": 24, "day": 24, "w": 7 * 24, "week": 7 * 24, "month": 30 * 24,
	"y": 365 * 24, "year": 365 * 24}

// ParseWindow reads 30d, 12 weeks and 1 year.
func ParseWindow(text string) (time.Duration, error) {
	if m := lasting.FindStringSubmatch(text); m != nil {
		return window(m[1], m[2])
	}
	return 0, fmt.Errorf("%q is not a duration; want 30d, 12 weeks, 6 months or 1 year", text)
}

func window(number, unit string) (time.Duration, error) {
	n, err := strconv.Atoi(number)
	hours, ok := units[strings.TrimSuffix(strings.ToLower(unit), "s")]
	if unit == "d" || unit == "D" {
		hours, ok = 24, true
	}
	if err != nil || !ok || n == 0 || n > 100_000 {
		return 0, fmt.Errorf("%s %s is not a duration; want 30d, 12 weeks, 6 months or 1 year", number, unit)
	}
	return time.Duration(n) * time.Duration(hours) * time.Hour, nil
}

// parseWords reads a question.
func parseWords(text string) (w words, err error) {
	m := asked.FindStringSubmatch(text)
	if m == nil {
		return w, fmt.Errorf("%q is neither a file nor a question; questions are\n%s", text, Grammar)
	}
	w.table, w.verb = m[1], strings.ToLower(m[2]+m[4]+m[6])
	w.from, w.column = m[3]+m[5]+m[7], m[8]
	if w.window, err = window(m[9], m[10]); err != nil {
		return w, err
	}
	if m[12] != "" {
		if w.active, err = window(m[12], m[13]); err != nil {
			return w, err
		}
	}
	for _, part := range regexp.MustCompile(`(?i)\s+and\s+`).Split(m[11], -1) {
		if strings.TrimSpace(part) == "" {
			continue
		}
		c := compared.FindStringSubmatch(part)
		if c == nil {
			return w, fmt.Errorf("%q is not a condition; want column = value, or with !=, <, <=, >, >=", part)
		}
		w.where = append(w.where, condition{c[1], c[2], strings.Trim(c[3], `"'`)})
	}
	return w, nil
}

// ParseAsk makes questions of a sentence; see Grammar. It asks about all entities at times that are every apart, the
// last one a window before the end of the data. An entity is asked about from its first row in the table on.
func (db *Database) ParseAsk(text string, every time.Duration) (*Ask, error) {
	w, err := parseWords(text)
	if err != nil {
		return nil, err
	}
	t, err := db.Find(w.table)
	if err != nil {
		return nil, err
	}
	rows, err := db.rowsFor(t, w)
	if err != nil {
		return nil, err
	}
	if every == 0 {
		every = w.window
	}
	a := &Ask{Entity: t.Name, At: "at", Label: w.verb, Horizon: w.window, table: t,
		number: w.verb != "no" && w.verb != "any"}
	if w.verb == "no" || w.verb == "any" {
		a.levels = []string{"no", "yes"}
		a.Label = w.verb + "_" + strings.ReplaceAll(w.from, ".", "_")
	} else if a.Label = w.verb + "_" + strings.ReplaceAll(w.from, ".", "_"); w.column != "" {
		a.Label += "_" + w.column
	}
	times, notes, err := rows.times(w.window, every)
	if err != nil {
		return nil, err
	}
	a.Notes = append(a.Notes, notes...)
	stride := 1 + t.Rows*len(times)/mostAsked
	if stride > 1 {
		a.Notes = append(a.Notes, fmt.Sprintf("%s has %d rows: one in %d is asked about at every time", t.Name, t.Rows,
			stride))
	}
	for k, at := range times {
		for e := k % stride; e < t.Rows; e += stride {
			a.addQuestion(t, rows, w, int32(e), at)
		}
	}
	if len(a.Questions) == 0 {
		return nil, fmt.Errorf("%q asks about nobody: no row of %s comes before a time with %s of data after it", text,
			w.from, daysText(w.window))
	}
	return a, a.finish()
}

// rowsFor returns the rows that a question is about, by entity and time.
func (db *Database) rowsFor(t *Table, w words) (*askedRows, error) {
	if t.Key == "" {
		return nil, fmt.Errorf("table %s has no key that names its rows; bloom data import --key gives it one", t.Name)
	}
	name, late, _ := strings.Cut(w.from, ".")
	from, err := db.Find(name)
	if err != nil {
		return nil, err
	}
	i, k := slices.Index(db.Tables, t), -1
	for at, r := range from.refs {
		if r.table == i && k < 0 {
			k = at
		}
	}
	if k < 0 {
		return nil, fmt.Errorf("no key of %s leads to %s", from.Name, t.Name)
	}
	if !from.timed() {
		return nil, fmt.Errorf("rows of %s have no times, so nothing happens within %s", from.Name, daysText(w.window))
	}
	a := &askedRows{stream: stream{entity: slices.Clone(from.refs[k].rows), known: from.known}}
	if late != "" { // rows count at another of their times
		l := from.column(late)
		if l < 0 || from.Columns[l].Kind != dataset.Time && from.Columns[l].Kind != dataset.Calendar {
			return nil, fmt.Errorf("%s.%s is not a column of times", from.Name, late)
		}
		a.known, a.late = from.seconds(l), true
	}
	if w.column != "" {
		j := from.column(w.column)
		if j < 0 || from.Columns[j].Kind != dataset.Number {
			return nil, fmt.Errorf("%s.%s is not a column of numbers", from.Name, w.column)
		}
		a.values, _ = from.numbers(j)
	}
	a.every = stream{entity: from.refs[k].rows, known: from.known}
	a.every.sort(t.Rows)
	for _, c := range w.where {
		keep, err := from.where(c)
		if err != nil {
			return nil, err
		}
		for v := range a.entity {
			if !keep(v) {
				a.entity[v] = -1
			}
		}
	}
	a.sort(t.Rows)
	return a, nil
}

// askedRows are the rows that count, and every row of their table.
type askedRows struct {
	stream
	every  stream
	late   bool // rows count at a later time than that at which they are known
	values []float64
}

// times returns when to ask: every so often, back from a window before the last row to the first.
func (a *askedRows) times(window, every time.Duration) (list []time.Time, notes []string, err error) {
	var known []int64
	for _, i := range a.every.order {
		if known = append(known, a.every.known[i]); a.late {
			known = append(known, a.known[i])
		}
	}
	first, last, far := period(known)
	if far > 0 {
		notes = append(notes, fmt.Sprintf("%d rows lie far before or after the others, which go from %s to %s: "+
			"nothing is asked there", far, time.Unix(first, 0).UTC().Format(time.DateOnly),
			time.Unix(last, 0).UTC().Format(time.DateOnly)))
	}
	for at := last - int64(window/time.Second); at > first; at -= int64(every / time.Second) {
		list = append(list, time.Unix(at, 0).UTC())
	}
	if len(list) == 0 {
		return nil, nil, fmt.Errorf("the window of %s is longer than the data, which spans %s", daysText(window),
			daysText(time.Duration(max(0, last-first))*time.Second))
	}
	slices.Reverse(list)
	return list, notes, nil
}

// mostAsked is about how many questions are looked at, of which some are left out again.
const mostAsked = 2_000_000

// addQuestion adds the question about an entity at a time, unless nothing is known about it then.
func (a *Ask) addQuestion(t *Table, rows *askedRows, w words, e int32, at time.Time) {
	q := question{e, at.Unix()}
	before := rows.every.before(q)
	if len(before) == 0 || t.known[e] > q.at ||
		w.active > 0 && rows.every.known[before[len(before)-1]] <= q.at-int64(w.active/time.Second) {
		return
	}
	after := rows.before(question{e, q.at + int64(w.window/time.Second)})[len(rows.before(q)):]
	x := rows.answer(w.verb, after)
	label := strconv.FormatFloat(x, 'g', -1, 64)
	if a.levels != nil {
		label = a.levels[int(x)]
	} else if math.IsNaN(x) {
		return
	}
	a.Questions = append(a.Questions, Question{Entity: t.text(t.column(t.Key), int(e)), At: at, Label: label,
		row: e, value: x})
}

// answer returns the label of a question: of rows within its window.
func (a *askedRows) answer(verb string, rows []int32) float64 {
	switch verb {
	case "no":
		if len(rows) == 0 {
			return 1
		}
		return 0
	case "any":
		return min(1, float64(len(rows)))
	case "count":
		return float64(len(rows))
	}
	n, sum, largest, last := 0.0, 0.0, math.Inf(-1), math.NaN()
	for _, i := range rows {
		if x := a.values[i]; !math.IsNaN(x) {
			n, sum, largest, last = n+1, sum+x, max(largest, x), x
		}
	}
	switch verb {
	case "sum":
		return sum
	case "mean":
		return sum / n // NaN without rows
	case "max":
		return finite(largest)
	}
	return last
}

// where returns whether a row meets a condition: numbers compare by value, others by their text.
func (t *Table) where(c condition) (func(row int) bool, error) {
	j := t.column(c.column)
	if j < 0 {
		return nil, fmt.Errorf("table %s has no column %q", t.Name, c.column)
	}
	order := func(less, equal bool) bool {
		switch c.op {
		case "=":
			return equal
		case "!=":
			return !equal
		case "<":
			return less
		case "<=":
			return less || equal
		case ">":
			return !less && !equal
		}
		return !less
	}
	if x, err := strconv.ParseFloat(c.value, 64); err == nil && t.Columns[j].Kind == dataset.Number {
		values, _ := t.numbers(j)
		return func(row int) bool { return !math.IsNaN(values[row]) && order(values[row] < x, values[row] == x) }, nil
	}
	return func(row int) bool {
		s := t.text(j, row)
		return s != "" && order(s < c.value, strings.EqualFold(s, c.value))
	}, nil
}
