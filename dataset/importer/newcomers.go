package importer

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/internal/codec/table"
	"github.com/bloomgml/bloom/internal/files"
	"github.com/bloomgml/bloom/mat"
)

// Overview: newcomers are an import into an index that has the nodes of the old data. Tables are read as by Run, but
// what their columns mean, and how they become features, is what the Schema of the old data says. Edges are then
// joined, and columns are made from them, for the new nodes and for the old ones that they lead to.

// Newcomers reads new nodes of d, the one table spec.Nodes, and their edges, spec.Edges if there are any. If d has
// several node types, the table has the type that its name says, or else the one with labels. Columns are found as by
// Run. Features are made by the Schema of d; if it has none, because d was not imported, the columns except the id are
// the features, in their order. Edges join two newcomers, or a newcomer and an old node. If rows of d were connected by
// values that they share, so are newcomers. The fields of spec about names, labels, tasks, kinds, splits and directions
// are ignored.
//
// Rows that cannot be used are rejected as by Run: also nodes that d has, and edges between two of those. Values that
// are not of the kind of their column, such as a level that the import never saw, count as missing and are noted.
func Newcomers(ctx context.Context, d *dataset.Dataset, spec Spec) (*dataset.Newcomers, *Report, error) {
	if len(spec.Nodes) != 1 {
		return nil, nil, fmt.Errorf("%d tables of new nodes, want one", len(spec.Nodes))
	}
	defer files.RelaxCollector()
	fold := d.Schema != nil && d.Schema.Types[0].Folded
	a := newArrivals(ctx, d, spec, fold)
	err := a.read()
	if restart(err, &spec, &fold) {
		a.reject.discard()
		a = newArrivals(ctx, d, spec, fold)
		err = a.read()
	}
	if err = a.end(err, nil); err != nil {
		return nil, &a.report, err
	}
	return a.n, &a.report, nil
}

type arrivals struct {
	*importer
	d      *dataset.Dataset
	n      *dataset.Newcomers
	kind   int                // the node type of the rows
	plain  dataset.TypeSchema // the columns, if the old data has no Schema
	rows   *dataset.EdgeRows  // of the new edges
	byNode map[int32][]EdgeRow
	stats  *Statistics // nil if no columns are made from edges
}

func newArrivals(ctx context.Context, d *dataset.Dataset, spec Spec, fold bool) *arrivals {
	im := &importer{ctx: ctx, spec: spec, old: d, fold: fold, reject: newRejects(&spec), budget: files.NewBudget()}
	return &arrivals{importer: im, d: d, n: new(dataset.Newcomers)}
}

// newcomerBytes is the memory of a new node besides its name and features.
const newcomerBytes = 128

func (a *arrivals) read() (err error) {
	if err := a.connect(); err != nil {
		return err
	}
	if a.nodes, err = indexOf(a.d, a.fold); err != nil {
		return err
	}
	if err := a.nodeTable(); err != nil {
		return err
	}
	given := a.nodes.count()
	e := newEdgeImport(a.importer)
	for t := range a.nodes.open {
		s := a.d.Schema
		a.nodes.open[t] = s != nil && t < len(s.Types) && s.Types[t].Things && a.d.Features[t].Cols > 0 &&
			!slices.Contains(s.Connect, s.Types[t].Name)
	}
	for _, in := range a.spec.Edges {
		if err := e.read(in); err != nil {
			return err
		}
	}
	e.tellFold()
	a.name(given)
	a.stats = NewStatistics(a.d)
	if s := a.d.Schema; a.stats == nil && s != nil && len(s.Stats) > 0 { // only the new rows are known
		a.stats = &Statistics{schema: s, columns: rowColumns(a.d), as: asOfData(a.d)}
	}
	if a.stats != nil && a.stats.as != nil {
		if err := a.times(a.stats); err != nil {
			return err
		}
	}
	a.finishEdges(e)
	a.finishNodes()
	a.n.Notes = append(a.n.Notes, a.notes...)
	return nil
}

// connect adds the tables that connect rows to the tables of edges, and checks that there are features.
func (a *arrivals) connect() error {
	if len(a.d.Features) == 0 || a.d.Features[0].Cols == 0 && len(a.d.Features) == 1 {
		return files.Errorf(a.spec.Nodes[0].Table, "%s has no features that new nodes could have", a.d.Name)
	}
	s := a.d.Schema
	if s == nil || len(s.Connect) == 0 || a.d.Raw == nil || len(a.d.Raw.Nodes) == 0 {
		return nil
	}
	with := a.spec
	with.Connect, with.Things = s.Connect, len(s.Types) > 1
	with.Nodes = []Input{{Name: s.Types[0].Name, Table: a.spec.Nodes[0].Table}}
	with, err := with.connected()
	a.spec.Connect, a.spec.Things, a.spec.Edges = with.Connect, with.Things, with.Edges
	return err
}

func (a *arrivals) nodeTable() error {
	in, s := a.spec.Nodes[0], a.d.Schema
	if at := a.nodes.typeOf(in.Name); at >= 0 {
		a.kind = at
	} else if s != nil {
		a.kind = max(0, slices.IndexFunc(s.Types, func(t dataset.TypeSchema) bool { return t.Label != "" }))
	}
	n := &nodeImport{importer: a.importer, in: in, t: a.kind}
	file, err := a.open(in.Table)
	if err != nil {
		return err
	}
	defer file.Close()
	if err := a.roles(n, file); err != nil {
		return err
	}
	err = n.rows(file)
	a.report.Nodes = append(a.report.Nodes, n.report)
	if err != nil {
		return err
	}
	if err := a.budget.Take(int64(n.added)*int64(newcomerBytes+8*a.d.Features[a.kind].Cols), "new nodes"); err != nil {
		return err
	}
	a.raw.Nodes = make([][]dataset.RawColumn, max(1, len(a.d.Features)))
	a.raw.Nodes[a.kind] = n.raw
	a.classes(n.raw)
	return nil
}

// roles finds the columns of the new nodes: those that the old ones have.
func (a *arrivals) roles(n *nodeImport, s table.Source) (err error) {
	if err := n.findID(s); err != nil {
		return err
	}
	cols, columns := a.d.Features[n.t].Cols, s.Columns()
	if a.d.Schema == nil {
		if len(columns) != cols+1 {
			return files.Errorf(s.Name(), "%d columns besides the id, want the %d features of %s", len(columns)-1, cols,
				a.d.Name)
		}
		n.usable = n.allNumbers
		for j, name := range columns {
			if j != n.id {
				n.raw, n.column = append(n.raw, dataset.RawColumn{Name: name}), append(n.column, j)
				a.plain.Columns = append(a.plain.Columns, dataset.Column{Name: name, Kind: dataset.Number})
			}
		}
		return nil
	}
	schema := &a.d.Schema.Types[n.t]
	if own := width(schema); own != cols || cols == 0 {
		return files.Errorf(s.Name(), "%s has %d features, and its columns become %d", a.d.Name, cols, own)
	}
	if n.array, err = readEmbedding(a.spec.Embeddings, a.spec.Nodes[0].Name, columns, a.budget); err != nil {
		return err
	}
	for _, name := range a.known(schema) {
		at := slices.Index(columns, name)
		if at < 0 && name == embeddingColumn && n.array != nil {
			at = arrayColumn
		}
		n.raw, n.column = append(n.raw, dataset.RawColumn{Name: name}), append(n.column, at)
	}
	return a.noteColumns(n, columns)
}

// known returns the columns that old nodes of a type have.
func (a *arrivals) known(schema *dataset.TypeSchema) (names []string) {
	if a.d.Raw != nil && len(a.d.Raw.Nodes) > a.kind {
		names = namesOf(a.d.Raw.Nodes[a.kind])
	}
	for _, c := range schema.Columns {
		if !slices.Contains(names, c.Name) {
			names = append(names, c.Name)
		}
	}
	if schema.Label != "" && !slices.Contains(names, schema.Label) {
		names = append(names, schema.Label)
	}
	return names
}

// noteColumns notes the columns that new nodes lack, and those that old ones did not have. None in common is an error.
func (a *arrivals) noteColumns(n *nodeImport, columns []string) error {
	lacking, found := []string{}, 0
	for _, c := range a.d.Schema.Types[n.t].Columns {
		at := slices.IndexFunc(n.raw, func(x dataset.RawColumn) bool { return x.Name == c.Name })
		switch {
		case n.column[at] != noColumn:
			found++
		case c.Width() > 0 && !a.d.Schema.Made(c.Name):
			lacking = append(lacking, c.Name)
		}
	}
	if found == 0 && len(lacking) > 0 {
		return files.Errorf(n.report.Table, "there is neither a column %q nor any other column of %s", lacking[0],
			a.d.Name)
	}
	var unknown []string
	for j, name := range columns {
		if j != n.id && a.d.Raw != nil && !slices.Contains(n.column, j) {
			unknown = append(unknown, name)
		}
	}
	if len(unknown) > 0 {
		a.n.Notes = append(a.n.Notes, fmt.Sprintf("%d columns are new and are ignored: %s", len(unknown),
			quotedList(unknown[:min(3, len(unknown))])))
	}
	for _, name := range lacking {
		a.n.Notes = append(a.n.Notes, fmt.Sprintf("there is no column %q: all its values count as missing", name))
	}
	return nil
}

// allNumbers returns what is wrong with the first value of row i that is not a number; empty if all are.
func (n *nodeImport) allNumbers(b *table.Batch, i int) string {
	for _, j := range n.column {
		text := strings.TrimSpace(string(b.Cell(i, j)))
		if _, ok := parseNumber(text); !ok && !IsMissing(text) {
			return fmt.Sprintf("%.40q is not a number", text)
		}
	}
	return ""
}

// classes sets the classes of the rows, where they are known.
func (a *arrivals) classes(raw []dataset.RawColumn) {
	if a.d.Schema == nil || a.d.Labels.Task != "" {
		return
	}
	schema := &a.d.Schema.Types[a.kind]
	labels := textsOf(raw)(schema.Label)
	if schema.Label == "" || labels == nil {
		return
	}
	for i := range labels.Len() {
		text := strings.TrimSpace(labels.Text(i))
		a.n.Class = append(a.n.Class, int32(slices.Index(a.d.Labels.Names, cmp.Or(schema.Same[text], text))))
	}
}

// name sets the ids and the types of the newcomers, of which the first given nodes of the index are old or rows.
func (a *arrivals) name(given int) {
	ids, n := a.nodes.ids(), a.nodes.count()
	for v := a.nodes.known; v < n; v++ {
		a.n.IDs = append(a.n.IDs, ids.At(int32(v)))
	}
	a.n.Things = n - given
	if a.nodes.nodeType != nil {
		a.n.Types = slices.Clone(a.nodes.nodeType[a.nodes.known:])
	}
	for range a.n.Things {
		if a.n.Class != nil {
			a.n.Class = append(a.n.Class, -1)
		}
	}
}

// matrix returns a matrix without rows for nodes of type t.
func (a *arrivals) matrix(t int) dataset.Matrix {
	m := dataset.Matrix{Cols: a.d.Features[t].Cols}
	if a.d.Features[t].IsSparse() {
		m.Ptr, m.Values = []int64{0}, []mat.Real{}
	}
	return m
}

// oddValues counts values that are not of the kind of their column.
type oddValues struct {
	count int
	first string
	// of these, levels that count as rare
	grouped int
}

// add counts the outcome of a value, and returns how many values are filled because of it.
func (x *oddValues) add(text string, o outcome) int {
	if o == odd || o == unlisted {
		if x.count++; x.count == 1 {
			x.first = text
		}
	}
	switch o {
	case taken:
		return 0
	case unlisted:
		x.grouped++
		return 0
	}
	return 1
}

// noteOdd notes odd values of columns, if there are any.
func (a *arrivals) noteOdd(columns []dataset.Column, list []oddValues) {
	for i, o := range list {
		c := &columns[i]
		if o.count == 0 {
			continue
		}
		as, counts := "are not of kind "+c.Kind, "missing"
		switch {
		case o.grouped > 0:
			as, counts = "are not among its levels", dataset.OtherLevel
		case c.Kind == dataset.Category:
			as = "were never seen before"
		case c.Kind == dataset.Text:
			as = "have no word that was seen before"
		case c.Kind == dataset.Vector:
			as = fmt.Sprintf("are not lists of %d numbers", len(c.Means))
		}
		a.n.Notes = append(a.n.Notes, fmt.Sprintf("column %q: %d values %s and count as %s, such as %.40q", c.Name,
			o.count, as, counts, o.first))
	}
}
