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
// mean, maximum and last value. These columns are made one at a time, after the graph.

// joinedEnds are the suffixes of the columns of edges that are made from a column of numbers.
var joinedEnds = []string{"sum", "mean", "max", "last"}

// countColumn is the column of edges with the number of rows that an edge was made from.
const countColumn = "count"

// joined are edges made from rows.
type joined struct {
	first []int32 // the first row of every edge
	at    []int32 // the edge of every row, −1 if it is in none
}

// joinRows joins the rows between n nodes that are the same edge, in both directions if edges are undirected. Edges are
// in the order of their first rows.
func joinRows(n int, all *dataset.EdgeRows, undirected bool) *joined {
	ends := func(i int32) (low, high, relation int32) {
		if low, high = all.Src[i], all.Dst[i]; undirected && low > high {
			low, high = high, low
		}
		return low, high, all.Relation(int(i))
	}
	low := make([]int32, len(all.Src))
	for i := range low {
		low[i], _, _ = ends(int32(i))
	}
	ptr, rows := groupRows(n, low)
	group := low // the first row of the edge of every row
	for v := range n {
		mine := rows[ptr[v]:ptr[v+1]]
		slices.SortFunc(mine, func(a, b int32) int {
			_, x, r := ends(a)
			_, y, s := ends(b)
			return cmp.Or(cmp.Compare(x, y), cmp.Compare(r, s), cmp.Compare(a, b))
		})
		for k, i := range mine {
			group[i] = i
			if k > 0 {
				_, x, r := ends(i)
				if _, y, s := ends(mine[k-1]); x == y && r == s {
					group[i] = group[mine[k-1]]
				}
			}
		}
	}
	j := &joined{at: group}
	for i, first := range group {
		if int(first) == i {
			group[i] = int32(len(j.first))
			j.first = append(j.first, first)
		} else {
			group[i] = group[first]
		}
	}
	return j
}

// only keeps the edges whose first rows are given, in that order; all edges if first is nil.
func (j *joined) only(first []int32) {
	if first == nil {
		return
	}
	to := slices.Repeat([]int32{-1}, len(j.first))
	for e, i := range first {
		if i >= 0 {
			to[j.at[i]] = int32(e)
		}
	}
	for i, e := range j.at {
		j.at[i] = to[e]
	}
	j.first = first
}

// column returns a column of the edges: their number of rows, or what summarises a column of numbers, amount.sum; nil
// if there is no such column. columns says what the columns of rows are.
func (j *joined) column(name string, all *dataset.EdgeRows, columns []dataset.Column) []float64 {
	if name == countColumn {
		count := make([]float64, len(j.first))
		for _, e := range j.at {
			if e >= 0 {
				count[e]++
			}
		}
		return count
	}
	var x, when []float64
	of, end := name[:max(0, strings.LastIndexByte(name, '.'))], name[strings.LastIndexByte(name, '.')+1:]
	for k, c := range columns {
		if c.Kind == dataset.Time {
			when = all.Columns[k].Values
		} else if c.Kind == dataset.Number && c.Name == of {
			x = all.Columns[k].Values
		}
	}
	if x == nil {
		return nil
	}
	switch end {
	case "sum", "mean":
		return j.sums(x, end == "mean")
	case "max":
		return j.best(x, x)
	case "last":
		return j.best(x, when)
	}
	return nil
}

// sums returns the sums, or the means, of the values of edges.
func (j *joined) sums(x []float64, mean bool) []float64 {
	sum, n := make([]float64, len(j.first)), make([]int32, len(j.first))
	for i, e := range j.at {
		if e >= 0 && !math.IsNaN(x[i]) {
			sum[e], n[e] = sum[e]+x[i], n[e]+1
		}
	}
	for e := range sum {
		if n[e] == 0 {
			sum[e] = math.NaN()
		} else if mean {
			sum[e] /= float64(n[e])
		}
	}
	return sum
}

// best returns the value of every edge in its row with the largest by, the last of these; a by that is nil or NaN is
// the least.
func (j *joined) best(x, by []float64) []float64 {
	y, most := nothing(len(j.first)), slices.Repeat([]float64{math.Inf(-1)}, len(j.first))
	for i, e := range j.at {
		if e < 0 || math.IsNaN(x[i]) {
			continue
		}
		t := math.Inf(-1)
		if by != nil && !math.IsNaN(by[i]) {
			t = by[i]
		}
		if t >= most[e] {
			y[e], most[e] = x[i], t
		}
	}
	return y
}

// logWeights returns log₂(1 + x) of a column: 1 for edges of one row if the column is the count. Missing or negative
// values count as 0.
func logWeights(x []float64) []mat.Real {
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
