package importer

import (
	"fmt"
	"slices"
	"strings"

	"github.com/bloomgml/bloom/internal/codec/table"
)

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
