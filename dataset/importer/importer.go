package importer

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/internal/codec/table"
	"github.com/bloomgml/bloom/internal/files"
)

// Spec says which tables become a data set and how. Only Edges, or Connect, or Nodes with a Label is required: the zero
// value of every other field means that it is guessed, as the field says.
type Spec struct {
	Name  string  // of the data set
	Nodes []Input // one table per node type; none: the nodes are the ends of edges
	Edges []Input // one or more tables
	// Connect lists columns of the one table of nodes whose values rows share, such as a phone. Every two rows that
	// share values have an edge, weighted by their number; or, if Things is set, these values become nodes that rows
	// lead to.
	Connect []string
	Things  bool
	// Embeddings are .npy arrays with a row of numbers for every row of a table of nodes, by the name of its type. They
	// become a column embedding.
	Embeddings []Input

	// the column of node ids: one named id, node_id, name or the like, else the first; but another one where ends of
	// edges stand in that
	ID     string
	Source string // the column of sources: source, src, from, head, u, else the first
	Target string // the column of targets: target, dst, to, tail, v, else the second
	// the column of relations, if a table of edges holds several: relation, rel, predicate, edge_type
	Relation string
	// the column of edge weights: weight, else all are 1; or, of rows that repeat an edge, log2(1 + x) of count, or of
	// the sum, mean, max or last of a column (amount.sum), which is count where a twentieth of the rows are repeats
	Weight string
	Label  string // the column of labels; none: links are to be predicted
	Task   string // what labels are, class, multilabel or regression: guessed from the column

	// Kinds is what columns of nodes hold, for those that are guessed wrong: number, category, time, calendar (time
	// without how long ago), vector, text or skipped. Of columns of edges numbers and categories become features.
	Kinds map[string]string
	Split Split // default by ratio if there are labels or relations
	// Times are columns of nodes and of edges, a name for each table that has one. Where nodes have times, they are
	// divided by them, and edges count for a node up to its time.
	Times     []string
	Direction Direction // default undirected, directed for relations without labels

	ExactIDs bool // default: case and spaces of ids do not count where edges find more nodes so
	// Merge names the categories whose similar spellings are merged; "all" means all of them. Spellings of the label
	// that are beyond doubt are merged anyway, unless Merge is "none".
	Merge []string

	// Columns names the statistics of EdgeColumns to compute for labelled node types. nil means all; empty means none,
	// and duplicate edges are then dropped rather than summarised.
	Columns []string

	KeepDuplicates bool // default: rows that repeat an edge are joined with it and counted
	DropLoops      bool // default: self loops are kept and counted

	NoHeader bool                    // CSV: the first row is data
	Rejects  string                  // the file for rows that cannot be used; empty: they are only counted
	Strict   bool                    // the first row that cannot be used is an error
	Force    bool                    // Rejects may replace a file that does not hold rejects
	Progress func(done, total int64) // called now and then with the bytes, or rows, read of a table

	// of types made of the values of a column of edges, the table that has it
	valuesOf map[string]string
	addEnds  bool // ends of edges that the table of nodes does not have become nodes

	// Advice returns what to do about a column that gives labels away, empty if there is no need; default: --kind
	Advice func(column string) string

	// Keep writes the data set that Run has made, before Rejects gets its name; nil leaves that to the caller
	Keep func(*dataset.Dataset) error
}

// Input is one table of an import.
type Input struct {
	Name  string // a node type, or a relation; source:relation:target also gives the types of its ends
	Table string // as table.Open understands it
}

// Direction says whether an edge holds both ways.
type Direction uint8

// The directions; see Spec.Direction for the default.
const (
	anyDirection Direction = iota
	Directed
	Undirected
)

// namedTable is name=table.
var namedTable = regexp.MustCompile(`^([\pL\pN_-]+(?::[\pL\pN_-]+:[\pL\pN_-]+)?)=(.+)$`)

// ParseInput reads name=table, or a table alone.
func ParseInput(text string) Input {
	if m := namedTable.FindStringSubmatch(text); m != nil {
		return Input{Name: m[1], Table: m[2]}
	}
	return Input{Table: text}
}

// Report is what an import understood and what it did.
type Report struct {
	Nodes    []TableReport `json:"nodes"`
	Edges    []TableReport `json:"edges"`
	Missing  int           `json:"missing"`  // values of nodes that were filled
	Rejected int           `json:"rejected"` // rows of all tables that could not be used
	Rejects  string        `json:"rejects"`  // the file that holds them, empty if there are none
	// Reasons says how many rows could not be used for each reason.
	Reasons map[string]int `json:"reasons,omitempty"`

	Duplicates int    `json:"duplicates"` // edges that repeat an earlier one
	Loops      int    `json:"loops"`      // edges from a node to itself
	Split      string `json:"split"`      // how nodes or links were split, empty if they were not
}

// TableReport is what was understood of one table.
type TableReport struct {
	Name     string           `json:"name"` // node type or relation
	Table    string           `json:"table"`
	Rows     int              `json:"rows"`
	Rejected int              `json:"rejected"`
	Roles    []columnRole     `json:"roles"`             // columns with a meaning of their own
	Columns  []dataset.Column `json:"columns,omitempty"` // the others that become features, with their transforms
	Made     []string         `json:"made,omitempty"`    // the columns of nodes made from edges
	Joined   []string         `json:"joined,omitempty"`  // the columns of edges made from duplicates
	Mended   int              `json:"mended,omitempty"`  // rows with too few or too many fields that are used anyway
	Quotes   int              `json:"quotes,omitempty"`  // rows with stray quotes, read as text
	Recoded  int              `json:"recoded,omitempty"` // lines that are not UTF-8
}

type columnRole struct {
	Column string `json:"column"`
	Role   string `json:"role"` // "id", "label", "source", "target", "relation", "weight", "split", "time", "kept"
	Why    string `json:"why"`
}

// importer is an import in progress.
type importer struct {
	ctx    context.Context
	spec   Spec
	report Report
	old    *dataset.Dataset // that newcomers are read for; nil if there are none
	nodes  *nodeIndex
	labels dataset.Labels
	schema dataset.Schema
	raw    dataset.Raw
	reject rejects
	notes  []string
	as     *asOf // nil where nodes have no times
	fold   bool  // ids are compared by dataset.FoldID
	// values that have HTML entities
	entities int
	same     int // rows of nodes that equal an earlier one only by folded id
	budget   *files.Budget
	paid     int64 // taken from the budget for ids
}

// Run makes a data set of tables. Node ids are texts and stay as they are. Their case and surrounding spaces are
// ignored if edges then match more nodes, unless Spec.ExactIDs is set.
//
// Rows that cannot be used do not stop it, unless Spec.Strict says so: rows with half of the fields or fewer, a node
// whose id is missing or was there before, and an edge with an end that no table of nodes has, without an end, or with
// a weight that is not a number ≥ 0, go to the file of rejects with file, line and reason, up to 64 MiB of them. A
// table that cannot be read to its end does stop it, and leaves no file.
func Run(ctx context.Context, spec Spec) (*dataset.Dataset, *Report, error) {
	defer files.RelaxCollector()
	spec.Label = strings.TrimSpace(spec.Label)
	spec, err := spec.connected()
	if err != nil {
		return nil, new(Report), err
	}
	im := &importer{ctx: ctx, spec: spec, reject: newRejects(&spec), budget: files.NewBudget()}
	d, err := im.run()
	for fold := false; restart(err, &spec, &fold); d, err = im.run() {
		im.reject.discard()
		im = &importer{ctx: ctx, spec: spec, reject: newRejects(&spec), budget: files.NewBudget(), fold: fold}
	}
	if err = im.end(err, d); err != nil {
		return nil, &im.report, err
	}
	return d, &im.report, nil
}

// end ends an import that came to err: if that is nil, Spec.Keep writes d, and the file of rejects gets its name.
func (im *importer) end(err error, d *dataset.Dataset) error {
	defer im.reject.discard()
	if err == nil {
		err = im.reject.flush()
	}
	if err == nil && d != nil && im.spec.Keep != nil {
		err = im.spec.Keep(d)
	}
	if err == nil {
		err = im.reject.commit()
	}
	im.report.Rejected, im.report.Reasons = im.reject.count, im.reject.reasons
	if im.reject.count > 0 && err == nil {
		im.report.Rejects = im.reject.path
	}
	return err
}

// note notes what the import did or found odd.
func (im *importer) note(format string, args ...any) {
	im.notes = append(im.notes, fmt.Sprintf(format, args...))
}

// example returns what ids of nodes look like, to be compared with ends that are none.
func (im *importer) example() string {
	if len(im.spec.Nodes) == 0 || im.nodes.tables[0].Len() == 0 {
		return ""
	}
	return fmt.Sprintf("; ids of nodes look like %.40q", im.nodes.tables[0].At(0))
}

func (im *importer) run() (*dataset.Dataset, error) {
	if len(im.spec.Edges) == 0 && im.spec.Label == "" {
		return nil, fmt.Errorf("an import needs a table of edges, columns to connect rows by, or a label")
	}
	if len(im.spec.Edges) == 0 && im.spec.Weight != "" {
		return nil, fmt.Errorf("the weight %q is a column of edges, and there are none", im.spec.Weight)
	}
	if t := im.spec.Task; t != "" && (im.spec.Label == "" || !slices.Contains(tasks, t)) {
		return nil, fmt.Errorf("the task %q needs a label, and is one of %s", t, strings.Join(tasks, ", "))
	}
	if err := im.readNodes(); err != nil {
		return nil, err
	}
	e := newEdgeImport(im)
	for _, in := range im.spec.Edges {
		if err := e.read(in); err != nil {
			return nil, err
		}
	}
	if err := im.unknownKinds(e.extra); err != nil {
		return nil, err
	}
	if err := im.checkTimes(e); err != nil {
		return nil, err
	}
	if len(im.spec.Edges) == 0 && im.spec.Advice == nil {
		im.notes = append(im.notes, "there are no edges: nodes are predicted by their own columns")
	} else if len(im.spec.Edges) > 0 && len(e.src) == 0 {
		why := im.reject.firstOf[im.report.Edges[0].Table]
		return nil, files.Errorf(im.spec.Edges[0].Table, "%s", strings.TrimSuffix(
			fmt.Sprintf("no edge of %d can be used; %s%s", e.rows, why, im.example()), "; "))
	}
	if e.foldsEnds() {
		return nil, errFold
	}
	if e.onlyLabels() {
		return nil, errOpen
	}
	e.tellFold()
	e.addedEnds()
	im.nodes.freeze()
	if err := im.takeIDs(-1, 0, 0); err != nil { // less than before
		return nil, err
	}
	d := &dataset.Dataset{Name: im.spec.Name, IDs: im.nodes.ids(), Types: im.nodes.types, Labels: im.labels,
		Metric: metricOf(im.labels)}
	if len(im.spec.Nodes) > 0 {
		d.Schema = &im.schema
	}
	if err := im.build(d, e); err != nil {
		return nil, err
	}
	if err := im.finish(d); err != nil {
		return nil, err
	}
	return d, nil
}

// finish fills what depends on the graph.
func (im *importer) finish(d *dataset.Dataset) error {
	if len(im.spec.Nodes) > 0 {
		d.Features = make([]dataset.Matrix, len(im.spec.Nodes))
		for t := range d.Features {
			x, err := im.features(&im.schema.Types[t], im.raw.Nodes[t], im.nodes.tables[t].Len())
			if err != nil {
				return err
			}
			d.Features[t] = x
			for _, c := range im.schema.Types[t].Columns {
				im.report.Missing += c.Missing
			}
		}
	}
	if len(im.raw.Nodes) > 0 || len(im.raw.Edges) > 0 {
		d.Raw = &im.raw
	}
	if d.Labels.Class != nil {
		if im.as != nil {
			d.Times = im.as.times(im.nodes.count())
		} else if err := im.splitNodes(d); err != nil {
			return err
		}
		if err := im.emptyParts(d, im.labelled()); err != nil {
			return err
		}
	}
	mended, quotes, recoded := 0, 0, 0
	for _, t := range slices.Concat(im.report.Nodes, im.report.Edges) {
		mended, quotes, recoded = mended+t.Mended, quotes+t.Quotes, recoded+t.Recoded
	}
	for _, n := range []struct {
		count int
		text  string
	}{
		{recoded, "%d lines are not UTF-8 and were read as Windows-1252"},
		{mended, "%d rows have too few or too many fields: absent ones count as missing, extra ones are left out"},
		{quotes, "%d rows have a quote that does not enclose a field: it was read as text"},
		{im.entities, "%d values have HTML entities such as &amp; and were read without them"},
		{im.report.Missing, "%d missing values were filled"},
		{im.reject.count, "%d rows could not be used"},
		{im.report.Duplicates, "%d edges repeat an earlier one"},
		{im.report.Loops, "%d edges lead from a node to itself"},
	} {
		if n.count > 0 {
			im.note(n.text, n.count)
		}
	}
	d.Notes = append(im.warnings(d), im.notes...)
	return nil
}

func (im *importer) open(name string) (table.Source, error) {
	if err := im.ctx.Err(); err != nil {
		return nil, err
	}
	if isConnected(name) {
		return im.openConnected(name, false)
	}
	return im.openWith(name, im.spec.NoHeader)
}

func (im *importer) openWith(name string, noHeader bool) (table.Source, error) {
	s, err := table.Open(name, table.Options{NoHeader: noHeader, Ragged: true, Budget: im.budget})
	if err == nil {
		if note := table.Misnamed(s); note != "" && !slices.Contains(im.notes, note) {
			im.notes = append(im.notes, note)
		}
	}
	return s, err
}

// columnBytes is the memory of a column besides its values: its name, its transform and its arrays.
const columnBytes = 512

// takeColumns takes memory for the columns of a table from the budget, before they are read.
func (im *importer) takeColumns(s table.Source) error {
	n := len(s.Columns())
	return im.budget.Take(int64(n)*columnBytes, fmt.Sprintf("%d columns", n))
}

// takeTexts takes memory for a batch with the given number of text columns from the budget, before it is stored. Arrays
// may be twice as large as their contents.
func (im *importer) takeTexts(b *table.Batch, columns int) error {
	return im.budget.Take(int64(b.Rows())*int64(columns)*16+2*int64(b.Size()),
		fmt.Sprintf("the values of %d rows in %d columns", b.Rows(), columns))
}

// takeIDs takes memory from the budget before a batch adds up to n ids to the table of type t, or of all types if t is
// −1.
func (im *importer) takeIDs(t, n, size int) error {
	total := int64(0)
	for i, x := range im.nodes.tables {
		if t < 0 || i == t {
			total += x.SizeWith(n, size)
		} else {
			total += x.SizeWith(0, 0)
		}
	}
	return im.budget.Hold(&im.paid, total, fmt.Sprintf("%d ids of nodes", im.nodes.count()))
}

// tick is called between batches: it reports progress and returns an error if the caller wants to stop.
func (im *importer) tick(s table.Source) error {
	if im.spec.Progress != nil {
		done, total := s.Progress()
		im.spec.Progress(done, total)
	}
	return im.ctx.Err()
}

// undirected reports whether edges are undirected: as requested, or by default.
func (im *importer) undirected(relations int) bool {
	switch im.spec.Direction {
	case Directed:
		return false
	case Undirected:
		return true
	}
	return im.spec.Label != "" || relations <= 1
}

// Apoc returns the tables of nodes and of edges of a file that Neo4j's apoc.export.csv has written, and false for
// another file. Types of nodes have the name of their labels.
func Apoc(path string) (nodes, edges []Input, ok bool, err error) {
	labels, types, ok, err := table.ApocTables(path, files.NewBudget())
	for _, name := range labels {
		nodes = append(nodes, Input{Name: strings.ReplaceAll(name, ":", "_"), Table: path + "#" + name})
	}
	for _, name := range types {
		edges = append(edges, Input{Name: strings.ReplaceAll(name, ":", "_"), Table: path + "#" + name})
	}
	return nodes, edges, ok, err
}
