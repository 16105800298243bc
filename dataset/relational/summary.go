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
	columns := s.times(list, s.spans(list, horizon), horizon)
	for k := range columns {
		columns[k].Name = s.name + "." + columns[k].Name
	}
	return append(columns, s.values(list, horizon, brief)...)
}

// values returns the statistics of the columns of a stream alone.
func (s *stream) values(list []question, horizon int64, brief bool) (columns []Column) {
	spans := s.spans(list, horizon)
	for k := range s.measures {
		m := &s.measures[k]
		if m.levels == nil {
			columns = append(columns, s.numbers(m, spans, brief)...)
		} else {
			columns = append(columns, s.shares(m, spans, brief)...)
		}
	}
	for k := range columns {
		columns[k].Name = s.name + "." + columns[k].Name
	}
	return columns
}

// span is the rows that are known for a question, as places in the order of the stream: from first to end, recent ones
// from recent on.
type span struct{ entity, first, recent, end int }

// spans returns the rows of every question.
func (s *stream) spans(list []question, horizon int64) []span {
	spans := make([]span, len(list))
	for i, q := range list {
		if q.entity < 0 {
			continue
		}
		first := s.first[q.entity]
		recent := s.before(question{q.entity, q.at - windows[len(windows)-1]*horizon})
		spans[i] = span{int(q.entity), first, first + len(recent), first + len(s.before(q))}
	}
	return spans
}

// last returns where the last n rows begin.
func (x span) last(n int) int { return max(x.first, x.end-n) }

func (x span) rows() int { return x.end - x.first }

// column makes a column of a value for every span.
func column(name string, spans []span, value func(i int, x span) float64) Column {
	c := Column{Name: name, Values: make([]float64, len(spans))}
	for i, x := range spans {
		c.Values[i] = value(i, x)
	}
	return c
}

// times returns how many rows there are, and when.
func (s *stream) times(list []question, spans []span, horizon int64) []Column {
	nan := math.NaN()
	columns := []Column{column("count", spans, func(_ int, x span) float64 { return float64(x.rows()) })}
	for _, k := range windows {
		columns = append(columns, column(fmt.Sprintf("count.%d", k), spans, func(i int, x span) float64 {
			if x.rows() == 0 {
				return 0
			}
			before := s.before(question{list[i].entity, list[i].at - k*horizon})
			return float64(x.rows() - len(before))
		}))
	}
	since := func(name string, at func(x span) int) Column {
		return column(name, spans, func(i int, x span) float64 {
			if x.rows() == 0 || s.known[s.order[x.first]] == always {
				return nan
			}
			return float64(list[i].at-s.known[s.order[at(x)]]) / day
		})
	}
	last := since("since.last", func(x span) int { return x.end - 1 })
	first := since("since.first", func(x span) int { return x.first })
	gap := column("gap", spans, func(i int, x span) float64 {
		if x.rows() < 2 {
			return nan
		}
		return (first.Values[i] - last.Values[i]) / float64(x.rows()-1)
	})
	return append(columns, last, first, gap)
}

// history is what is known of a column of a stream before every place in its order. An entity of number e has its
// places e later, so that its first value is 0 and its last one stays.
type history struct {
	n, sum, square       []float64 // of the values that are there
	largest, least, last []float64
}

// history goes through the rows of every entity once.
func (s *stream) history(values []float64) *history {
	size := len(s.order) + len(s.first)
	h := &history{}
	for _, x := range []*[]float64{&h.n, &h.sum, &h.square, &h.largest, &h.least, &h.last} {
		*x = make([]float64, size)
	}
	for e := range len(s.first) - 1 {
		at := s.first[e] + e
		h.largest[at], h.least[at], h.last[at] = math.Inf(-1), math.Inf(1), math.NaN()
		for p := s.first[e]; p < s.first[e+1]; p++ {
			at, x := p+e, values[s.order[p]]
			h.n[at+1], h.sum[at+1], h.square[at+1] = h.n[at], h.sum[at], h.square[at]
			h.largest[at+1], h.least[at+1], h.last[at+1] = h.largest[at], h.least[at], h.last[at]
			if !math.IsNaN(x) {
				h.n[at+1]++
				h.sum[at+1] += x
				h.square[at+1] += x * x
				h.largest[at+1], h.least[at+1] = max(h.largest[at], x), min(h.least[at], x)
				h.last[at+1] = x
			}
		}
	}
	return h
}

// count and total are the number and the sum of the values from a place on.
func (h *history) count(x span, from int) float64 { return h.n[x.end+x.entity] - h.n[from+x.entity] }
func (h *history) total(x span, from int) float64 {
	return h.sum[x.end+x.entity] - h.sum[from+x.entity]
}

// mean returns the mean of the values from a place on, NaN if there is no value.
func (h *history) mean(x span, from int) float64 { return h.total(x, from) / h.count(x, from) }

// deviation returns the standard deviation of all values.
func (h *history) deviation(x span) float64 {
	n, mean := h.count(x, x.first), h.mean(x, x.first)
	square := h.square[x.end+x.entity]/n - mean*mean
	if square < 1e-12*mean*mean { // rounding
		square = 0
	}
	return math.Sqrt(square)
}

// numbers returns the statistics of a number.
func (s *stream) numbers(m *measure, spans []span, brief bool) (columns []Column) {
	h := s.history(m.values)
	add := func(name string, value func(x span) float64) {
		columns = append(columns, column(m.name+name, spans, func(_ int, x span) float64 {
			if x.rows() == 0 {
				return math.NaN()
			}
			return value(x)
		}))
	}
	add(".mean", func(x span) float64 { return h.mean(x, x.first) })
	add(".last", func(x span) float64 { return h.last[x.end+x.entity] })
	add(".mean10", func(x span) float64 { return h.mean(x, x.last(some)) })
	add(".recent", func(x span) float64 { return h.mean(x, x.recent) })
	if m.gaps {
		columns = append(columns, s.missing(m, h, spans)...)
	}
	if brief {
		return columns
	}
	add(".mean3", func(x span) float64 { return h.mean(x, x.last(few)) })
	columns = append(columns, // without rows a sum is 0
		column(m.name+".sum", spans, func(_ int, x span) float64 { return h.total(x, x.first) }),
		column(m.name+".sum.recent", spans, func(_ int, x span) float64 { return h.total(x, x.recent) }))
	add(".trend", func(x span) float64 { return h.mean(x, x.last(some)) - h.mean(x, x.first) })
	add(".max", func(x span) float64 { return finite(h.largest[x.end+x.entity]) })
	add(".min", func(x span) float64 { return finite(h.least[x.end+x.entity]) })
	add(".deviation", h.deviation)
	return columns
}

func finite(x float64) float64 {
	if math.IsInf(x, 0) {
		return math.NaN()
	}
	return x
}

// missing returns the shares of missing values.
func (s *stream) missing(m *measure, h *history, spans []span) []Column {
	part := func(name string, from func(x span) int) Column {
		return column(m.name+name, spans, func(_ int, x span) float64 {
			if x.rows() == 0 {
				return math.NaN()
			}
			return 1 - h.count(x, from(x))/float64(x.end-from(x))
		})
	}
	return []Column{part(".missing", func(x span) int { return x.first }),
		part(".missing.10", func(x span) int { return x.last(some) })}
}

// shares returns how often the frequent levels of a category occur.
func (s *stream) shares(m *measure, spans []span, brief bool) (columns []Column) {
	is := make([]float64, len(m.values))
	for k := range m.tracked {
		for i, x := range m.values {
			if is[i] = 0; x == float64(k) {
				is[i] = 1
			}
		}
		h := s.history(is)
		part := func(name string, from func(x span) int) Column {
			return column(m.name+"="+m.levels[k]+name, spans, func(_ int, x span) float64 {
				return h.mean(x, from(x)) // of 0 and 1; NaN without rows
			})
		}
		columns = append(columns, part("", func(x span) int { return x.first }),
			part(".10", func(x span) int { return x.last(some) }))
	}
	if !m.gaps && brief {
		return columns
	}
	h := s.history(m.values)
	if m.gaps {
		columns = append(columns, s.missing(m, h, spans)...)
	}
	if !brief {
		last := column(m.name+".last", spans, func(_ int, x span) float64 {
			if x.rows() == 0 {
				return math.NaN()
			}
			return h.last[x.end+x.entity]
		})
		last.Levels = m.levels
		columns = append(columns, last)
	}
	return columns
}
