package relational

import (
	"cmp"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/bloomgml/bloom/dataset"
)

// question is an entity, a row of its table, and the time at which it is asked about.
type question struct {
	entity int32
	at     int64
}

// stream is rows that speak about entities: those that lead to them by one key or two, in the order of time.
type stream struct {
	name     string
	entity   []int32 // of every row, −1 for none
	known    []int64 // when it became known
	measures []measure
	order    []int32 // rows by entity, then time
	first    []int   // in order, of every entity; one more than there are entities
}

// measure is a column of the rows of a stream. Missing values are NaN.
type measure struct {
	name    string
	values  []float64
	levels  []string // of a category; nil for numbers
	tracked int      // the first levels, whose shares are computed; the values of rarer ones are larger
	gaps    bool     // the share of missing values is computed too
}

// mostTracked is how many levels of a category have their shares computed.
const mostTracked = 6

// sort orders the rows of n entities.
func (s *stream) sort(n int) {
	s.order = make([]int32, 0, len(s.entity))
	for i, e := range s.entity {
		if e >= 0 && s.known[i] != never {
			s.order = append(s.order, int32(i))
		}
	}
	slices.SortFunc(s.order, func(a, b int32) int {
		return cmp.Or(cmp.Compare(s.entity[a], s.entity[b]), cmp.Compare(s.known[a], s.known[b]), cmp.Compare(a, b))
	})
	s.first = make([]int, n+1)
	for _, i := range s.order {
		s.first[s.entity[i]+1]++
	}
	for e := range n {
		s.first[e+1] += s.first[e]
	}
}

// before returns the rows about an entity that are known at a time, in order; a row of that very second is known.
func (s *stream) before(q question) []int32 {
	if q.entity < 0 {
		return nil
	}
	rows := s.order[s.first[q.entity]:s.first[q.entity+1]]
	k, _ := slices.BinarySearchFunc(rows, q.at, func(i int32, at int64) int {
		if s.known[i] <= at {
			return -1
		}
		return 1
	})
	return rows[:k]
}

// latest returns the last row known for every question, −1 if there is none.
func (s *stream) latest(list []question) []int32 {
	rows := make([]int32, len(list))
	for i, q := range list {
		rows[i] = -1
		if known := s.before(q); len(known) > 0 {
			rows[i] = known[len(known)-1]
		}
	}
	return rows
}

// streams returns the rows that lead to table i by one key, and by two if deep.
func (db *Database) streams(i int, deep bool) (list []*stream) {
	for c, t := range db.Tables {
		for k, r := range t.refs {
			if r.table != i || c == i {
				continue
			}
			s := &stream{name: db.streamName(c, k), entity: r.rows, known: t.known, measures: db.measures(c, k)}
			s.sort(db.Tables[i].Rows)
			list = append(list, s)
			list = append(list, db.lateStreams(c, s, db.Tables[i].Rows)...)
			if deep {
				list = append(list, db.grandchildren(i, c, r)...)
			}
		}
	}
	return list
}

// streamName returns the name of table c, with the column of its key if several lead to the same table.
func (db *Database) streamName(c, k int) string {
	t := db.Tables[c]
	for other, r := range t.refs {
		if other != k && r.table == t.refs[k].table {
			return t.Name + "." + t.refs[k].column
		}
	}
	return t.Name
}

// grandchildren returns the rows that lead to table i through rows of table c, which do by r: the items of a
// customer's orders.
func (db *Database) grandchildren(i, c int, r reference) (list []*stream) {
	for g, t := range db.Tables {
		for k, via := range t.refs {
			if via.table != c || g == i || g == c || t.leadsTo(i) {
				continue
			}
			s := &stream{name: db.Tables[c].Name + "." + db.streamName(g, k), entity: make([]int32, t.Rows),
				known: t.known, measures: db.measures(g, k)}
			for v, u := range via.rows {
				if s.entity[v] = -1; u >= 0 {
					s.entity[v] = r.rows[u]
				}
			}
			s.sort(db.Tables[i].Rows)
			list = append(list, s)
		}
	}
	return list
}

// leadsTo reports whether a key of the table leads to table i.
func (t *Table) leadsTo(i int) bool {
	return slices.ContainsFunc(t.refs, func(r reference) bool { return r.table == i })
}

// measures returns the columns of table c that say something, and those of the rows that it leads to by keys other
// than k.
func (db *Database) measures(c, k int) (list []measure) {
	t := db.Tables[c]
	list = t.promptMeasures()
	for other, r := range t.refs {
		if other == k || r.table == c {
			continue
		}
		for _, m := range db.Tables[r.table].promptMeasures() {
			joined := measure{name: db.Tables[r.table].Name + "." + m.name, levels: m.levels, tracked: m.tracked,
				values: make([]float64, t.Rows)}
			for i, u := range r.rows {
				if joined.values[i] = math.NaN(); u >= 0 {
					joined.values[i] = m.values[u]
				}
			}
			if !followsTime(joined.values, t.known) {
				list = append(list, joined)
			}
		}
	}
	return list
}

// promptMeasures returns the measures that are known with their rows.
func (t *Table) promptMeasures() (list []measure) {
	for _, m := range t.ownMeasures() {
		if t.Later[m.name] == "" && !t.hidden[m.name] {
			list = append(list, m)
		}
	}
	return list
}

// ownMeasures returns the columns of a table that say something about its rows: numbers and categories that are not
// keys. Columns that only count time, as years do, are left out: they say nothing about later rows.
func (t *Table) ownMeasures() (list []measure) {
	if t.measured != nil {
		return t.measured
	}
	for j, c := range t.Columns {
		if t.isKey(c.Name) || c.Kind != dataset.Number && c.Kind != dataset.Category {
			continue
		}
		m := measure{name: c.Name}
		m.values, m.levels = t.numbers(j)
		if c.Kind == dataset.Number {
			m.asCodes(c.Name)
		}
		missing := 0
		for _, x := range m.values {
			if math.IsNaN(x) {
				missing++
			}
		}
		if m.gaps = 50*missing > t.Rows && 50*missing < 49*t.Rows; m.levels != nil {
			m.track()
		} else if followsTime(m.values, t.known) {
			continue
		}
		list = append(list, m)
	}
	if list == nil {
		list = []measure{}
	}
	t.measured = list
	return list
}

// track sorts the levels of a category by how often they occur.
func (m *measure) track() {
	counts := make([]int, len(m.levels))
	for _, x := range m.values {
		if !math.IsNaN(x) {
			counts[int(x)]++
		}
	}
	order := make([]int, len(m.levels))
	for k := range order {
		order[k] = k
	}
	slices.SortStableFunc(order, func(a, b int) int { return counts[b] - counts[a] })
	place, levels := make([]float64, len(order)), make([]string, len(order))
	for k, was := range order {
		place[was], levels[k] = float64(k), m.levels[was]
	}
	for i, x := range m.values {
		if !math.IsNaN(x) {
			m.values[i] = place[int(x)]
		}
	}
	m.levels, m.tracked = levels, min(mostTracked, len(levels))
}

// followsTime reports whether values rise with time: the correlation of their ranks is above 0.95.
func followsTime(values []float64, known []int64) bool {
	var rows []int
	step := max(1, len(values)/2000)
	for i := 0; i < len(values); i += step {
		if !math.IsNaN(values[i]) && known[i] != always && known[i] != never {
			rows = append(rows, i)
		}
	}
	if len(rows) < 20 {
		return false
	}
	return math.Abs(rankCorrelation(rows, func(i int) float64 { return values[i] },
		func(i int) float64 { return float64(known[i]) })) > 0.95
}

// rankCorrelation is Spearman's, with ties at their mean rank.
func rankCorrelation(rows []int, x, y func(int) float64) float64 {
	a, b := ranks(rows, x), ranks(rows, y)
	mean := float64(len(rows)-1) / 2
	var ab, aa, bb float64
	for i := range a {
		ab += (a[i] - mean) * (b[i] - mean)
		aa += (a[i] - mean) * (a[i] - mean)
		bb += (b[i] - mean) * (b[i] - mean)
	}
	if aa == 0 || bb == 0 {
		return 0
	}
	return ab / math.Sqrt(aa*bb)
}

// ranks returns the mean rank of every row.
func ranks(rows []int, x func(int) float64) []float64 {
	order := make([]int, len(rows))
	for k := range order {
		order[k] = k
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(x(rows[a]), x(rows[b])) })
	list := make([]float64, len(rows))
	for k := 0; k < len(order); {
		end := k + 1
		for end < len(order) && x(rows[order[end]]) == x(rows[order[k]]) {
			end++
		}
		for _, i := range order[k:end] {
			list[i] = float64(k+end-1) / 2
		}
		k = end
	}
	return list
}

// wordsOnId are words that end as ids do, and are none.
var wordsOnId = regexp.MustCompile(`(?i:(^|[^a-z])(acid|aid|bid|fluid|grid|humid|kid|liquid|(un|pre)?paid|raid|solid|` +
	`(in)?valid|void))$|[a-z](Acid|Aid|Bid|Grid|Kid|Paid|Raid|Valid|Void)$`)

// isCode reports whether whole numbers are codes by the name of their column: status_id, zip code.
func isCode(name string, values []float64) bool {
	broken := func(x float64) bool { return !math.IsNaN(x) && x != math.Trunc(x) }
	if wordsOnId.MatchString(name) || slices.ContainsFunc(values, broken) {
		return false
	}
	name = bareName(name)
	ends := []string{"id", "code", "type", "status", "kind", "category", "class"}
	return slices.ContainsFunc(ends, func(end string) bool {
		return len(name) > len(end) && strings.HasSuffix(name, end)
	})
}

// asCodes makes a category of numbers that are codes.
func (m *measure) asCodes(name string) {
	if !isCode(name, m.values) {
		return
	}
	at, levels, codes := map[float64]float64{}, []string{}, make([]float64, len(m.values))
	for i, x := range m.values {
		if codes[i] = x; math.IsNaN(x) {
			continue
		}
		k, known := at[x]
		if !known {
			k = float64(len(levels))
			at[x], levels = k, append(levels, strconv.FormatFloat(x, 'g', -1, 64))
		}
		codes[i] = k
	}
	m.values, m.levels = codes, levels
}
