package importer

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/internal/files"
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

// times finds the column of times of the nodes just read, and divides them by it unless the user says how. Times in
// other columns that are later than their row are unknown in it.
func (n *nodeImport) times(schema *dataset.TypeSchema) error {
	of := slices.IndexFunc(n.raw, func(c dataset.RawColumn) bool { return slices.Contains(n.spec.Times, c.Name) })
	if of < 0 {
		return nil
	}
	name := n.raw[of].Name
	schema.Time = name
	keys, dates, odd, err := timeKeys(&n.raw[of].Values)
	if 2*odd > len(keys) {
		return files.Because(n.report.Table, err).InColumn(name)
	} else if odd > 0 {
		n.note("%d times in column %q cannot be read and count as missing: %v", odd, name, err)
		hide(&n.raw[of], func(i int) bool { return math.IsInf(keys[i], -1) })
	}
	n.importer.as = n.as.with(n.nodes.count()-len(keys), keys)
	if n.target >= 0 && n.spec.Split.isZero() && len(n.splitColumns(n.raw)) == 0 {
		n.importer.spec.Split = Split{Time: name, Ratio: [3]float64{0.6, 0.2, 0.2}}
	} else if n.spec.Split.Time != name {
		n.report.Roles = append(n.report.Roles, columnRole{name, "time", saidSo})
	}
	for k := range n.raw {
		if k == of || k == n.target || !dates {
			continue
		}
		if late := hideLater(&n.raw[k], keys); late > 0 {
			n.note("%d values of column %q are later than the time of their row, and "+
				"count as unknown", late, n.raw[k].Name)
		}
	}
	return nil
}

// timeKeys reads a column of times: −∞ where one is missing or odd; err says what is wrong with the first odd one.
func timeKeys(values *dataset.Texts) (keys []float64, dates bool, odd int, err error) {
	p := profile(values)
	c := dataset.Column{MonthFirst: p.months > p.days}
	dates, keys = 2*(p.dates+p.compact) >= p.rows-p.missing, make([]float64, values.Len())
	for i := range keys {
		text := strings.TrimSpace(values.Text(i))
		if keys[i] = math.Inf(-1); IsMissing(text) {
			continue
		}
		key, bad := timeKey(&c, text, dates)
		if bad == nil {
			keys[i] = key
		} else if odd++; odd == 1 {
			err = fmt.Errorf("row %d: %w", i+1, bad)
		}
	}
	return keys, dates, odd, err
}

// hideLater empties the values of a column of times that are later than the times of their rows.
func hideLater(raw *dataset.RawColumn, keys []float64) (late int) {
	p := profile(&raw.Values)
	if kind, _ := p.guess(raw.Name); kind != dataset.Time {
		return 0
	}
	c := dataset.Column{MonthFirst: p.months > p.days}
	return hide(raw, func(i int) bool {
		t, ok := Moment(&c, strings.TrimSpace(raw.Values.Text(i)))
		return ok && float64(t.Unix()) > keys[i]
	})
}

// hide empties some values of a column, and returns how many.
func hide(raw *dataset.RawColumn, gone func(i int) bool) (count int) {
	shown := dataset.Texts{}
	for i := range raw.Values.Len() {
		text := raw.Values.Get(i)
		if gone(i) {
			text, count = nil, count+1
		}
		shown.Append(text)
	}
	raw.Values = shown
	return count
}

// kindOfTime returns the kind of a column of edges that the user calls a time; empty for other columns.
func (im *importer) kindOfTime(raw *dataset.RawColumn) string {
	if !slices.Contains(im.spec.Times, raw.Name) {
		return ""
	}
	if p := profile(&raw.Values); 2*(p.dates+p.compact) < p.rows-p.missing {
		return dataset.Number
	}
	return dataset.Time
}

// timeFirst puts the column that the user calls the time of rows before others. Where nodes have times, the days to
// other times are left out: these may lie after the row.
func (im *importer) timeFirst(columns []dataset.Column) []dataset.Column {
	var first, others []dataset.Column
	for _, c := range columns {
		if slices.Contains(im.spec.Times, c.Name) {
			first = append(first, c)
		} else {
			others = append(others, c)
		}
	}
	list := valueColumns(append(first, others...))
	if im.as == nil {
		return list
	}
	for _, c := range list[:min(1, len(list))] {
		if slices.Contains(im.spec.Times, c.Name) {
			im.as.setColumn(c)
		}
	}
	im.schema.AsOf = im.as.column
	return slices.DeleteFunc(list, func(c dataset.Column) bool { return c.Span != nil })
}

// checkTimes refuses times that no table has, and times without labels.
func (im *importer) checkTimes(e *edgeImport) error {
	for _, name := range im.spec.Times {
		has := func(list []dataset.RawColumn) bool { return textsOf(list)(name) != nil }
		switch {
		case im.spec.Label == "":
			return fmt.Errorf("the time %q is about nodes with a label; links in time are lines of source, target and "+
				"time, as bloom train --task links takes them", name)
		case !has(e.extra) && !slices.ContainsFunc(im.raw.Nodes, has):
			return files.Errorf(slices.Concat(im.spec.Nodes, im.spec.Edges)[0].Table,
				"there is no column %q of times, here or in another table", name)
		}
	}
	if im.as != nil {
		im.as.at = im.as.padded(im.nodes.count())
	} else if len(im.spec.Times) > 0 {
		im.notes = append(im.notes, "nodes have no time: edges of all times count for every node")
	}
	return nil
}

// times reads when newcomers are, which is now where their table does not say.
func (a *arrivals) times(s *Statistics) error {
	column := a.d.Schema.Types[a.kind].Time
	if column == "" {
		return nil
	}
	values := textsOf(a.raw.Nodes[a.kind])(column)
	keys, _, _, err := timeKeys(values)
	if err != nil {
		return files.Because(a.report.Nodes[0].Table, err).InColumn(column)
	}
	for i, key := range keys {
		if math.IsInf(key, -1) {
			keys[i] = s.end
		}
	}
	s.as = s.as.with(a.nodes.known, keys)
	a.n.Times = s.as.times(len(s.as.at))[a.nodes.known:]
	return nil
}

// AsOf returns the nodes of d as they were at a time, as newcomers with this time: those that have a time until then.
func AsOf(d *dataset.Dataset, time string) (*dataset.Newcomers, error) {
	s := NewStatistics(d)
	if s == nil || s.as == nil {
		return nil, fmt.Errorf("no columns of nodes of %s are made of edges as of a time", d.Name)
	}
	at, err := timeKey(new(dataset.Column), time, true)
	if err != nil {
		return nil, err
	}
	first, n := slices.Min(slices.DeleteFunc(slices.Clone(s.as.at), func(x float64) bool { return math.IsInf(x, -1) })),
		&dataset.Newcomers{}
	if at < first {
		return nil, fmt.Errorf("no node is as old as %s", time)
	}
	a := &arrivals{d: d, n: n}
	n.Features = make([]dataset.Matrix, len(d.Features))
	for t := range n.Features {
		n.Features[t] = a.matrix(t)
		schema := &d.Schema.Types[t]
		r := &rowsOfType{a, t, schema, newEncoder(schema), s}
		texts := textsOf(d.Raw.Nodes[t])
		for row, v := range d.Graph.NodesOfType(int32(t)) {
			own := s.as.at[v]
			if schema.Time == "" || math.IsInf(own, -1) || own > at {
				continue
			}
			s.as.at[v] = at
			cells := r.cells(texts, row, v, s.Rows(v))
			s.as.at[v] = own
			for k, c := range schema.Columns {
				if c.Name == schema.Time {
					cells[k] = time
				}
			}
			r.encoder.row(func(k int) string { return cells[k] }, func(int, string, outcome) {})
			r.encoder.appendTo(&n.Features[t])
			n.IDs = append(n.IDs, d.IDs.At(v)+"@"+time)
			n.Types, n.Times = append(n.Types, int32(t)), append(n.Times, int64(math.Floor(at)))
		}
	}
	return n, nil
}
