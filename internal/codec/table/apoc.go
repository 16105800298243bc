package table

import (
	"slices"
	"strings"

	"github.com/bloomgml/bloom/internal/files"
)

// The columns that apoc.export.csv of Neo4j adds to properties of nodes and, behind them, of relationships.
const (
	apocID     = "_id"
	apocLabels = "_labels"
	apocStart  = "_start"
	apocEnd    = "_end"
	apocType   = "_type"
)

// apoc is one table of a file of apoc.export.csv, which holds all nodes and relationships of a graph: the nodes with
// some labels, or the relationships of a type.
type apoc struct {
	Source
	whole   *header
	key     int    // the column that tells tables apart
	want    string // its value
	columns []int  // of the file
}

var _ Source = (*apoc)(nil)

// isApoc reports whether a file with these columns was written by apoc.export.csv.
func isApoc(columns []string) bool {
	return len(columns) > 4 && columns[0] == apocID && columns[1] == apocLabels &&
		slices.Contains(columns, apocStart) && slices.Contains(columns, apocEnd) && slices.Contains(columns, apocType)
}

// ApocTables returns the tables of nodes and of relationships of a file of apoc.export.csv, by their names, and false
// for another file. A node with several labels is in the table of all of them, Person:Admin.
func ApocTables(path string, b *files.Budget) (nodes, edges []string, ok bool, err error) {
	s, err := openPath(path, Options{Ragged: true, Budget: b})
	if err != nil {
		return nil, nil, false, err
	}
	defer s.Close()
	if !isApoc(s.Columns()) {
		return nil, nil, false, nil
	}
	labels, types := map[string]bool{}, map[string]bool{}
	typeAt := slices.Index(s.Columns(), apocType)
	err = Each(s, func(b *Batch) error {
		for i := range b.Rows() {
			if name := string(b.Cell(i, 1)); len(b.Cell(i, 0)) > 0 && !labels[name] {
				labels[name] = true
				nodes = append(nodes, strings.TrimPrefix(name, ":"))
			}
			if name := string(b.Cell(i, typeAt)); name != "" && !types[name] {
				types[name] = true
				edges = append(edges, name)
			}
		}
		return nil
	})
	return nodes, edges, true, err
}

// openApoc returns the table of a name: of nodes if they have these labels, else of relationships.
func openApoc(s Source, path, name string, b *files.Budget) (Source, error) {
	if name == "" || !isApoc(s.Columns()) {
		return s, nil
	}
	nodes, edges, _, err := ApocTables(path, nil)
	columns := s.Columns()
	start := slices.Index(columns, apocStart)
	a := &apoc{Source: s, whole: &header{name: path + "#" + name, budget: b}}
	switch {
	case err != nil:
	case slices.Contains(nodes, name):
		a.key, a.want = 1, ":"+name
		for j := range start {
			if j != a.key {
				a.columns = append(a.columns, j)
			}
		}
	case slices.Contains(edges, name):
		a.key, a.want = slices.Index(columns, apocType), name
		for j := start; j < len(columns); j++ {
			if j != a.key {
				a.columns = append(a.columns, j)
			}
		}
	default:
		err = files.Errorf(path, "no node has the label %q and no relationship that type; there are %.200q and %.200q",
			name, nodes, edges)
	}
	if err != nil {
		s.Close()
		return nil, err
	}
	for _, j := range a.columns {
		a.whole.columns = append(a.whole.columns, columns[j])
	}
	return a, nil
}

func (a *apoc) Name() string      { return a.whole.name }
func (a *apoc) Columns() []string { return a.whole.columns }

// Next keeps the rows of the table when a batch is parsed. Rows move to the front, in place: a row has no more cells
// than before.
func (a *apoc) Next(b *Batch) error {
	if err := a.Source.Next(b); err != nil {
		return err
	}
	parse := b.parse
	b.parse = func(b *Batch) error {
		if parse != nil {
			if err := parse(b); err != nil {
				return err
			}
		}
		n, kept := len(b.source.columns), 0
		for i := range b.Rows() {
			if string(b.Cell(i, a.key)) != a.want {
				continue
			}
			for k, j := range a.columns {
				b.cells[kept*len(a.columns)+k] = b.cells[i*n+j]
			}
			b.lines[kept] = b.lines[i]
			kept++
		}
		b.source, b.cells, b.lines = a.whole, b.cells[:kept*len(a.columns)], b.lines[:kept]
		return nil
	}
	return nil
}
