package relational

import (
	"cmp"
	"math"
	"slices"
)

// Chosen: of the columns that say most about training labels, one at a time, at most mostColumns are kept, and none
// whose ranks correlate above alike with those of a better one, or above clocked with the times of questions: it counts
// time, and later questions have values that no model has seen. Categories stay.
const (
	mostColumns = 200
	alike       = 0.98
	clocked     = 0.95
	sampled     = 4000 // training questions that correlations are computed on
)

// choose leaves out columns that say little, or the same as others. It looks at labels of training questions only.
func (r *Rows) choose() {
	var rows []int
	for i, q := range r.Questions {
		if (q.Split == "train" || q.Split == "") && !math.IsNaN(q.value) {
			rows = append(rows, i)
		}
	}
	if step := len(rows)/sampled + 1; step > 1 {
		kept := rows[:0:0]
		for i := 0; i < len(rows); i += step {
			kept = append(kept, rows[i])
		}
		rows = kept
	}
	targets, times := r.targets(rows), make([]float64, len(r.Questions))
	for i, q := range r.Questions {
		times[i] = float64(q.At.Unix())
	}
	clock := unitRanks(rows, times)
	var list []*ranked
	for k := range r.Columns {
		c := &r.Columns[k]
		x := &ranked{at: k, relevance: math.Inf(1)}
		if c.Levels == nil {
			if x.unit = unitRanks(rows, c.Values); math.Abs(dot(x.unit, clock)) > clocked {
				continue
			}
			x.relevance = 0
			for _, y := range targets {
				x.relevance = max(x.relevance, math.Abs(dot(x.unit, y)))
			}
		}
		list = append(list, x)
	}
	slices.SortStableFunc(list, func(a, b *ranked) int { return cmp.Compare(b.relevance, a.relevance) })
	var kept []*ranked
	for _, x := range list {
		if len(kept) < mostColumns && !slices.ContainsFunc(kept, func(y *ranked) bool {
			return math.Abs(dot(x.unit, y.unit)) > alike
		}) {
			kept = append(kept, x)
		}
	}
	slices.SortFunc(kept, func(a, b *ranked) int { return a.at - b.at })
	columns := make([]Column, len(kept))
	for i, x := range kept {
		columns[i] = r.Columns[x.at]
	}
	r.Columns = columns
}

// ranked is a column as ranks, of mean 0 and length 1; nil for a category.
type ranked struct {
	at        int
	unit      []float64
	relevance float64
}

// targets returns the ranks of the labels, or of being each class.
func (r *Rows) targets(rows []int) (list [][]float64) {
	values := make([]float64, len(r.Questions))
	for i, q := range r.Questions {
		values[i] = q.value
	}
	if r.Ask.levels == nil {
		return [][]float64{unitRanks(rows, values)}
	}
	for k := range r.Ask.levels {
		is := make([]float64, len(values))
		for i, x := range values {
			if x == float64(k) {
				is[i] = 1
			}
		}
		list = append(list, unitRanks(rows, is))
	}
	return list
}

// unitRanks returns the ranks of values in rows, less their mean, at length 1; missing values are in the middle.
func unitRanks(rows []int, values []float64) []float64 {
	var there []int
	for k, i := range rows {
		if !math.IsNaN(values[i]) {
			there = append(there, k)
		}
	}
	unit := make([]float64, len(rows))
	total := 0.0
	for k, rank := range ranks(there, func(k int) float64 { return values[rows[k]] }) {
		x := rank - float64(len(there)-1)/2
		unit[there[k]] = x
		total += x * x
	}
	if total > 0 {
		for k := range unit {
			unit[k] /= math.Sqrt(total)
		}
	}
	return unit
}

func dot(a, b []float64) (sum float64) {
	if len(a) != len(b) {
		return 0
	}
	for i, x := range a {
		sum += x * b[i]
	}
	return sum
}
