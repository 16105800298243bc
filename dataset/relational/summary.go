package relational

import (
	"fmt"
	"math"
)

// Column is a column of the rows that questions become: numbers, NaN if missing, or levels of a category.
type Column struct {
	Name   string
	Values []float64
	Levels []string // nil for numbers
}

// Chosen: means are taken of all rows, of the last few and some, and of those of twelve horizons (a year, where one
// asks about a month).
const (
	few, some = 3, 10
	day       = 24 * 3600
)

// windows are the times, in horizons, in which rows are counted; values are summed up over the last one.
var windows = []int64{1, 3, 12}

// summarise returns the statistics of a stream for every question, as of its time. brief leaves out all but a few.
//
//	count, count.1, count.3, count.12   rows, and rows of the last 1, 3 and 12 horizons
//	since.last, since.first, gap        days since the last and the first row, and between rows
//	x.mean .last .mean3 .mean10 .recent of numbers: of all, the last, the last 3 and 10, of 12 horizons
//	x.sum .max .min .deviation .trend   trend is mean10 − mean
//	x=LEVEL, x=LEVEL.10, x.last         of categories: shares among all and the last 10
//	x.missing, x.missing.10             shares of missing values
func (s *stream) summarise(list []question, horizon int64, brief bool) []Column {
	w := &writer{n: len(list)}
	for i, q := range list {
		w.row, w.next = i, 0
		known := s.before(q)
		s.times(w, q, known, horizon)
		from := len(known)
		for from > 0 && s.known[known[from-1]] > q.at-windows[len(windows)-1]*horizon {
			from--
		}
		for k := range s.measures {
			if m := &s.measures[k]; m.levels == nil {
				s.numbers(w, m, known, from, brief)
			} else {
				s.shares(w, m, known, brief)
			}
		}
	}
	for k := range w.columns {
		w.columns[k].Name = s.name + "." + w.columns[k].Name
	}
	return w.columns
}

// writer fills columns row by row: values come in the same order in every row.
type writer struct {
	n, row, next int
	columns      []Column
}

// put stores the next value of the row.
func (w *writer) put(name string, x float64) { w.level(name, x, nil) }

// level stores the next value of the row, which is one of levels.
func (w *writer) level(name string, x float64, levels []string) {
	if w.next == len(w.columns) {
		c := Column{Name: name, Values: make([]float64, w.n), Levels: levels}
		for i := range c.Values {
			c.Values[i] = math.NaN()
		}
		w.columns = append(w.columns, c)
	}
	w.columns[w.next].Values[w.row] = x
	w.next++
}

// times stores how many rows there are, and when.
func (s *stream) times(w *writer, q question, known []int32, horizon int64) {
	w.put("count", float64(len(known)))
	for _, k := range windows {
		n := 0
		for j := len(known) - 1; j >= 0 && s.known[known[j]] > q.at-k*horizon; j-- {
			n++
		}
		w.put(fmt.Sprintf("count.%d", k), float64(n))
	}
	last, first, gap := math.NaN(), math.NaN(), math.NaN()
	if n := len(known); n > 0 && s.known[known[0]] != always {
		last = float64(q.at-s.known[known[n-1]]) / day
		first = float64(q.at-s.known[known[0]]) / day
		if n > 1 {
			gap = (first - last) / float64(n-1)
		}
	}
	w.put("since.last", last)
	w.put("since.first", first)
	w.put("gap", gap)
}

// moments are sums over some rows.
type moments struct {
	n, missing     int
	sum, square    float64
	least, largest float64
	last           float64
}

// over returns the moments of rows.
func (m *measure) over(rows []int32) moments {
	s := moments{least: math.Inf(1), largest: math.Inf(-1), last: math.NaN()}
	for _, i := range rows {
		x := m.values[i]
		if math.IsNaN(x) {
			s.missing++
			continue
		}
		s.n++
		s.sum += x
		s.square += x * x
		s.least, s.largest, s.last = min(s.least, x), max(s.largest, x), x
	}
	return s
}

func (s moments) mean() float64 {
	if s.n == 0 {
		return math.NaN()
	}
	return s.sum / float64(s.n)
}

func tail(rows []int32, n int) []int32 { return rows[max(0, len(rows)-n):] }

// numbers stores the statistics of a number; rows from on are recent.
func (s *stream) numbers(w *writer, m *measure, known []int32, from int, brief bool) {
	all, lately, recent := m.over(known), m.over(tail(known, some)), m.over(known[from:])
	w.put(m.name+".mean", all.mean())
	w.put(m.name+".last", all.last)
	w.put(m.name+".mean10", lately.mean())
	w.put(m.name+".recent", recent.mean())
	if m.gaps {
		w.put(m.name+".missing", share(all.missing, len(known)))
		w.put(m.name+".missing.10", share(lately.missing, min(some, len(known))))
	}
	if brief {
		return
	}
	w.put(m.name+".mean3", m.over(tail(known, few)).mean())
	w.put(m.name+".sum", all.sum)
	w.put(m.name+".sum.recent", recent.sum)
	w.put(m.name+".trend", lately.mean()-all.mean())
	if all.n == 0 {
		all.least, all.largest = math.NaN(), math.NaN()
	}
	w.put(m.name+".max", all.largest)
	w.put(m.name+".min", all.least)
	w.put(m.name+".deviation", math.Sqrt(max(0, all.square/float64(all.n)-all.mean()*all.mean())))
}

func share(part, whole int) float64 {
	if whole == 0 {
		return math.NaN()
	}
	return float64(part) / float64(whole)
}

// shares stores how often the frequent levels of a category occur.
func (s *stream) shares(w *writer, m *measure, known []int32, brief bool) {
	for _, part := range []struct {
		end  string
		rows []int32
	}{{"", known}, {".10", tail(known, some)}} {
		counts := make([]int, m.tracked)
		for _, i := range part.rows {
			if x := m.values[i]; x < float64(m.tracked) {
				counts[int(x)]++
			}
		}
		for k, n := range counts {
			w.put(m.name+"="+m.levels[k]+part.end, share(n, len(part.rows)))
		}
	}
	if m.gaps {
		all, lately := m.over(known), m.over(tail(known, some))
		w.put(m.name+".missing", share(all.missing, len(known)))
		w.put(m.name+".missing.10", share(lately.missing, min(some, len(known))))
	}
	if !brief {
		w.level(m.name+".last", m.over(known).last, m.levels)
	}
}
