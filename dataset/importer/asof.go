package importer

import (
	"math"
	"slices"

	"github.com/bloomgml/bloom/dataset"
)

// Overview: where nodes have times, what is said about a node is what was known at its time. A row of edges is known
// from its own time on, or, without one, from that of its later end, and columns are made of the rows that are known.
// Messages pass both ways, so the graph keeps an edge only between nodes of the same time. A node without a time is
// older than all others.

// asOf are the times that rows and nodes have: seconds since 1970, or plain numbers.
type asOf struct {
	column  string  // of the rows
	seconds float64 // of a unit of the column
	at      []float64
}

// since returns when rows became known.
func (a *asOf) since(rows *dataset.EdgeRows) []float64 {
	since, own := make([]float64, len(rows.Src)), rows.Column(a.column)
	for i, u := range rows.Src {
		if own != nil && !math.IsNaN(own[i]) {
			since[i] = math.Round(own[i]*a.seconds*1e3) / 1e3
		} else {
			since[i] = max(a.at[u], a.at[rows.Dst[i]])
		}
	}
	return since
}

// asOf makes r say of every node what was known at its time; a nil a changes nothing.
func (r *edgeRows) asOf(a *asOf, rows *dataset.EdgeRows) *edgeRows {
	if a == nil {
		return r
	}
	r.at, r.since = a.at, a.since(rows)
	if r.of != nil {
		since := r.since
		r.since = make([]float64, len(r.of))
		for i := range r.of {
			r.since[i] = since[r.row(i)]
		}
	}
	return r
}

// known returns ends of the rows, −1 for rows that an end does not know.
func (r *edgeRows) known(ends []int32) []int32 {
	if r.at == nil {
		return ends
	}
	ends = slices.Clone(ends)
	for i, v := range ends {
		if r.since[i] > r.at[v] {
			ends[i] = -1
		}
	}
	return ends
}

// asOfData returns the times of d; nil where nodes have none.
func asOfData(d *dataset.Dataset) *asOf {
	s := d.Schema
	if !s.Timed() {
		return nil
	}
	a := &asOf{column: s.AsOf, seconds: 1}
	for _, x := range s.Stats {
		if x.Time.Name == s.AsOf && s.AsOf != "" {
			a.setColumn(x.Time)
		}
	}
	for _, at := range d.Times {
		a.at = append(a.at, float64(at))
		if at == math.MinInt64 {
			a.at[len(a.at)-1] = math.Inf(-1)
		}
	}
	return a
}

// end returns the last time of a node or of a row.
func (a *asOf) end(rows *dataset.EdgeRows) float64 {
	end := slices.Max(a.at)
	if rows != nil {
		end = max(end, slices.Max(append(a.since(rows), end)))
	}
	return end
}

// times returns the times of n nodes as whole numbers, the least one for −∞.
func (a *asOf) times(n int) []int64 {
	list := slices.Repeat([]int64{math.MinInt64}, n)
	for v, at := range a.at {
		if !math.IsInf(at, -1) {
			list[v] = int64(math.Floor(at))
		}
	}
	return list
}

// with returns a with the times of the nodes that follow the first n; others have none.
func (a *asOf) with(n int, keys []float64) *asOf {
	if a == nil {
		a = &asOf{}
	}
	a.at = append(a.padded(n)[:n], keys...)
	return a
}

// padded returns the times of n nodes or more.
func (a *asOf) padded(n int) []float64 {
	return append(a.at, slices.Repeat([]float64{math.Inf(-1)}, max(0, n-len(a.at)))...)
}

// setColumn says which column of rows is their time.
func (a *asOf) setColumn(c dataset.Column) {
	if a.column, a.seconds = c.Name, 1; c.Kind == dataset.Time {
		a.seconds = 24 * 3600
	}
}

// keepSameTime keeps the rows of edges between nodes of the same time that these know.
func (im *importer) keepSameTime(e *edgeImport) error {
	if im.as == nil || len(e.src) == 0 {
		return nil
	}
	rows, _, err := e.rowsOfEdges()
	if err != nil {
		return err
	}
	var kept []int32
	for i, at := range im.as.since(rows) {
		if a := im.as.at; a[e.src[i]] == a[e.dst[i]] && at <= a[e.src[i]] {
			kept = append(kept, int32(i))
		}
	}
	if gone := len(e.src) - len(kept); gone > 0 {
		im.note("%d of %d edges join nodes of different times, or are later: "+
			"only columns made of edges tell of them", gone, len(e.src))
	}
	for i := range e.extra {
		pad(&e.extra[i].Values, len(e.src))
		e.extra[i].Values = e.extra[i].Values.Pick(kept)
	}
	e.all = &dataset.EdgeRows{}
	for _, c := range rows.Columns {
		e.all.Columns = append(e.all.Columns, dataset.NumberColumn{Name: c.Name, Values: pick(c.Values, kept)})
	}
	e.src, e.dst, e.rel, e.weight = pick(e.src, kept), pick(e.dst, kept), pick(e.rel, kept), pick(e.weight, kept)
	e.all.Src, e.all.Dst, e.all.Rel = e.src, e.dst, e.rel
	return nil
}

// pick returns the given elements of x; nil if x is.
func pick[T any](x []T, rows []int32) []T {
	if x == nil {
		return nil
	}
	y := make([]T, len(rows))
	for k, i := range rows {
		y[k] = x[i]
	}
	return y
}
