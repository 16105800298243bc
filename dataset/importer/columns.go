package importer

import (
	"fmt"
	"slices"
	"strings"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/internal/codec/table"
	"github.com/bloomgml/bloom/internal/files"
	"github.com/bloomgml/bloom/internal/keys"
)

// findColumn returns the column that the user named, or else the first of the usual names that exists; −1 if there is
// no such column. why says how it was found.
func findColumn(s table.Source, wish string, usual ...string) (column int, why string, err error) {
	columns := s.Columns()
	if wish = strings.TrimSpace(wish); wish != "" {
		if at := slices.Index(columns, meant(wish, columns)); at >= 0 {
			return at, saidSo, nil
		}
		return -1, "", noColumnError(s.Name(), wish, "", columns)
	}
	for _, name := range usual {
		for i, c := range columns {
			if strings.EqualFold(c, name) {
				return i, "by its name", nil
			}
		}
	}
	return -1, "", nil
}

// meant returns the column of which the user wrote the name: name itself, unless one column alone has it in other case
// or spaces.
func meant(name string, columns []string) string {
	if slices.Contains(columns, name) {
		return name
	}
	var same []string
	for _, c := range columns {
		if strings.EqualFold(strings.TrimSpace(c), strings.TrimSpace(name)) {
			same = append(same, c)
		}
	}
	if len(same) == 1 {
		return same[0]
	}
	return name
}

func namesOf(columns []dataset.RawColumn) []string {
	names := make([]string, len(columns))
	for k, c := range columns {
		names[k] = c.Name
	}
	return names
}

// noColumnError says that a table has no column of a name, and which it has.
func noColumnError(file, name, use string, columns []string) error {
	return files.Errorf(file, "there is no column %q%s; columns are %s%s", name, use, strings.Join(columns, ", "),
		keys.Suggest(name, columns, ""))
}

// columnFinder finds the columns of a table of edges, each for one role.
type columnFinder struct {
	s      table.Source
	taken  map[int]bool   // −1 too, which is not a column
	report *TableReport   // notes the roles
	ended  map[string]int // ends that are known, by their roles
	why    string         // how columns are known that are asked for, if not by the user
}

// find is findColumn among the columns that have no role yet.
func (f *columnFinder) find(role, wish string, usual ...string) (int, error) {
	if at, known := f.ended[role]; known {
		return at, nil
	}
	at, why, err := findColumn(f.s, wish, usual...)
	if err != nil || f.taken[at] {
		return -1, err
	}
	if wish != "" && f.why != "" {
		why = f.why
	}
	f.assign(at, role, why)
	return at, nil
}

func (f *columnFinder) assign(at int, role, why string) {
	f.taken[at] = true
	f.report.Roles = append(f.report.Roles, columnRole{f.s.Columns()[at], role, why})
}

// The usual names of the columns of the ends of edges.
var (
	sourceNames = []string{"_start", "source", "src", "from", "head", "subject", "u", "source_id", "src_id", "from_id"}
	targetNames = []string{"_end", "target", "dst", "to", "tail", "object", "v", "target_id", "dst_id", "to_id"}
)

// relationNames are the usual names of the column of relations.
var relationNames = []string{"relation", "rel", "predicate", "edge_type"}

// ends finds the columns of sources and targets: as the user named them, by their usual names, or the first free
// columns.
func (f *columnFinder) ends(source, target string) (u, v int, err error) {
	if u, err = f.find("source", source, sourceNames...); err != nil {
		return 0, 0, err
	}
	if v, err = f.find("target", target, targetNames...); err != nil {
		return 0, 0, err
	}
	if u < 0 {
		u = f.first("source")
	}
	if v < 0 {
		v = f.first("target")
	}
	if u < 0 || v < 0 {
		return 0, 0, files.Errorf(f.s.Name(), "a table of edges needs two columns, got %q", f.s.Columns())
	}
	return u, v, nil
}

// first takes the first free column, −1 if there is none.
func (f *columnFinder) first(role string) int {
	for i := range f.s.Columns() {
		if !f.taken[i] {
			f.assign(i, role, fmt.Sprintf("column %d", i+1))
			return i
		}
	}
	return -1
}

// weight returns the column of weights, −1 if there is no such column. One that is not asked for must weigh.
func (f *columnFinder) weight(wish string, weighs func(column int) bool) (int, error) {
	if isJoined(wish) && !slices.Contains(f.s.Columns(), wish) {
		return -1, nil
	}
	if wish == "" {
		at, _, err := findColumn(f.s, "", "weight")
		if err != nil || at < 0 || !weighs(at) {
			return -1, err
		}
	}
	return f.find("weight", wish, "weight")
}

// openEdges opens a table of edges. If no column has a usual name, and a would-be column name also occurs as a value in
// the first rows, the first row is an edge and there is no header.
func (im *importer) openEdges(name string) (table.Source, error) {
	if isConnected(name) {
		return im.openConnected(name, true)
	}
	s, err := im.open(name)
	if err != nil || table.IsPostgres(name) || im.spec.NoHeader || im.spec.Source != "" || im.spec.Target != "" {
		return s, err
	}
	headless := false
	if columns := s.Columns(); len(columns) <= 3 && !namesEdges(columns) {
		err = im.eachSampled(im.open, name, 1, func(_ table.Source, b *table.Batch) error {
			headless = repeatsHeader(b, columns)
			return nil
		})
	}
	if err == nil && !headless {
		return s, nil
	}
	s.Close()
	if err != nil {
		return nil, err
	}
	return im.openWith(name, true)
}

// namesEdges reports whether one of the columns has a usual name of a table of edges.
func namesEdges(columns []string) bool {
	return slices.ContainsFunc(columns, func(c string) bool {
		known := func(name string) bool { return strings.EqualFold(name, c) }
		return slices.ContainsFunc(slices.Concat(sourceNames, targetNames, relationNames, []string{"weight"}), known)
	})
}

// repeatsHeader reports whether a row has the name of its column, or of another, as a value.
func repeatsHeader(b *table.Batch, columns []string) bool {
	for i := range b.Rows() {
		for j := range columns {
			if slices.Contains(columns, string(b.Cell(i, j))) {
				return true
			}
		}
	}
	return false
}

// relationByValues takes the column of relations of a table of three columns without a header: the one with the fewest
// distinct values in the first rows, if each of the others has at least twice that number; −1 if there is no such
// column. Order alone would take subject ⇥ relation ⇥ object for an edge from the subject to the relation.
func (im *importer) relationByValues(f *columnFinder, name string) (int, error) {
	columns := f.s.Columns()
	if len(columns) != 3 || columns[0] != "column1" || columns[2] != "column3" {
		return -1, nil
	}
	x, err := im.sampleTable(im.openEdges, name)
	if err != nil || x.rows == 0 {
		return -1, err
	}
	values, least := [3]map[string]bool{x.distinct(0), x.distinct(1), x.distinct(2)}, 0
	for j := range values {
		if len(values[j]) < len(values[least]) {
			least = j
		}
	}
	for j := range values {
		if j != least && len(values[j]) < 2*len(values[least]) {
			return -1, nil
		}
	}
	if isNumbers(values[least]) { // weights, or times
		return -1, nil
	}
	f.assign(least, "relation", fmt.Sprintf("%d different values in the first %d rows; --relation names another",
		len(values[least]), x.rows))
	return least, nil
}

// isNumbers reports whether all of some texts are numbers.
func isNumbers(texts map[string]bool) bool {
	for text := range texts {
		if _, ok := parseNumber(text); !ok {
			return false
		}
	}
	return true
}
