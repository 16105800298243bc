package importer

import (
	"cmp"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/internal/codec/table"
	"github.com/bloomgml/bloom/internal/files"
)

// Overview: the numbers and times of all rows of edges are read once. Repeats are joined by them, columns of nodes are
// made from them, and they are kept with the data set, so that these columns follow when edges come and go.

// wants reports whether a column of EdgeColumns is to be made.
func (s *Spec) wants(column string) bool {
	return s.Columns == nil || slices.Contains(s.Columns, column)
}

// maxGroups is the maximum number of relations that get columns of their own.
const maxGroups = 8

// edgeColumns makes columns of nodes from all rows of edges.
func (im *importer) edgeColumns(d *dataset.Dataset, e *edgeImport) error {
	if im.labels.Class == nil || im.spec.Columns != nil && len(im.spec.Columns) == 0 {
		return nil
	}
	rows, columns, err := e.rowsOfEdges()
	if err != nil {
		return err
	}
	names := e.relations.Names()
	groups := len(names)
	if groups > maxGroups {
		groups = 1
	}
	for g := range groups {
		stats := dataset.EdgeStats{Name: names[g], Relation: int32(g), Undirected: im.spec.Direction == Undirected,
			NoLoops: im.spec.DropLoops}
		if groups == 1 {
			stats.Relation = -1
		}
		if stats.Name == "" || len(names) > groups {
			stats.Name = tableName(im.spec.Edges[min(g, len(im.spec.Edges)-1)].Table)
		}
		size := 8 * int64(len(e.src)) * int64(len(columns)+2)
		if err := im.budget.Take(size, "statistics of edges"); err != nil {
			im.note("no columns are computed from edges: %v", err)
			return nil
		}
		choose(&stats, rows, columns)
		if err := im.make(pickRows(&stats, rows).asOf(im.as, rows)); err != nil {
			return err
		}
		im.budget.Release(size)
	}
	if len(im.schema.Stats) > 0 { // the graph takes the ends
		im.raw.Rows = &dataset.EdgeRows{Src: slices.Clone(e.src), Dst: slices.Clone(e.dst), Rel: slices.Clone(e.rel),
			Columns: rows.Columns}
	}
	return nil
}

// rowsName returns the type of the nodes of a table, which needs one only if there are several types.
func rowsName(text string) string {
	if name := tableName(text); name != dataset.OfEdges {
		return name
	}
	return "row"
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

// rowsOfEdges returns the numbers and times of all rows of edges, and the columns that they are.
func (e *edgeImport) rowsOfEdges() (*dataset.EdgeRows, []dataset.Column, error) {
	if e.all != nil {
		return e.all, e.columns, nil
	}
	fitted, err := e.fitRaw(e.extra, func(raw *dataset.RawColumn) { pad(&raw.Values, len(e.src)) })
	if err != nil {
		return nil, nil, err
	}
	e.columns = e.timeFirst(fitted)
	size := 8 * int64(len(e.src)) * int64(len(e.columns)+1)
	if err := e.budget.Take(size, "numbers of edges"); err != nil {
		e.note("numbers and times of edges are left out: %v", err)
		e.columns = nil
	}
	e.all = &dataset.EdgeRows{Src: e.src, Dst: e.dst, Rel: e.rel,
		Columns: readRows(e.columns, textsOf(e.extra), len(e.src))}
	return e.all, e.columns, nil
}

// manyShares is the maximum number of levels of a category of edges whose shares become columns of nodes.
const manyShares = 16

// valueColumns returns those of columns that are numbers, times or categories of few levels. Of several times the first
// is the time of a row, and from it to the others are numbers: the days from promised to arrived.
func valueColumns(columns []dataset.Column) (list []dataset.Column) {
	var first *dataset.Column
	for i, c := range columns {
		switch {
		case c.Kind == dataset.Number, c.Kind == dataset.Category && len(c.Levels) <= manyShares:
			list = append(list, c)
		case c.Kind == dataset.Time && first == nil:
			first = &columns[i]
			list = append(list, c)
		case c.Kind == dataset.Time:
			list = append(list, dataset.Column{Name: c.Name + "-" + first.Name, Kind: dataset.Number,
				Why: "days from " + first.Name, Span: []dataset.Column{c, *first}})
		}
	}
	return list
}

// textsOf returns a function that finds columns by their names; nil if there is no such column.
func textsOf(raw []dataset.RawColumn) func(name string) *dataset.Texts {
	return func(name string) *dataset.Texts {
		for i := range raw {
			if raw[i].Name == name {
				return &raw[i].Values
			}
		}
		return nil
	}
}

func readRows(columns []dataset.Column, texts func(name string) *dataset.Texts, n int) []dataset.NumberColumn {
	list := make([]dataset.NumberColumn, len(columns))
	_ = eachOf(len(columns), func(k int) error {
		list[k] = dataset.NumberColumn{Name: columns[k].Name, Values: readColumn(&columns[k], texts, n)}
		return nil
	})
	return list
}

// readColumn reads a column of n rows: numbers, times in days since 1970, or the places of levels in their list.
func readColumn(c *dataset.Column, texts func(name string) *dataset.Texts, n int) []float64 {
	if len(c.Span) == 2 {
		x := readColumn(&c.Span[0], texts, n)
		for i, from := range readColumn(&c.Span[1], texts, n) {
			x[i] -= from
		}
		return x
	}
	x, values := nothing(n), texts(c.Name)
	for i := range x {
		if values != nil {
			x[i] = readValue(c, strings.TrimSpace(values.Text(i)))
		}
	}
	return x
}

// readValue reads a number, a time in days since 1970 or the place of a level; NaN if it cannot.
func readValue(c *dataset.Column, text string) float64 {
	switch c.Kind {
	case dataset.Time:
		if t, ok := Moment(c, text); ok {
			return (float64(t.Unix()) + float64(t.Nanosecond())/1e9) / (24 * 3600)
		}
	case dataset.Category:
		if j, known := level(c, text); known {
			return float64(j)
		}
	default:
		if x, ok := Number(c, text); ok && !slices.Contains(c.Absent, x) {
			return x
		}
	}
	return math.NaN()
}

// choose sets the columns of stats: those that have a value in its rows.
func choose(stats *dataset.EdgeStats, rows *dataset.EdgeRows, columns []dataset.Column) {
	picked := pickRows(stats, rows)
	for k, c := range columns {
		x, some := rows.Columns[k].Values, false
		for i := range picked.src {
			some = some || !math.IsNaN(x[picked.row(i)])
		}
		if !some {
			continue
		}
		switch c.Kind {
		case dataset.Number:
			stats.Numbers = append(stats.Numbers, c)
			continue
		case dataset.Category:
			stats.Categories = append(stats.Categories, c)
			continue
		}
		stats.Time = c
		spanTimes(stats, rows)
	}
}

// pickRows returns the rows that stats is about.
func pickRows(stats *dataset.EdgeStats, rows *dataset.EdgeRows) *edgeRows {
	r := &edgeRows{src: rows.Src, dst: rows.Dst, stats: stats}
	if stats.NoLoops || stats.Relation >= 0 && rows.Rel != nil {
		r.src, r.dst, r.of = nil, nil, []int32{}
		for i, u := range rows.Src {
			if (stats.Relation < 0 || rows.Rel == nil || rows.Rel[i] == stats.Relation) &&
				!(stats.NoLoops && u == rows.Dst[i]) {
				r.of, r.src, r.dst = append(r.of, int32(i)), append(r.src, u), append(r.dst, rows.Dst[i])
			}
		}
	}
	for _, c := range stats.Numbers {
		r.numbers = append(r.numbers, r.values(rows, c.Name))
	}
	for _, c := range stats.Categories {
		r.levels = append(r.levels, r.values(rows, c.Name))
	}
	if stats.Time.Name != "" {
		r.time = r.values(rows, stats.Time.Name)
	}
	return r
}

// row returns the number of row i in the table.
func (r *edgeRows) row(i int) int {
	if r.of == nil {
		return i
	}
	return int(r.of[i])
}

func (r *edgeRows) values(rows *dataset.EdgeRows, name string) []float64 {
	x := rows.Column(name)
	if x == nil {
		return nothing(len(r.src))
	}
	if r.of == nil {
		return x
	}
	y := make([]float64, len(r.of))
	for i, row := range r.of {
		y[i] = x[row]
	}
	return y
}

// fitRaw fits columns of edges, each of which is prepared before.
func (im *importer) fitRaw(list []dataset.RawColumn, prepare func(*dataset.RawColumn)) ([]dataset.Column, error) {
	columns := make([]dataset.Column, len(list))
	err := eachOf(len(list), func(i int) (err error) {
		prepare(&list[i])
		columns[i], err = fitColumn(&list[i], wish{kind: cmp.Or(im.spec.Kinds[list[i].Name], im.kindOfTime(&list[i]))})
		return err
	})
	if err != nil {
		return nil, files.Because(im.spec.Edges[0].Table, err)
	}
	return columns, nil
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
			if same || im.spec.Kinds[c.name] == dataset.Skipped || !varies(c.x) ||
				textsOf(im.raw.Nodes[t])(c.name) != nil {
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
		for i := range im.report.Edges { // the first table that has the relation
			t := &im.report.Edges[i]
			if len(im.report.Edges) == 1 || len(im.schema.Stats) == i+1 || r.stats.Relation < 0 {
				t.Made = append(t.Made, r.stats.Columns...)
				break
			}
		}
		im.tellTime(&r.stats.Time, r.stats.Time.Why)
		for _, c := range r.stats.Numbers {
			if len(c.Span) == 2 {
				im.tellTime(&c.Span[0], c.Span[0].Why+"; the days from "+c.Span[1].Name+" to it are "+c.Name)
			}
		}
	}
	return nil
}

func equalOrNaN(a, b float64) bool { return a == b || math.IsNaN(a) && math.IsNaN(b) }

// varies reports whether there are two different values.
func varies(x []float64) bool {
	first := math.NaN()
	for _, y := range x {
		switch {
		case math.IsNaN(first):
			first = y
		case y != first && !math.IsNaN(y):
			return true
		}
	}
	return false
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

// tellTime reports that a column of edges is a time.
func (im *importer) tellTime(c *dataset.Column, why string) {
	for i := range im.report.Edges {
		for k := range im.report.Edges[i].Roles {
			if r := &im.report.Edges[i].Roles[k]; r.Column == c.Name && r.Role == "kept" {
				r.Role, r.Why = "time", why
			}
		}
	}
}

// madeOfEdges is why columns made of edges are numbers.
const madeOfEdges = "made of edges"

// addColumns adds the informative columns to the nodes of type t.
func (im *importer) addColumns(t int, made []madeColumn, stats *dataset.EdgeStats) error {
	raw, columns := make([]dataset.RawColumn, len(made)), make([]dataset.Column, len(made))
	err := eachOf(len(made), func(k int) (err error) {
		if err := im.budget.Take(8*int64(len(made[k].x)), "columns made of edges"); err != nil {
			return err
		}
		raw[k] = made[k].raw()
		made[k].x = nil
		columns[k] = fitMade(&raw[k])
		return nil
	})
	if err != nil {
		return err
	}
	for k, c := range columns {
		if c.Kind != dataset.Skipped {
			im.raw.Nodes[t] = append(im.raw.Nodes[t], raw[k])
			im.schema.Types[t].Columns = append(im.schema.Types[t].Columns, c)
			stats.Columns = append(stats.Columns, c.Name)
		}
	}
	return nil
}

// fitMade fits the transform of a column that bloom made.
func fitMade(raw *dataset.RawColumn) dataset.Column {
	c, xs := dataset.Column{Name: raw.Name, Kind: dataset.Number, Why: madeOfEdges}, []float64(nil)
	for i := range raw.Values.Len() {
		if x := raw.Values.Number(i); x == x {
			xs = append(xs, x)
		}
	}
	if !varies(xs) {
		return dataset.Column{Name: c.Name, Kind: dataset.Skipped, Why: "all values are the same"}
	}
	c.Missing = raw.Values.Len() - len(xs)
	fitMoments(&c, xs)
	return c
}

func (c madeColumn) raw() dataset.RawColumn {
	numbers := make([]float32, len(c.x))
	for i, x := range c.x {
		numbers[i] = madeNumber(x)
	}
	return dataset.RawColumn{Name: c.name, Values: dataset.Texts{Numbers: numbers}}
}

// madeNumber returns a number of a made column, NaN if it is missing.
func madeNumber(x float64) float32 {
	if !isFinite(x) {
		return float32(math.NaN())
	}
	return float32(max(-math.MaxFloat32, min(x, math.MaxFloat32)))
}

// numberText returns a number of a made column as a text, empty if it is missing.
func numberText(x float64) string {
	if y := float64(madeNumber(x)); y == y {
		return strconv.FormatFloat(y, 'g', -1, 32)
	}
	return ""
}
