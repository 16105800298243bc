package importer

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/mat"
)

// Overview: duplicate rows of an edge become one edge, with their number and, for every column of numbers, their sum,
// mean, maximum and last value.

// joinedEnds are the suffixes of the columns of edges that are made from a column of numbers.
var joinedEnds = []string{"sum", "mean", "max", "last"}

// countColumn is the column of edges with the number of rows that an edge was made from.
const countColumn = "count"

// joined are edges made from rows.
type joined struct {
	first   []int32   // the first row of every edge, in order of these
	count   []float64 // rows of every edge
	columns []madeColumn
}

// joinRows joins the rows between n nodes that are the same edge, in both directions if edges are undirected; columns
// says what the columns of rows are.
func joinRows(n int, all *dataset.EdgeRows, undirected bool, columns []dataset.Column) *joined {
	low, high := slices.Clone(all.Src), slices.Clone(all.Dst)
	for i := range low {
		if undirected && low[i] > high[i] {
			low[i], high[i] = high[i], low[i]
		}
	}
	relation := func(i int32) int32 {
		if all.Rel == nil {
			return 0
		}
		return all.Rel[i]
	}
	ptr, rows := groupRows(n, low)
	group := make([]int32, len(low)) // the first row of the edge of every row
	for v := range n {
		mine := rows[ptr[v]:ptr[v+1]]
		slices.SortFunc(mine, func(a, b int32) int {
			return cmp.Or(cmp.Compare(high[a], high[b]), cmp.Compare(relation(a), relation(b)), cmp.Compare(a, b))
		})
		for k, i := range mine {
			group[i] = i
			if k > 0 && high[i] == high[mine[k-1]] && relation(i) == relation(mine[k-1]) {
				group[i] = group[mine[k-1]]
			}
		}
	}
	j := &joined{}
	at := make([]int32, len(low))
	for i, first := range group {
		if int(first) == i {
			at[i] = int32(len(j.first))
			j.first, j.count = append(j.first, first), append(j.count, 0)
		}
		at[i] = at[first]
		j.count[at[i]]++
	}
	j.columns = append(j.columns, madeColumn{countColumn, j.count})
	var when []float64
	for k, c := range columns {
		if c.Kind == dataset.Time {
			when = all.Columns[k].Values
		}
	}
	for k, c := range columns {
		if c.Kind == dataset.Number {
			j.add(c.Name, all.Columns[k].Values, at, when)
		}
	}
	return j
}

// add adds the columns that summarise a column of numbers for every edge; at maps rows to edges.
func (j *joined) add(name string, x []float64, at []int32, when []float64) {
	edges := len(j.first)
	sum, mean, most, last := nothing(edges), nothing(edges), nothing(edges), nothing(edges)
	n, latest := make([]float64, edges), slices.Repeat([]float64{math.Inf(-1)}, edges)
	for i, e := range at {
		if math.IsNaN(x[i]) {
			continue
		}
		if n[e]++; n[e] == 1 {
			sum[e], most[e] = 0, x[i]
		}
		sum[e], most[e] = sum[e]+x[i], max(most[e], x[i])
		mean[e] = sum[e] / n[e]
		t := math.Inf(-1)
		if when != nil && !math.IsNaN(when[i]) {
			t = when[i]
		}
		if t >= latest[e] {
			last[e], latest[e] = x[i], t
		}
	}
	for k, y := range [][]float64{sum, mean, most, last} {
		j.columns = append(j.columns, madeColumn{name + "." + joinedEnds[k], y})
	}
}

// column returns a column by its name; nil if there is no such column.
func (j *joined) column(name string) []float64 {
	for _, c := range j.columns {
		if c.name == name {
			return c.x
		}
	}
	return nil
}

// weights returns log₂(1 + x) of a column: 1 for edges of one row if the column is the count. Missing or negative
// values count as 0.
func (j *joined) weights(name string) []mat.Real {
	x := j.column(name)
	if x == nil {
		return nil
	}
	w := make([]mat.Real, len(x))
	for e := range w {
		if x[e] > 0 {
			w[e] = mat.Real(math.Log2(1 + x[e]))
		}
	}
	return w
}

// isJoined reports whether a weight is one that joining makes: count, or amount.sum.
func isJoined(weight string) bool {
	at := strings.LastIndexByte(weight, '.')
	return weight == countColumn || at > 0 && slices.Contains(joinedEnds, weight[at+1:])
}

// only returns the edges whose first rows are given, in that order; all edges if first is nil. It uses j up.
func (j *joined) only(first []int32, rows int) *joined {
	if first == nil {
		return j
	}
	at := make([]int32, rows)
	for e, i := range j.first {
		at[i] = int32(e)
	}
	out := &joined{first: first}
	for k, c := range j.columns {
		j.columns[k].x = nil // which is as large as a column of the table
		x := make([]float64, len(first))
		for e, i := range first {
			x[e] = math.NaN()
			if i >= 0 {
				x[e] = c.x[at[i]]
			}
		}
		out.columns = append(out.columns, madeColumn{c.name, x})
	}
	out.count = out.columns[0].x
	return out
}
