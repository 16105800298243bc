package importer

import (
	"cmp"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/internal/codec/table"
	"github.com/bloomgml/bloom/internal/files"
)

// Overview: the rows of a table of edges become columns of nodes, those that lead to a node and those that leave it
// apart: how many rows and partners there are, how often the same partner comes, what the numbers of the rows are, how
// large the part of one partner is, how many partners answer, and when the rows were. They are computed from all rows,
// duplicates included, and are treated like the columns of the table of nodes from then on.

// EdgeColumns are the columns that are made from edges; Spec.Columns chooses among them.
var EdgeColumns = []string{"count", "partners", "repeats", "share", "reciprocity", "sum", "mean", "max", "sd", "first",
	"last", "trend"}

// edgeRows are rows of edges with what they say.
type edgeRows struct {
	src, dst []int32
	numbers  [][]float64 // of every number column; NaN if missing
	time     []float64   // in days; NaN if missing, nil if there are no times
	stats    *dataset.EdgeStats
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
	out, in := r.side(n, r.src, r.dst), r.side(n, r.dst, r.src)
	add := func(x []float64, names ...string) {
		if x != nil && wanted(names[len(names)-2]) {
			list = append(list, madeColumn{r.stats.Name + "." + strings.Join(slices.DeleteFunc(names, isEmpty), "."),
				x})
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
	twice := &edgeRows{src: slices.Concat(r.src, r.dst), dst: slices.Concat(r.dst, r.src), stats: r.stats}
	for _, x := range r.numbers {
		twice.numbers = append(twice.numbers, slices.Concat(x, x))
	}
	if r.time != nil {
		twice.time = slices.Concat(r.time, r.time)
	}
	return twice
}

func isEmpty(text string) bool { return text == "" }

// edgeSide is what the rows that lead to, or from, every node say.
type edgeSide struct {
	ptr, with                       []int32 // the different partners of every node, in order
	count, partners, repeats, share []float64
	numbers                         []numberSide
	first, last, trend              []float64
}

// numberSide is what a column of numbers says about every node.
type numberSide struct{ sum, mean, max, sd, share []float64 }

// side groups the rows by node and partner.
//
// share is the part of the largest partner: of the rows, or of the sum of numbers that are not negative; first and last
// are days before the last row of all, and trend is (late − early)/rows, of the last and the first third of the time.
func (r *edgeRows) side(n int, nodes, partners []int32) *edgeSide {
	ptr, rows := groupRows(n, nodes)
	column := func() []float64 { return make([]float64, n) }
	s := &edgeSide{ptr: make([]int32, n+1), count: column(), partners: column(), repeats: column(), share: nothing(n)}
	for range r.numbers {
		s.numbers = append(s.numbers, numberSide{nothing(n), nothing(n), nothing(n), nothing(n), nothing(n)})
	}
	if r.time != nil {
		s.first, s.last, s.trend = nothing(n), nothing(n), nothing(n)
	}
	for v := range n {
		mine := rows[ptr[v]:ptr[v+1]]
		slices.SortFunc(mine, func(a, b int32) int {
			return cmp.Or(cmp.Compare(partners[a], partners[b]),
				cmp.Compare(a, b))
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

// nothing returns n missing values.
func nothing(n int) []float64 { return slices.Repeat([]float64{math.NaN()}, n) }

// groupRows groups rows by node: rows[ptr[v]:ptr[v+1]] are the rows of node v.
func groupRows(n int, nodes []int32) (ptr, rows []int32) {
	ptr, rows = make([]int32, n+2), make([]int32, len(nodes))
	for _, v := range nodes {
		ptr[v+2]++
	}
	for v := range n {
		ptr[v+2] += ptr[v+1]
	}
	for i, v := range nodes {
		rows[ptr[v+1]] = int32(i)
		ptr[v+1]++
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

// wants reports whether a column of EdgeColumns is to be made.
func (s *Spec) wants(column string) bool {
	return s.Columns == nil || slices.Contains(s.Columns, column)
}

// maxGroups is the maximum number of relations that get columns of their own.
const maxGroups = 8

// edgeColumns makes columns of nodes from all rows of edges.
func (im *importer) edgeColumns(e *edgeImport) error {
	if im.labels.Class == nil || im.spec.Columns != nil && len(im.spec.Columns) == 0 {
		return nil
	}
	columns, err := e.valuesOfEdges()
	if err != nil {
		return err
	}
	names := e.relations.Names()
	groups := len(names)
	if groups > maxGroups {
		groups = 1
	}
	for g := range groups {
		stats := dataset.EdgeStats{Name: names[g], Relation: int32(g), Undirected: im.spec.Direction == Undirected}
		if groups == 1 {
			stats.Relation = -1
		}
		if stats.Name == "" || len(names) > groups {
			stats.Name = tableName(im.spec.Edges[min(g, len(im.spec.Edges)-1)].Table)
		}
		rows := pickRows(e.src, e.dst, e.rel, columns, &stats, im.spec.DropLoops)
		size := 8 * int64(len(rows.src)) * int64(len(rows.numbers)+2)
		if err := im.budget.Take(size, "statistics of edges"); err != nil {
			im.notes = append(im.notes, fmt.Sprintf("no columns are made of edges: %v", err))
			return nil
		}
		if err := im.make(rows); err != nil {
			return err
		}
		im.budget.Release(size)
	}
	return nil
}

// tableName returns the name of a table without folders and extension.
func tableName(text string) string {
	if table.IsPostgres(text) || strings.Contains(text, " ") {
		return dataset.OfEdges
	}
	if isConnected(text) {
		return sharedRelation
	}
	if rest, found := strings.CutPrefix(text, table.File(text)); found && len(rest) > 1 {
		return rest[1:] // team.db:people, team.xlsx#people
	}
	name, _, _ := strings.Cut(filepath.Base(table.File(text)), ".")
	return cmp.Or(strings.TrimRight(name, "*?-_"), dataset.OfEdges)
}

// edgeValues is a column of edges that is numbers or times.
type edgeValues struct {
	dataset.Column
	texts *dataset.Texts
}

// valuesOfEdges returns the columns of edges that are numbers or times.
func (e *edgeImport) valuesOfEdges() ([]edgeValues, error) {
	if e.fitted {
		return e.values, nil
	}
	e.fitted = true
	columns, err := e.fitRaw(e.extra, func(raw *dataset.RawColumn) { pad(&raw.Values, len(e.src)) })
	if err != nil {
		return nil, err
	}
	for i, c := range columns {
		if c.Kind == dataset.Number || c.Kind == dataset.Time {
			e.values = append(e.values, edgeValues{c, &e.extra[i].Values})
		}
	}
	return e.values, nil
}

// fitRaw fits columns of edges, each of which is prepared before.
func (im *importer) fitRaw(list []dataset.RawColumn, prepare func(*dataset.RawColumn)) ([]dataset.Column, error) {
	columns := make([]dataset.Column, len(list))
	err := eachOf(len(list), func(i int) (err error) {
		prepare(&list[i])
		columns[i], err = fitColumn(&list[i], wish{kind: im.spec.Kinds[list[i].Name]})
		return err
	})
	if err != nil {
		return nil, files.Because(im.spec.Edges[0].Table, err)
	}
	return columns, nil
}

// pickRows returns the rows of the relation of stats, and adds their columns to stats.
func pickRows(src, dst, rel []int32, columns []edgeValues, stats *dataset.EdgeStats, dropLoops bool) *edgeRows {
	r := &edgeRows{stats: stats}
	var rows []int32
	for i := range src {
		if (stats.Relation < 0 || rel == nil || rel[i] == stats.Relation) && !(dropLoops && src[i] == dst[i]) {
			rows = append(rows, int32(i))
			r.src, r.dst = append(r.src, src[i]), append(r.dst, dst[i])
		}
	}
	for _, c := range columns {
		if x := c.read(rows); x == nil {
			continue
		} else if c.Kind == dataset.Number {
			r.numbers, stats.Numbers = append(r.numbers, x), append(stats.Numbers, c.Column)
		} else if r.time == nil {
			r.time, stats.Time = x, c.Column
		}
	}
	if r.time != nil && stats.End == 0 {
		stats.Begin, stats.End = math.Inf(1), math.Inf(-1)
		for _, t := range r.time {
			if !math.IsNaN(t) {
				stats.Begin, stats.End = min(stats.Begin, t), max(stats.End, t)
			}
		}
	}
	return r
}

// read reads the values of rows: numbers, or times in days since 1970; nil if there are no values.
func (c *edgeValues) read(rows []int32) []float64 {
	x, some := nothing(len(rows)), false
	for k, i := range rows {
		text := strings.TrimSpace(c.texts.Text(int(i)))
		if c.Kind == dataset.Time {
			if t, ok := readTime(&c.Column, text); ok {
				x[k], some = float64(t.Unix())/(24*3600), true
			}
		} else if y, ok := readAs(&c.Column, text); ok && !slices.Contains(c.Absent, y) {
			x[k], some = y, true
		}
	}
	if !some {
		return nil
	}
	return x
}

// make adds the columns made from rows to the columns of the nodes. It leaves out columns that are constant or equal to
// another.
func (im *importer) make(r *edgeRows) error {
	made := r.columns(im.nodes.count(), im.spec.wants)
	for t := range im.schema.Types {
		var kept []madeColumn
		for _, c := range made {
			c.x = im.ofType(c.x, t)
			same := slices.ContainsFunc(kept, func(x madeColumn) bool { return slices.EqualFunc(x.x, c.x, equalOrNaN) })
			if same || im.spec.Kinds[c.name] == dataset.Skipped || !varies(c.x) || im.hasColumn(t, c.name) {
				continue
			}
			kept = append(kept, c)
		}
		if err := im.addColumns(t, kept, r.stats); err != nil {
			return err
		}
	}
	if len(r.stats.Columns) > 0 {
		im.schema.Stats = append(im.schema.Stats, *r.stats)
		im.tellMade(r.stats)
		im.tellTime(&r.stats.Time)
	}
	return nil
}

func equalOrNaN(a, b float64) bool { return a == b || math.IsNaN(a) && math.IsNaN(b) }

// varies reports whether there are two different values.
func varies(x []float64) bool {
	for _, y := range x {
		if !equalOrNaN(y, x[0]) {
			return true
		}
	}
	return false
}

// hasColumn reports whether nodes of type t have a column already.
func (im *importer) hasColumn(t int, name string) bool {
	return slices.ContainsFunc(im.raw.Nodes[t], func(c dataset.RawColumn) bool { return c.Name == name })
}

// ofType returns the values of the nodes of type t.
func (im *importer) ofType(x []float64, t int) []float64 {
	if im.nodes.numbers == nil {
		return x
	}
	y := make([]float64, len(im.nodes.numbers[t]))
	for i, v := range im.nodes.numbers[t] {
		y[i] = x[v]
	}
	return y
}

// tellTime reports that a column of edges is their time.
func (im *importer) tellTime(c *dataset.Column) {
	for i := range im.report.Edges {
		for k := range im.report.Edges[i].Roles {
			if r := &im.report.Edges[i].Roles[k]; r.Column == c.Name && r.Role == "kept" {
				r.Role, r.Why = "time", c.Why
			}
		}
	}
}

// tellMade reports which columns were made from the tables that hold the relation.
func (im *importer) tellMade(s *dataset.EdgeStats) {
	for i := range im.report.Edges {
		if t := &im.report.Edges[i]; len(im.report.Edges) == 1 || len(im.schema.Stats) == i+1 || s.Relation < 0 {
			t.Made = append(t.Made, s.Columns...)
			return
		}
	}
}
