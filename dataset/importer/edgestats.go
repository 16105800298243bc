package importer

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/bloomgml/bloom/dataset"
)

// Overview: the rows of a table of edges become columns of nodes, those that lead to a node and those that leave it
// apart: how many rows and partners there are, how often the same partner comes, what the numbers of the rows are, how
// large the part of one partner is, how many partners answer, which levels of categories the rows have, and when they
// were. They are computed from all rows, duplicates included, and are treated like the columns of the table of nodes
// from then on.

// EdgeColumns are the columns that are made from edges; Spec.Columns chooses among them.
var EdgeColumns = []string{"count", "partners", "repeats", "share", "reciprocity", "sum", "mean", "max", "sd", "first",
	"last", "trend"}

// edgeRows are rows of edges with what they say.
type edgeRows struct {
	src, dst []int32
	of       []int32     // the rows of the table that they are; nil if all
	numbers  [][]float64 // of every number column; NaN if missing
	levels   [][]float64 // of every category the place of its level
	time     []float64   // in days; NaN if missing, nil if there are no times
	stats    *dataset.EdgeStats
	since    []float64 // when rows became known; nil if nodes have no times
	at       []float64 // the times of nodes
}

// madeColumn is a column of all nodes, NaN if a node has no value.
type madeColumn struct {
	name string
	x    []float64
}

// columns returns the columns of n nodes; wanted says which of EdgeColumns to make.
func (r *edgeRows) columns(n int, wanted func(string) bool) (list []madeColumn) {
	if r.stats.Undirected {
		r = r.bothWays()
	}
	out, in := r.side(n, r.known(r.src), r.dst), r.side(n, r.known(r.dst), r.src)
	add := func(x []float64, names ...string) { // the last is a direction, or empty
		if x != nil && wanted(names[len(names)-2]) {
			list = append(list, madeColumn{strings.TrimSuffix(r.stats.Name+"."+strings.Join(names, "."), "."), x})
		}
	}
	for k, s := range []*edgeSide{in, out} {
		dir := [2]string{"in", "out"}[k]
		if r.stats.Undirected {
			dir = ""
		}
		if r.stats.Undirected && k == 1 {
			return list
		}
		add(s.count, "count", dir)
		add(s.partners, "partners", dir)
		add(s.repeats, "repeats", dir)
		if len(r.numbers) == 0 {
			add(s.share, "share", dir)
		}
		for j, name := range r.stats.Numbers {
			x := s.numbers[j]
			add(x.sum, name.Name, "sum", dir)
			add(x.mean, name.Name, "mean", dir)
			add(x.max, name.Name, "max", dir)
			add(x.sd, name.Name, "sd", dir)
			add(x.share, name.Name, "share", dir)
		}
		for j, c := range r.stats.Categories {
			for l, x := range s.levels[j] {
				if l > 0 || len(c.Levels) != 2 { // of two the other one tells
					add(x, c.Name+"."+c.Levels[l], "share", dir)
				}
			}
		}
		if r.time != nil {
			add(s.first, r.stats.Time.Name, "first", dir)
			add(s.last, r.stats.Time.Name, "last", dir)
			add(s.trend, r.stats.Time.Name, "trend", dir)
		}
	}
	add(answered(out, in), "reciprocity", "")
	return list
}

// bothWays returns the rows in both directions.
func (r *edgeRows) bothWays() *edgeRows {
	twice := &edgeRows{src: slices.Concat(r.src, r.dst), dst: slices.Concat(r.dst, r.src), stats: r.stats, at: r.at,
		since: slices.Concat(r.since, r.since)}
	for _, x := range r.numbers {
		twice.numbers = append(twice.numbers, slices.Concat(x, x))
	}
	for _, x := range r.levels {
		twice.levels = append(twice.levels, slices.Concat(x, x))
	}
	if r.time != nil {
		twice.time = slices.Concat(r.time, r.time)
	}
	return twice
}

// edgeSide is what the rows that lead to, or from, every node say.
type edgeSide struct {
	ptr, with                       []int32 // the different partners of every node, in order
	count, partners, repeats, share []float64
	numbers                         []numberSide
	levels                          [][][]float64 // of every category and level the share of the rows that have it
	first, last, trend              []float64
}

// numberSide is what a column of numbers says about every node.
type numberSide struct{ sum, mean, max, sd, share []float64 }

// side groups the rows by node and partner.
//
// share is the part of the largest partner: of the rows, or of the sum of numbers that are not negative; first and last
// are days before the last row of all, or before the time of the node, and trend is (late − early)/rows, of the last
// and the first third of the time until then. Rows of node −1 do not count.
func (r *edgeRows) side(n int, nodes, partners []int32) *edgeSide {
	ptr, rows := groupRows(n, nodes)
	column := func() []float64 { return make([]float64, n) }
	s := &edgeSide{ptr: make([]int32, n+1), count: column(), partners: column(), repeats: column(), share: nothing(n)}
	for range r.numbers {
		s.numbers = append(s.numbers, numberSide{nothing(n), nothing(n), nothing(n), nothing(n), nothing(n)})
	}
	for j, c := range r.stats.Categories {
		s.levels = append(s.levels, shares(n, len(c.Levels), nodes, r.levels[j]))
	}
	if r.time != nil {
		s.first, s.last, s.trend = nothing(n), nothing(n), nothing(n)
	}
	for v := range n {
		mine := rows[ptr[v]:ptr[v+1]]
		slices.SortFunc(mine, func(a, b int32) int {
			return cmp.Or(cmp.Compare(partners[a], partners[b]), cmp.Compare(a, b))
		})
		s.count[v] = float64(len(mine))
		for begin := 0; begin < len(mine); {
			end := begin + 1
			for end < len(mine) && partners[mine[end]] == partners[mine[begin]] {
				end++
			}
			s.with = append(s.with, partners[mine[begin]])
			s.partners[v]++
			s.repeats[v] = max(s.repeats[v], float64(end-begin))
			begin = end
		}
		s.ptr[v+1] = int32(len(s.with))
		if len(mine) == 0 {
			continue
		}
		s.share[v] = s.repeats[v] / s.count[v]
		for j := range r.numbers {
			s.numbers[j].fill(v, r.numbers[j], mine, partners)
		}
		if r.time != nil {
			s.when(v, r, mine)
		}
	}
	return s
}

// shares returns, for every one of k levels, the share of the rows of each of n nodes that have it, among those that
// have a level.
func shares(n, k int, nodes []int32, levels []float64) [][]float64 {
	count, list := make([]float64, n), make([][]float64, k)
	for l := range list {
		list[l] = make([]float64, n)
	}
	for i, v := range nodes {
		if l := levels[i]; v >= 0 && !math.IsNaN(l) {
			count[v]++
			list[int(l)][v]++
		}
	}
	for _, x := range list {
		for v := range x {
			x[v] /= count[v] // NaN without rows
		}
	}
	return list
}

// nothing returns n missing values.
func nothing(n int) []float64 { return slices.Repeat([]float64{math.NaN()}, n) }

// groupRows groups rows by node: rows[ptr[v]:ptr[v+1]] are the rows of node v.
func groupRows(n int, nodes []int32) (ptr, rows []int32) {
	ptr, rows = make([]int32, n+2), make([]int32, len(nodes))
	for _, v := range nodes {
		if v >= 0 {
			ptr[v+2]++
		}
	}
	for v := range n {
		ptr[v+2] += ptr[v+1]
	}
	for i, v := range nodes {
		if v >= 0 {
			rows[ptr[v+1]] = int32(i)
			ptr[v+1]++
		}
	}
	return ptr[:n+1], rows
}

// fill sets what numbers x say about node v, whose rows are in the order of their partners.
func (s *numberSide) fill(v int, x []float64, rows, partners []int32) {
	n, mean, square, most := 0.0, 0.0, 0.0, math.Inf(-1)
	sum, ofPartner, largest, negative := 0.0, 0.0, 0.0, false
	for k, i := range rows {
		if k > 0 && partners[i] != partners[rows[k-1]] {
			ofPartner = 0
		}
		if math.IsNaN(x[i]) {
			continue
		}
		n++
		d := x[i] - mean
		mean += d / n
		square += d * (x[i] - mean)
		most, sum, ofPartner = max(most, x[i]), sum+x[i], ofPartner+x[i]
		largest, negative = max(largest, ofPartner), negative || x[i] < 0
	}
	if n == 0 {
		return
	}
	s.sum[v], s.mean[v], s.max[v] = sum, mean, most
	if n > 1 {
		s.sd[v] = math.Sqrt(square / n)
	}
	if sum > 0 && !negative {
		s.share[v] = largest / sum
	}
}

// when sets what the times of its rows say about node v.
func (s *edgeSide) when(v int, r *edgeRows, rows []int32) {
	begin, end := r.stats.Begin, r.stats.End
	if r.at != nil {
		end = r.at[v] / (24 * 3600)
	}
	first, last, n, trend := math.Inf(1), math.Inf(-1), 0.0, 0.0
	for _, i := range rows {
		t := r.time[i]
		if math.IsNaN(t) {
			continue
		}
		n++
		first, last = min(first, t), max(last, t)
		switch share := (t - begin) / (end - begin); {
		case share < 1.0/3:
			trend--
		case share > 2.0/3:
			trend++
		}
	}
	if n > 0 {
		s.first[v], s.last[v], s.trend[v] = end-first, end-last, trend/n
	}
}

// answered returns, for every node, the share of its partners that it has both ways.
func answered(out, in *edgeSide) []float64 {
	x := nothing(len(out.count))
	for v := range x {
		to, from := out.with[out.ptr[v]:out.ptr[v+1]], in.with[in.ptr[v]:in.ptr[v+1]]
		both, i := 0, 0
		for _, u := range to {
			for i < len(from) && from[i] < u {
				i++
			}
			if i < len(from) && from[i] == u {
				both++
			}
		}
		if all := len(to) + len(from) - both; all > 0 {
			x[v] = float64(both) / float64(all)
		}
	}
	return x
}
