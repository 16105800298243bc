package importer

import (
	"bytes"
	"errors"
	"fmt"
	"html"
	"slices"
	"strings"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/internal/build"
	"github.com/bloomgml/bloom/internal/codec/table"
	"github.com/bloomgml/bloom/internal/files"
)

func (im *importer) readNodes() error {
	types, err := im.nodeTypes()
	if err != nil {
		return err
	}
	if im.nodes, err = newNodeIndex(types, im.fold); err != nil {
		return err
	}
	if len(im.spec.Nodes) == 0 {
		for t := range im.nodes.open {
			im.nodes.open[t] = true
		}
		if im.spec.Label != "" {
			return fmt.Errorf("the label %q needs a table of nodes", im.spec.Label)
		}
		return nil
	}
	labelled := false
	for _, in := range im.spec.Embeddings {
		if !slices.ContainsFunc(im.spec.Nodes, func(x Input) bool { return x.Name == in.Name }) {
			return files.Errorf(in.Table, "there is no table of nodes %q for these rows", in.Name)
		}
	}
	for t, in := range im.spec.Nodes {
		n := &nodeImport{importer: im, in: in, t: t}
		if err := n.read(); err != nil {
			return err
		}
		if n.target >= 0 && labelled {
			return files.Errorf(in.Table, "column %q is in two tables of nodes; a label belongs to one", im.spec.Label)
		}
		labelled = labelled || n.target >= 0
	}
	if im.spec.Label != "" && !labelled {
		return noColumnError(im.spec.Nodes[0].Table, im.spec.Label, " for the label",
			namesOf(slices.Concat(im.raw.Nodes...)))
	}
	im.nodes.open[0] = im.spec.addEnds
	return nil
}

// nodeTypes returns the names of tables of nodes; without tables, the types that relations are given with.
func (im *importer) nodeTypes() (types []string, err error) {
	for _, in := range im.spec.Nodes {
		types = append(types, in.Name)
	}
	if len(types) > 0 {
		return types, nil
	}
	without := 0
	for _, in := range im.spec.Edges {
		source, _, target := in.ends()
		if source == "" {
			without++
			continue
		}
		for _, name := range []string{source, target} {
			if !slices.Contains(types, name) {
				types = append(types, name)
			}
		}
	}
	if without > 0 && types != nil {
		return nil, errors.New("without tables of nodes, either every table of edges has the types of its ends " +
			"(user:likes:film=likes.csv) or none")
	}
	return types, nil
}

// ends splits source:relation:target.
func (in Input) ends() (source, relation, target string) {
	if parts := strings.Split(in.Name, ":"); len(parts) == 3 {
		return parts[0], parts[1], parts[2]
	}
	return "", in.Name, ""
}

// unknownKinds returns an error if a kind is given for a column that no table has. Columns of edges have kinds only if
// nodes have labels.
func (im *importer) unknownKinds(edges []dataset.RawColumn) error {
	table := slices.Concat(im.spec.Nodes, im.spec.Edges)[0].Table
	for name := range im.spec.Kinds {
		known := im.spec.Label != "" &&
			slices.ContainsFunc(edges, func(c dataset.RawColumn) bool { return c.Name == name })
		for _, s := range im.schema.Types {
			known = known || slices.ContainsFunc(s.Columns, func(c dataset.Column) bool { return c.Name == name })
		}
		if !known {
			return files.Errorf(table, "there is no column %q to set the kind of", name)
		}
	}
	return nil
}

type nodeImport struct {
	*importer
	in     Input
	t      int // the node type
	id     int
	target int // the column of labels; −1 if there is none
	raw    []dataset.RawColumn
	column []int // of every raw column; or noColumn, or arrayColumn
	array  *embedding
	text   []byte // of its last row
	added  int
	spaced bool // an id has a space
	report TableReport
	// usable says why row i cannot be used, if it cannot; nil if there is nothing to say
	usable func(b *table.Batch, i int) (reason string)
	// other spellings of classes
	sameLabels map[string]string
}

// Columns of nodes that are not in the table.
const (
	noColumn    = -1
	arrayColumn = -2 // the embedding
)

func (n *nodeImport) read() error {
	s, err := n.open(n.in.Table)
	if err != nil {
		return err
	}
	defer s.Close()
	if err := n.roles(s); err != nil {
		return err
	}
	if err := n.rows(s); err != nil {
		return err
	}
	return n.done()
}

func (n *nodeImport) rows(s table.Source) error {
	before := n.reject.count
	err := table.Each(s, func(b *table.Batch) error {
		if err := n.addRows(b, s.Name()); err != nil {
			return err
		}
		return n.tick(s)
	})
	n.report.Rejected = n.reject.count - before
	switch {
	case err != nil:
		return err
	case n.report.Rows == 0:
		return files.Errorf(s.Name(), "the table has no nodes")
	case n.added == 0:
		return files.Errorf(s.Name(), "none of %d rows can be used; %s", n.report.Rows, n.reject.firstOf[s.Name()])
	}
	if n.array != nil && n.array.rows != n.report.Rows {
		return files.Errorf(n.array.file, "%d rows for %d rows of the table of nodes, want one each", n.array.rows,
			n.report.Rows)
	}
	return nil
}

// labelBytes is the memory of the class of a row: its text, its number, its place among the names.
const labelBytes = 96

// roles finds the columns of ids and labels.
func (n *nodeImport) roles(s table.Source) error {
	if err := n.findID(s); err != nil {
		return err
	}
	id := n.id
	n.target = -1
	n.spec.Label = meant(n.spec.Label, s.Columns())
	var err error
	x := &endSample{}
	if nameless(s.Columns()) {
		if x, err = n.sampleTable(n.open, n.in.Table); err != nil {
			return err
		}
	}
	for i, c := range s.Columns() {
		if i == id {
			continue
		}
		if i == 0 && x.numbersRows() {
			n.report.Roles = append(n.report.Roles, columnRole{c, "skipped", "it numbers the rows"})
			continue
		}
		if n.spec.Label != "" && c == n.spec.Label {
			n.target = len(n.raw)
			n.report.Roles = append(n.report.Roles, columnRole{c, "label", saidSo})
		}
		n.raw, n.column = append(n.raw, dataset.RawColumn{Name: c}), append(n.column, i)
	}
	if n.array, err = readEmbedding(n.spec.Embeddings, n.in.Name, s.Columns(), n.budget); err != nil {
		return err
	}
	if n.array != nil {
		n.raw, n.column = append(n.raw, dataset.RawColumn{Name: embeddingColumn}), append(n.column, arrayColumn)
	}
	if n.spec.Label != "" && n.spec.Label == s.Columns()[id] {
		return files.Errorf(s.Name(), "column %q cannot be both id and label", n.spec.Label)
	}
	return nil
}

// findID finds the column of ids: as the user says, as at the import of the old data, by its name, by the ends of
// edges, or the first one.
func (n *nodeImport) findID(s table.Source) error {
	n.report = TableReport{Name: n.in.Name, Table: s.Name()}
	if err := n.takeColumns(s); err != nil {
		return err
	}
	if len(s.Columns()) == 0 {
		return files.Errorf(s.Name(), "the rows have no columns, so there are no ids")
	}
	name, wish, recall := n.in.Name, n.spec.asked(n.in.Table).ID, false
	if wish == "" && n.old != nil && n.old.Schema != nil {
		wish = n.old.Schema.Types[n.t].ID
		recall = wish != ""
	}
	id, why, err := findColumn(s, wish, "_id", "id", "node_id", "nodeid", "node", name+"_id",
		name+"id", name, "key", "uuid", "name")
	if err != nil {
		return err
	}
	if recall {
		why = recalled
	} else if id < 0 {
		x, err := n.sampleTable(n.open, n.in.Table)
		if err != nil {
			return err
		}
		id, why = x.id()
	}
	if wish == "" && n.old == nil && !isConnected(n.in.Table) {
		if at, better, err := n.idByEdges(n.in, id); err != nil {
			return err
		} else if better != "" {
			id, why = at, better
		}
	}
	n.id, n.report.Roles = id, []columnRole{{s.Columns()[id], "id", why}}
	return nil
}

// addRows keeps the rows of a batch.
//
// Chosen: of two rows with the same id the first stays and the other is rejected.
func (n *nodeImport) addRows(b *table.Batch, file string) error {
	if err := n.takeTexts(b, len(n.column)); err != nil {
		return err
	}
	if err := n.takeIDs(n.t, b.Rows(), b.Size()); err != nil {
		return err
	}
	ragged, err := n.reject.ragged(b, file, &n.report)
	if err != nil {
		return err
	}
	before := n.report.Rows
	n.report.Rows = before + ragged + b.Rows()
	for i := range b.Rows() {
		id := b.Cell(i, n.id)
		reason := ""
		if len(id) == 0 {
			reason = "the id is missing"
		} else if len(id) > maxID {
			reason = tooLong("id", id)
		} else if isTotal(b, i, n.id) {
			reason = "a row of totals"
		} else if n.isFootnote(b, i) {
			reason = "a footnote: it has spaces, as no id above, and no other value"
		} else if known, otherwise := n.nodes.has(n.t, id); known {
			if reason = fmt.Sprintf("the id %.80q was there before", id); otherwise {
				n.importer.same++
			}
		} else if n.usable != nil {
			reason = n.usable(b, i)
		}
		if reason != "" {
			if err := n.reject.add(b, file, i, reason); err != nil {
				return err
			}
			continue
		}
		n.added++
		n.spaced = n.spaced || bytes.IndexByte(bytes.TrimSpace(id), ' ') >= 0
		n.nodes.add(n.t, id)
		if err := n.keep(b, i, before); err != nil {
			return err
		}
	}
	return nil
}

// keep keeps the texts of row i of a batch, before which the table has the given number of rows.
func (n *nodeImport) keep(b *table.Batch, i, before int) error {
	for k, j := range n.column {
		values := &n.raw[k].Values
		switch j {
		case noColumn:
			values.Append(nil)
		case arrayColumn:
			n.text = n.array.append(n.text[:0], rowNumber(before, b, i))
			if err := n.budget.Take(int64(2*len(n.text)), "embeddings"); err != nil {
				return err
			}
			values.Append(n.text)
		default:
			values.Append(n.unescaped(b.Cell(i, j)))
		}
	}
	return nil
}

// maxID is the maximum number of bytes of an id.
const maxID = 1 << 12

// tooLong is why an id cannot be used.
func tooLong(what string, id []byte) string {
	return fmt.Sprintf("the %s has more than %d bytes: %.20q", what, maxID, id)
}

// totalWords are what rows of totals have instead of an id.
var totalWords = []string{"total", "totals", "grand total", "subtotal", "sum", "summe", "gesamt", "gesamtsumme",
	"insgesamt", "zwischensumme", "totale", "somme", "suma", "average", "mean", "durchschnitt", "mittelwert"}

// isTotal reports whether row i is a row of totals, which some programs write below a table: it has such a word as its
// id, and half of the other cells are empty.
func isTotal(b *table.Batch, i, id int) bool {
	text := b.Cell(i, id)
	if len(text) > 16 || !slices.Contains(totalWords, strings.ToLower(strings.Trim(string(text), " :*"))) {
		return false
	}
	empty, cells := 0, b.Row(nil, i)
	for _, c := range cells {
		if IsMissing(strings.TrimSpace(c)) {
			empty++
		}
	}
	return 2*empty >= len(cells)-1 && len(cells) > 1
}

// isFootnote reports whether row i is a footnote, such as "Source: own data": of three columns or more the id alone has
// a value, which has a space or begins with a star, while no id so far has a space.
func (n *nodeImport) isFootnote(b *table.Batch, i int) bool {
	id := bytes.TrimSpace(b.Cell(i, n.id))
	if n.spaced || n.added == 0 || bytes.IndexByte(id, ' ') < 0 && id[0] != '*' {
		return false
	}
	cells := b.Row(nil, i)
	for j, c := range cells {
		if j != n.id && strings.TrimSpace(c) != "" {
			return false
		}
	}
	return len(cells) > 2
}

// unescaped returns a value without HTML entities, and counts values that have some.
func (im *importer) unescaped(text []byte) []byte {
	if bytes.IndexByte(text, '&') < 0 {
		return text
	}
	p := []byte(html.UnescapeString(string(text)))
	if !bytes.Equal(p, text) {
		im.entities++
	}
	return p
}

// done fits the transforms.
func (n *nodeImport) done() error {
	schema := dataset.TypeSchema{Name: n.in.Name, ID: n.report.Roles[0].Column, Folded: n.fold,
		Things: isConnected(n.in.Table)}
	if err := n.times(&schema); err != nil {
		return err
	}
	splits := n.splitColumns(n.raw)
	var features []int // of n.raw
	for k := range n.raw {
		c := &n.raw[k]
		switch {
		case k == n.target:
			schema.Label = c.Name
			if err := n.label(&c.Values); err != nil {
				return err
			}
			schema.Same = n.sameLabels
			continue
		case slices.Contains(splits, c.Name):
			why := saidSo
			if n.spec.Split.isZero() {
				why = "by its name and values"
			}
			n.report.Roles = append(n.report.Roles, columnRole{c.Name, "split", why})
			continue
		case n.spec.Split.Time != "" && c.Name == n.spec.Split.Time:
			// and a feature if it is one
			n.report.Roles = append(n.report.Roles, columnRole{c.Name, "time", "you said so"})
		}
		features = append(features, k)
	}
	schema.Columns = make([]dataset.Column, len(features))
	err := eachOf(len(features), func(i int) (err error) {
		k := features[i]
		c, kind := &n.raw[k], n.spec.Kinds[n.raw[k].Name]
		if n.column[k] == arrayColumn && kind == "" {
			kind = dataset.Vector
		}
		schema.Columns[i], err = fitColumn(c, wish{kind, n.spec.Split.Time == c.Name, n.merges(c.Name)})
		return err
	})
	if err != nil {
		return files.Because(n.report.Table, err)
	}
	n.report.Columns = schema.Columns
	n.importer.report.Nodes = append(n.importer.report.Nodes, n.report)
	n.schema.Types = append(n.schema.Types, schema)
	n.importer.raw.Nodes = append(n.importer.raw.Nodes, n.raw)
	return nil
}

// classes numbers the labels of the nodes just read, in the order of their names. Nodes of other types have no class.
func (n *nodeImport) classes(texts []string) error {
	l := build.Labels(texts, sortNames)
	if len(l.Names) == 0 {
		return files.Errorf(n.report.Table, "column %q has no values, so it cannot be the label", n.spec.Label)
	}
	if len(l.Names) > 1000 && 2*len(l.Names) > len(texts) {
		return files.Errorf(n.report.Table, "column %q has %d different values in %d rows; a label has few classes",
			n.spec.Label, len(l.Names), len(texts))
	}
	before := n.nodes.count() - len(texts)
	n.labels = dataset.Labels{Class: append(slices.Repeat([]int32{-1}, before), l.Class...), Names: l.Names}
	rareLast(&n.labels)
	return nil
}

// merges reports whether similar spellings in a column are to be merged.
func (im *importer) merges(column string) bool {
	return slices.Contains(im.spec.Merge, column) || slices.Contains(im.spec.Merge, "all")
}
