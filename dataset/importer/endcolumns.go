package importer

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/internal/codec/table"
	"github.com/bloomgml/bloom/internal/files"
)

// Overview: tables of events have their ends anywhere: delivery_no, vendor, plant, promised. Where names do not tell,
// the ends are the columns whose values are ids of nodes. If only one column has such values, because the plants have
// no table of their own, the values of another become nodes, of a type named after it, and the import starts again.

// errThings stops an import whose edges lead to values that are not nodes yet; spec makes them nodes.
type errThings struct{ spec Spec }

func (*errThings) Error() string { return "ends of edges are not nodes yet" }

// endSample is the first rows of a table.
type endSample struct {
	columns []string
	rows    int
	values  [][]string // of every column
}

// profile returns what is known about the values of a column.
func (x *endSample) profile(j int) columnProfile {
	var values dataset.Texts
	for _, text := range x.values[j] {
		values.Append([]byte(text))
	}
	return profile(&values)
}

// sampleTable reads the first rows of a table.
func (im *importer) sampleTable(open func(string) (table.Source, error), name string) (*endSample, error) {
	return im.sampleBatches(open, name, 1)
}

// sampleBatches reads the first batches of a table.
func (im *importer) sampleBatches(open func(string) (table.Source, error), name string, batches int) (*endSample,
	error) {
	x := &endSample{}
	err := im.eachSampled(open, name, batches, func(s table.Source, b *table.Batch) error {
		if x.values == nil {
			x.columns, x.values = s.Columns(), make([][]string, len(s.Columns()))
		}
		x.rows += b.Rows()
		for j := range x.values {
			for i := range b.Rows() {
				x.values[j] = append(x.values[j], string(b.Cell(i, j)))
			}
		}
		return nil
	})
	return x, err
}

// nameless reports whether the first of three columns or more alone has no name.
func nameless(columns []string) bool {
	return len(columns) > 2 && columns[1] != "column2" &&
		(columns[0] == "column1" || strings.HasPrefix(columns[0], "Unnamed:"))
}

// numbersRows reports whether the first of three columns or more has no name and numbers the rows, as pandas writes
// them.
func (x *endSample) numbersRows() bool {
	if x.rows < 2 || !nameless(x.columns) {
		return false
	}
	first, follow := -1, 0
	for i, text := range x.values[0] {
		n, err := strconv.Atoi(strings.TrimSuffix(text, ".0"))
		if i == 0 {
			first = n
		}
		if err == nil && n == first+i {
			follow++
		}
	}
	return (first == 0 || first == 1) && x.most(follow)
}

// most reports whether n rows are all but a few, which may be footers.
func (x *endSample) most(n int) bool { return 20*n >= 19*x.rows }

// names reports whether the values of column j may name the rows: they are different, and not numbers unless its name
// says that they are ids.
func (x *endSample) names(j int) bool {
	values := x.distinct(j)
	return x.most(len(values)) && (namesKey(x.columns[j]) || !isNumbers(values))
}

// id returns the column of ids of a table of nodes whose name does not tell: the first, unless its values repeat or
// number the rows and another column may name them, at best one that is called a key.
func (x *endSample) id() (column int, why string) {
	column, why = 0, "the first column"
	if x.rows < 2 || x.most(len(x.distinct(0))) && !x.numbersRows() {
		return column, why
	}
	for j := len(x.columns) - 1; j > 0; j-- {
		if x.names(j) && (column == 0 || namesKey(x.columns[j]) || !namesKey(x.columns[column])) {
			column, why = j, "its values are all different, and those of the first column are not"
			if x.numbersRows() {
				why = "its values are all different, and the first column numbers the rows"
			}
		}
	}
	return column, why
}

// share returns the share of the values of column j that are ids of type t, or of any type if t is −1.
func (e *edgeImport) share(x *endSample, j, t int) float64 {
	found := 0
	for _, text := range x.values[j] {
		if e.knows(t, []byte(text)) {
			found++
		}
	}
	return float64(found) / float64(max(1, x.rows))
}

// knows reports whether an id is one of type t, or of any type if t is −1, perhaps if case and spaces do not count.
func (e *edgeImport) knows(t int, id []byte) bool {
	for k, names := range e.nodes.tables {
		if t >= 0 && t != k {
			continue
		}
		if _, known := names.Find(e.nodes.key(id)); known && len(id) > 0 {
			return true
		}
		if e.fold || e.spec.ExactIDs {
			continue
		}
		if _, known := e.folder(k).names.Find(dataset.FoldID(nil, id)); known {
			return true
		}
	}
	return false
}

// few is the share of values from which a column may hold ids, if some are of nodes that are not there.
const few = 0.2

// endsByValues takes the columns of the ends by their values: if the user did not name them, their names say nothing,
// and the first two columns are not the ends.
func (e *edgeImport) endsByValues(f *columnFinder, in Input, asked *Spec) error {
	if isConnected(in.Table) || len(f.s.Columns()) < 2 {
		return nil
	}
	u, _, err := findColumn(f.s, asked.Source, sourceNames...)
	if err != nil {
		return err
	}
	v, _, err := findColumn(f.s, asked.Target, targetNames...)
	if err != nil {
		return err
	}
	isOpen := slices.Contains(e.nodes.open, true) && e.old == nil
	if isOpen && u >= 0 && v >= 0 && !nameless(f.s.Columns()) {
		return nil
	}
	x, err := e.sampleTable(e.openEdges, in.Table)
	if err != nil || x.rows == 0 {
		return err
	}
	if x.numbersRows() && u != 0 && v != 0 {
		f.assign(0, "skipped", "it numbers the rows")
	}
	if isOpen {
		if u < 0 && v < 0 && !f.taken[1] {
			f.repeatedEnds(x)
		}
		return nil
	}
	source, _, target := in.ends()
	ends := [2]int{u, v}
	for k, name := range []string{source, target} {
		t := e.nodes.typeOf(name)
		if len(e.nodes.tables) == 1 {
			t = 0
		}
		if free := e.freeColumns(f, x, ends); ends[k] < 0 && len(free) > 0 && e.share(x, free[0], t) < few {
			ends[k] = e.best(x, free, t)
		} else if ends[k] < 0 && len(free) > 0 {
			ends[k] = free[0]
		}
	}
	if err := e.things(x, in, &ends); err != nil {
		return err
	}
	for k, role := range []string{"source", "target"} {
		if ends[k] < 0 || ends[k] == [2]int{u, v}[k] || ends[k] == k && !f.taken[0] && !f.taken[1] {
			continue
		}
		f.assign(ends[k], role, fmt.Sprintf("its values are ids of nodes; --%s names another", role))
		f.ended[role] = ends[k]
	}
	return nil
}

// repeatedEnds takes the ends of edges without tables of nodes, if the first two free columns cannot be them: a time, a
// fraction, or values that are all different. Ends are the two columns that share most values, if they share ten and a
// fifth of one, else the first two that can be ends.
func (f *columnFinder) repeatedEnds(x *endSample) {
	var can []int
	sound := true // the first two free columns are ends
	free := 0
	for j := range x.columns {
		if f.taken[j] {
			continue
		}
		if free++; x.mayEnd(j) {
			can = append(can, j)
		} else if free <= 2 {
			sound = false
		}
	}
	if sound || len(can) < 2 || x.rows < 10 {
		return
	}
	best, most, why := [2]int{can[0], can[1]}, 9, "the first whose values come again"
	for i, a := range can {
		for _, b := range can[i+1:] {
			left, right := x.distinct(a), x.distinct(b)
			shared := 0
			for value := range left {
				if right[value] && value != "" {
					shared++
				}
			}
			if shared > most && float64(shared) >= few*float64(min(len(left), len(right))) {
				best, most = [2]int{a, b}, shared
				why = fmt.Sprintf("%q and %q share most values", x.columns[a], x.columns[b])
			}
		}
	}
	for k, role := range []string{"source", "target"} {
		f.assign(best[k], role, why+"; --"+role+" names another")
		f.ended[role] = best[k]
	}
}

// mayEnd reports whether the values of a column may be ends of edges.
func (x *endSample) mayEnd(j int) bool {
	p := x.profile(j)
	there := p.rows - p.missing
	isTime := 2*p.dates > there || p.epoch > 0 && 2*p.compact > there
	return there > 0 && !isTime && p.whole == p.numbers && len(p.money) == 0 && 1 < p.different && p.different < there
}

// freeColumns returns the columns that are no end and have no role.
func (e *edgeImport) freeColumns(f *columnFinder, x *endSample, ends [2]int) (free []int) {
	for j := range x.columns {
		if !f.taken[j] && j != ends[0] && j != ends[1] {
			free = append(free, j)
		}
	}
	return free
}

// best returns the first of the columns that have nearly the most values that are nodes, −1 if none has.
func (e *edgeImport) best(x *endSample, columns []int, t int) int {
	shares, most := make([]float64, len(columns)), 0.0
	for i, j := range columns {
		shares[i] = e.share(x, j, t)
		most = max(most, shares[i])
	}
	for i, j := range columns {
		if most >= few && shares[i] > most/2 {
			return j
		}
	}
	return -1
}

// things returns an *errThings if the values of one end are nodes and those of the other are not, but come again and
// again.
func (e *edgeImport) things(x *endSample, in Input, ends *[2]int) error {
	if source, _, _ := in.ends(); len(e.spec.Nodes) == 0 || source != "" || e.old != nil {
		return nil
	}
	nodes := func(j int) bool { return j >= 0 && e.share(x, j, -1) >= few }
	known := slices.IndexFunc(ends[:], nodes)
	if e.numbersThings(x, ends[0], ends[1]) {
		known = 1
	}
	if known < 0 {
		return nil
	}
	apart := e.numbersThings(x, ends[1-known], ends[known])
	if nodes(ends[1-known]) && !apart {
		return nil
	}
	column := ends[1-known]
	if column < 0 {
		column = x.thing(ends[known])
	}
	if column < 0 || !x.again(column) {
		more, err := e.sampleBatches(e.openEdges, in.Table, moreBatches)
		if err != nil {
			return err
		}
		column = more.seldom(ends[known], column)
	}
	if column < 0 || e.share(x, column, -1) > 0 && !apart {
		return nil
	}
	spec, kind := e.spec, e.typeAmong(x, ends[known])
	spec.Nodes, spec.Edges = slices.Clone(spec.Nodes), slices.Clone(spec.Edges)
	rows := &spec.Nodes[kind]
	rows.Name = cmp.Or(rows.Name, rowsName(rows.Table))
	name, relation := x.columns[column], cmp.Or(in.Name, tableName(in.Table))
	named := func(n Input) bool { return n.Name == name }
	if slices.ContainsFunc(spec.Nodes, named) || strings.Contains(name, ":") {
		return nil
	}
	typed := []string{rows.Name, relation, name}
	spec.Nodes = append(spec.Nodes, Input{name, connectTable + name})
	spec.valuesOf = map[string]string{name: in.Table}
	maps.Copy(spec.valuesOf, e.spec.valuesOf)
	if column < ends[known] {
		slices.Reverse(typed)
	}
	spec.Edges[slices.Index(spec.Edges, in)].Name = strings.Join(typed, ":")
	return &errThings{spec}
}

// typeAmong returns the type that has most of the values of column j as ids.
func (e *edgeImport) typeAmong(x *endSample, j int) (best int) {
	for t := range e.nodes.tables {
		if e.share(x, j, t) > e.share(x, j, best) {
			best = t
		}
	}
	return best
}

// distinct returns the different values of a column.
func (x *endSample) distinct(j int) map[string]bool {
	values := map[string]bool{}
	for _, text := range x.values[j] {
		values[strings.ToLower(strings.TrimSpace(text))] = true
	}
	return values
}

// moreBatches is the number of batches in which names of things are looked for that seldom come again.
const moreBatches = 64

// seldom returns the first column, or the one that is asked for, that names things that seldom come again; −1 if there
// is none.
func (x *endSample) seldom(known, asked int) int {
	for j := range x.columns {
		if j != known && (asked < 0 || j == asked) && x.named(j) {
			return j
		}
	}
	return -1
}

// named reports whether the values of a column are names of which some come again: a twentieth of the rows.
func (x *endSample) named(j int) bool {
	p := x.profile(j)
	kind, _ := p.guess(x.columns[j])
	sentences := slices.ContainsFunc(x.values[j], func(text string) bool { return strings.Count(text, " ") > 2 })
	count, again := map[string]int{}, 0
	for _, text := range x.values[j] {
		count[strings.ToLower(strings.TrimSpace(text))]++
	}
	for _, n := range count {
		if n > 1 {
			again += n
		}
	}
	return kind != dataset.Number && kind != dataset.Time && !sentences &&
		float64(again)/float64(max(1, x.rows)) >= 0.05
}

// again reports whether the values of a column come again and again.
func (x *endSample) again(j int) bool {
	n := len(x.distinct(j))
	return n > 2 && 3*n <= 2*x.rows
}

// thing returns the column that names things best: the one with most different values among those whose values come
// again and are names, or the one behind the known end if its values are whole numbers; −1 if there is none.
func (x *endSample) thing(known int) int {
	best, most, beside := -1, 0, -1
	for j, name := range x.columns {
		if j == known || !x.again(j) {
			continue
		}
		p := x.profile(j)
		kind, _ := p.guess(name)
		if kind == dataset.Number && p.whole == p.numbers && j == known+1 {
			beside = j
		}
		if kind == dataset.Text || kind == dataset.Number || kind == dataset.Time {
			continue
		}
		if p.different > most {
			best, most = j, p.different
		}
	}
	if beside >= 0 && most < 10 { // a kind of rows, and not what they lead to
		return beside
	}
	return best
}

// openValues computes a table of the different values of a column of edges, as nodes.
func (im *importer) openValues(name, column, edges string) (table.Source, error) {
	s, err := im.openEdges(edges)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	at := slices.Index(s.Columns(), column)
	if at < 0 {
		return nil, files.Errorf(s.Name(), "there is no column %q", column)
	}
	var list dataset.Texts
	seen := map[string]bool{}
	err = table.Each(s, func(b *table.Batch) error {
		for i := range b.Rows() {
			text := strings.TrimSpace(string(b.Cell(i, at)))
			key := string(dataset.FoldID(nil, []byte(text)))
			if seen[key] || IsMissing(text) {
				continue
			}
			seen[key] = true
			list.Append([]byte(text))
			if err := im.budget.Take(int64(2*len(text))+96, "values that become nodes"); err != nil {
				return err
			}
		}
		return im.ctx.Err()
	})
	im.note("column %q of %s names no node: its %d values are nodes of their own "+
		"type; --nodes gives them a table, --source and --target name other columns", column, s.Name(), list.Len())
	return table.Generate(name, []string{"id"}, list.Len(), func(dst []byte, i, _ int) []byte {
		return append(dst, list.Get(i)...)
	}), err
}

// restart reports whether an error starts the import again, and sets how.
func restart(err error, spec *Spec, fold *bool) bool {
	var things *errThings
	switch {
	case errors.Is(err, errFold):
		*fold = true
	case errors.Is(err, errOpen):
		spec.addEnds = true
	case errors.As(err, &things):
		*spec = things.spec
	default:
		return false
	}
	return true
}
