package importer

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/internal/codec/table"
	"github.com/bloomgml/bloom/internal/files"
	"github.com/bloomgml/bloom/mat"
)

// Newcomers reads new nodes of d, the one table spec.Nodes, and their edges, spec.Edges if there are any. Columns are
// found as by Run. Features are made by the Schema of d; if it has none, because d was not imported, the columns except
// the id are the features, in their order. Edges join two newcomers, or a newcomer and an old node. The fields of spec
// about names, labels, tasks, kinds, splits and directions are ignored.
//
// Rows that cannot be used are rejected as by Run: also nodes that d has, edges between two of those and edges that
// come twice. Values that are not of the kind of their column, such as a level that the import never saw, count as
// missing and are noted.
func Newcomers(ctx context.Context, d *dataset.Dataset, spec Spec) (*dataset.Newcomers, *Report, error) {
	if len(spec.Nodes) != 1 {
		return nil, nil, fmt.Errorf("%d tables of new nodes, want one", len(spec.Nodes))
	}
	im := &importer{ctx: ctx, spec: spec, reject: newRejects(&spec), budget: files.NewBudget()}
	defer files.RelaxCollector()
	defer im.reject.discard()
	a := &arrivals{importer: im, d: d, n: new(dataset.Newcomers), late: map[string]int32{},
		seen: map[graph.Triple]bool{}}
	err := a.read()
	if err == nil {
		err = im.reject.flush()
	}
	if err == nil {
		err = im.reject.commit()
	}
	im.account(err)
	if err != nil {
		return nil, &im.report, err
	}
	return a.n, &im.report, nil
}

// arrivals reads newcomers.
type arrivals struct {
	*importer
	d    *dataset.Dataset
	n    *dataset.Newcomers
	late map[string]int32      // the newcomers, by folded id
	old  map[string]int32      // the nodes of d by folded id, if ids are folded; nil until needed
	seen map[graph.Triple]bool // their edges; of undirected graphs from the smaller end
	odd  []oddValues           // of every column of the schema
	// of every column of edges that is a feature
	oddEdges []oddValues
	rows     int // of the table, before this batch
	newRows  newRows
	encoder  *encoder
	cells    [][]string // of every newcomer, in the columns of the schema
	byNode   map[int32][]EdgeRow
}

// key returns the form of an id that is compared.
func (a *arrivals) key(id []byte) string {
	if s := a.d.Schema; s != nil && s.Types[0].Folded {
		return string(foldID(nil, id))
	}
	return string(id)
}

// find returns the node with an id, old or new.
func (a *arrivals) find(id []byte) (int32, bool) {
	key := a.key(id)
	if v, ok := a.late[key]; ok {
		return v, true
	}
	n := a.d.Graph.NumNodes()
	if found := a.d.IDs.Find(string(id), n); len(found) > 0 {
		return found[0], true
	}
	if s := a.d.Schema; s == nil || !s.Types[0].Folded {
		return 0, false
	}
	if a.old == nil {
		a.old = make(map[string]int32, n)
		for v := range int32(n) {
			a.old[a.key([]byte(a.d.IDs.At(v)))] = v
		}
	}
	v, ok := a.old[key]
	return v, ok
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

// newcomerBytes is the memory of a new node besides its name and features, and the most that a new edge takes.
const newcomerBytes = 128

func (a *arrivals) read() error {
	if n := len(a.d.Features); n > 1 {
		return files.Errorf(a.spec.Nodes[0].Table, "%s has %d types of nodes, and rows can be added where "+
			"there is one; bloom data import --connect-as pairs makes one", a.d.Name, n)
	}
	if len(a.d.Features) != 1 || a.d.Features[0].Cols == 0 {
		return files.Errorf(a.spec.Nodes[0].Table, "%s has no features that new nodes could have too", a.d.Name)
	}
	if a.d.Raw != nil {
		a.n.Raw = &dataset.Raw{}
		for _, c := range a.d.Raw.Edges {
			a.n.Raw.Edges = append(a.n.Raw.Edges, dataset.RawColumn{Name: c.Name})
			a.newRows.texts = append(a.newRows.texts, dataset.RawColumn{Name: c.Name})
		}
	}
	if err := a.nodeTable(a.spec.Nodes[0].Table); err != nil {
		return err
	}
	if s := a.d.Schema; s != nil && s.Edges != nil {
		a.oddEdges = make([]oddValues, len(s.Edges.Columns))
	}
	for _, in := range a.spec.Edges {
		if err := a.edgeTable(in); err != nil {
			return err
		}
	}
	if err := a.connectNew(); err != nil {
		return err
	}
	if a.newRows.repeats > 0 {
		a.n.Notes = append(a.n.Notes, fmt.Sprintf("%d rows repeat a new edge and are joined with it",
			a.newRows.repeats))
	}
	a.readValues()
	if a.d.Schema != nil {
		a.finishEdges()
		a.finishNodes()
	}
	a.note()
	return nil
}

// eachRow calls f with every row of a table; f returns why a row cannot be used, if it cannot.
func (a *arrivals) eachRow(s table.Source, report *TableReport, f func(b *table.Batch, i int) (string, error)) error {
	before := a.reject.count
	err := eachBatch(s, func(b *table.Batch) error { return a.batch(s, b, report, f) })
	report.Rejected = a.reject.count - before
	return err
}

func (a *arrivals) batch(s table.Source, b *table.Batch, report *TableReport,
	f func(b *table.Batch, i int) (string, error)) error {
	ragged, err := a.reject.ragged(b, s.Name(), report)
	if err != nil {
		return err
	}
	a.rows = report.Rows
	report.Rows += ragged + b.Rows()
	for i := range b.Rows() {
		reason, err := f(b, i)
		if err == nil && reason != "" {
			err = a.reject.add(b, s.Name(), i, reason)
		}
		if err != nil {
			return err
		}
	}
	return a.tick(s)
}

// nodeTable reads the new nodes.
func (a *arrivals) nodeTable(name string) error {
	s, err := a.open(name)
	if err != nil {
		return err
	}
	defer s.Close()
	report := TableReport{Table: s.Name()}
	r, err := a.newRowReader(s, &report)
	if err != nil {
		return err
	}
	a.n.Features = dataset.Matrix{Cols: a.d.Features[0].Cols}
	if a.d.Features[0].IsSparse() {
		a.n.Features.Ptr, a.n.Features.Values = []int64{0}, []mat.Real{}
	}
	err = a.eachRow(s, &report, r.addRow)
	if err == nil {
		err = r.array.fits(report.Rows)
	}
	a.report.Nodes = append(a.report.Nodes, report)
	switch {
	case err != nil:
		return err
	case report.Rows == 0:
		return files.Errorf(s.Name(), "the table has no nodes")
	case len(a.n.IDs) == 0:
		return files.Errorf(s.Name(), "none of %d rows can be used; %s", report.Rows, a.reject.first)
	}
	return nil
}

// note says what was odd.
func (a *arrivals) note() {
	for i, o := range a.odd {
		a.noteOdd(&a.d.Schema.Types[0].Columns[i], o)
	}
	for i, o := range a.oddEdges {
		a.noteOdd(&a.d.Schema.Edges.Columns[i], o)
	}
}

// noteOdd notes odd values of a column, if there are any.
func (a *arrivals) noteOdd(c *dataset.Column, o oddValues) {
	if o.count == 0 {
		return
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
	text := fmt.Sprintf("column %q: %d values %s and count as %s, such as %.40q", c.Name, o.count, as, counts, o.first)
	a.n.Notes = append(a.n.Notes, text)
}

// rowReader makes newcomers of rows of a table.
type rowReader struct {
	*arrivals
	id    int
	at    []int // the column of the table for every column of the schema, −1 for none
	label int   // −1 for none
	kept  []int // for every raw column; −1 for none
	row   *encoder
	width int // columns of the table
	array *embedding
	text  []byte // of its last row
}

// newRowReader finds the columns of a table.
func (a *arrivals) newRowReader(s table.Source, report *TableReport) (*rowReader, error) {
	columns := s.Columns()
	r := &rowReader{arrivals: a, label: -1, row: &encoder{}, width: len(columns)}
	wish := a.spec.ID
	if wish == "" && a.d.Schema != nil {
		wish = a.d.Schema.Types[0].ID
	}
	id, why, err := findColumn(s, wish, "id", "node_id", "nodeid", "node", "key", "uuid", "name")
	if err != nil {
		return nil, err
	}
	if r.id = id; id < 0 {
		r.id, why = 0, "the first column"
	}
	report.Roles = append(report.Roles, columnRole{columns[r.id], "id", why})
	if a.d.Schema == nil {
		if n := a.d.Features[0].Cols; len(columns) != n+1 {
			return nil, files.Errorf(s.Name(), "%d columns besides the id, want the %d features of %s", len(columns)-1,
				n,
				a.d.Name)
		}
		return r, nil
	}
	schema := &a.d.Schema.Types[0]
	if n := width(schema); n != a.d.Features[0].Cols {
		return nil, files.Errorf(s.Name(), "%s has %d features, and its columns become %d", a.d.Name,
			a.d.Features[0].Cols, n)
	}
	if r.array, err = readEmbedding(a.spec.Embeddings, a.spec.Nodes[0].Name, columns, a.budget); err != nil {
		return nil, err
	}
	if r.array != nil {
		columns = append(slices.Clone(columns), embeddingColumn)
	}
	a.encoder = newEncoder(schema)
	lacking, found := []string{}, 0
	for _, c := range schema.Columns {
		at := slices.Index(columns, c.Name)
		r.at = append(r.at, at)
		switch {
		case at >= 0:
			found++
		case c.Width() > 0 && !a.d.Schema.Made(c.Name):
			lacking = append(lacking, c.Name)
		}
	}
	if found == 0 && len(lacking) > 0 {
		return nil, files.Errorf(s.Name(), "there is no column %q, nor another that nodes of %s have", lacking[0],
			a.d.Name)
	}
	a.noteUnknown(columns, r.id)
	for _, name := range lacking {
		a.n.Notes = append(a.n.Notes, fmt.Sprintf("there is no column %q: all its values count as missing", name))
	}
	r.label, a.odd = slices.Index(columns, schema.Label), make([]oddValues, len(schema.Columns))
	r.keep(columns)
	return r, nil
}

// noteUnknown notes the columns that the import did not have.
func (a *arrivals) noteUnknown(columns []string, id int) {
	if a.d.Raw == nil || len(a.d.Raw.Nodes) != 1 {
		return
	}
	var unknown []string
	for j, name := range columns {
		if j != id && !slices.ContainsFunc(a.d.Raw.Nodes[0], func(c dataset.RawColumn) bool { return c.Name == name }) {
			unknown = append(unknown, name)
		}
	}
	if len(unknown) > 0 {
		a.n.Notes = append(a.n.Notes, fmt.Sprintf("%d columns were not there before and say nothing: %s", len(unknown),
			quotedList(unknown[:min(3, len(unknown))])))
	}
}

// keep finds the columns that are kept as they came.
func (r *rowReader) keep(columns []string) {
	if r.n.Raw == nil || len(r.d.Raw.Nodes) != 1 {
		return
	}
	list := make([]dataset.RawColumn, len(r.d.Raw.Nodes[0]))
	for k, c := range r.d.Raw.Nodes[0] {
		list[k].Name = c.Name
		r.kept = append(r.kept, slices.Index(columns, c.Name))
	}
	r.n.Raw.Nodes = [][]dataset.RawColumn{list}
}

// addRow takes row i, or says why it cannot be used.
func (r *rowReader) addRow(b *table.Batch, i int) (string, error) {
	name := string(b.Cell(i, r.id))
	_, twice := r.find(b.Cell(i, r.id))
	switch {
	case name == "":
		return "the id is missing", nil
	case twice:
		return fmt.Sprintf("the id %q was there before", name), nil
	}
	if err := r.budget.Take(int64(newcomerBytes+2*len(name)+8*r.n.Features.Cols), "new nodes"); err != nil {
		return "", err
	}
	if r.d.Schema == nil {
		if reason := r.plain(b, i); reason != "" {
			return reason, nil
		}
	} else {
		if r.array != nil {
			r.text = r.array.append(r.text[:0], rowNumber(r.rows, b, i))
		}
		cells := make([]string, len(r.at))
		for k, j := range r.at {
			if j >= 0 {
				cells[k] = string(r.cell(b, i, j))
			}
		}
		r.cells = append(r.cells, cells)
	}
	if r.d.Schema == nil {
		r.row.appendTo(&r.n.Features)
	}
	r.late[r.key([]byte(name))] = int32(r.d.Graph.NumNodes() + len(r.n.IDs))
	r.n.IDs = append(r.n.IDs, name)
	r.remember(b, i)
	return "", nil
}

// cell returns the text in row i, column j of a batch, or of the array after the last column.
func (r *rowReader) cell(b *table.Batch, i, j int) []byte {
	if j == r.width {
		return r.text
	}
	return r.unescaped(b.Cell(i, j))
}

// tell counts the outcome of a value.
func (r *arrivals) tell(k int, text string, o outcome) { r.n.Filled += r.odd[k].add(text, o) }

// remember keeps the texts of row i, and its class if known.
func (r *rowReader) remember(b *table.Batch, i int) {
	for k, j := range r.kept {
		var text []byte
		if j >= 0 {
			text = r.cell(b, i, j)
		}
		r.n.Raw.Nodes[0][k].Values.Append(text)
	}
	if r.label >= 0 && r.d.Labels.Task == "" {
		text := strings.TrimSpace(string(b.Cell(i, r.label)))
		if same, found := r.d.Schema.Types[0].Same[text]; found {
			text = same
		}
		r.n.Class = append(r.n.Class, int32(slices.Index(r.d.Labels.Names, text)))
	}
}

// plain reads all columns but the id as numbers.
func (r *rowReader) plain(b *table.Batch, i int) (reason string) {
	r.row.idx, r.row.values = r.row.idx[:0], r.row.values[:0]
	filled, j := 0, 0
	for k := range r.n.Features.Cols {
		if j == r.id {
			j++
		}
		text := strings.TrimSpace(string(b.Cell(i, j)))
		x, ok := parseNumber(text)
		switch {
		case isMissing(text):
			filled++
		case !ok:
			return fmt.Sprintf("%.40q is not a number", text)
		default:
			r.row.put(k, mat.Real(x))
		}
		j++
	}
	r.n.Filled += filled
	return ""
}
