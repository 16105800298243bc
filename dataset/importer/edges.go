package importer

import (
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/internal/build"
	"github.com/bloomgml/bloom/internal/codec/table"
	"github.com/bloomgml/bloom/internal/files"
	"github.com/bloomgml/bloom/mat"
)

// Overview: a table of edges is a stream of blocks. Blocks are parsed and their ids looked up on all cores; at the
// same time, block by block in order, one goroutine looks again at the ids that were not found, adds the new ones and
// appends the edges. Ids are therefore numbered in the order of the file whatever the number of cores, and after the
// first blocks there is little that is new.

// edgeImport collects the edges of all tables.
type edgeImport struct {
	*importer
	src, dst  []int32
	rel       []int32 // nil while there is one relation
	weight    []mat.Real
	relations *build.Names
	extra     []dataset.RawColumn // what else the tables have, one row per edge
	first     int                 // edges of earlier tables
	rows      int
	all       *dataset.EdgeRows // see rowsOfEdges
	columns   []dataset.Column
	folders   []*folder
	refold    bool              // the import must start again, comparing folded ids
	cased     int               // ends that would match nodes by folded ids, where folding would merge too many
	values    map[string]string // ends of newcomers that become nodes, by folded ids
	// held by lookups and additions where nodeIndex.grows
	several sync.RWMutex
}

func newEdgeImport(im *importer) *edgeImport {
	e := &edgeImport{importer: im, relations: build.NewNames(0, 0), values: map[string]string{}}
	if im.old != nil {
		for r := range max(1, len(im.old.Relations)) {
			e.relations.ID([]byte(append(im.old.Relations, "")[r]))
		}
	}
	return e
}

// errOpen stops an import whose table of nodes lists labels alone.
var errOpen = errors.New("ends of edges become nodes")

// onlyLabels reports whether the one table of nodes has no columns but ids and labels, and half of the edges or more
// lead to others: it lists some labels, and not the nodes.
func (e *edgeImport) onlyLabels() bool {
	return len(e.spec.Nodes) == 1 && !e.spec.addEnds && e.old == nil && len(e.schema.Types[0].Columns) == 0 &&
		len(e.src) > 0 && 2*len(e.src) <= e.rows && e.labels.Class != nil
}

// addedEnds gives the nodes that only edges have no label and no values.
func (e *edgeImport) addedEnds() {
	more := e.nodes.count() - len(e.labels.Class)
	if !e.spec.addEnds || more == 0 {
		return
	}
	e.labels = e.labels.Extend(more)
	for k := range e.raw.Nodes[0] {
		pad(&e.raw.Nodes[0][k].Values, e.nodes.count())
	}
	e.note("%s has ids and labels alone: %d more ends of edges are nodes without a "+
		"label", e.report.Nodes[0].Table, more)
}

// edgeColumns are the columns of one table of edges; −1 if there is no such column.
type edgeColumns struct {
	source, target, relation, weight int
	sourceType, targetType           int // columns of node types
	fixedSource, fixedTarget         int // or the types themselves, −1 for any
	fixed                            int32
	extra                            []int // columns that are only kept
	into                             []int // and where, in edgeImport.extra
}

func (e *edgeImport) read(in Input) error {
	s, err := e.openEdges(in.Table)
	if err != nil {
		return err
	}
	defer s.Close()
	report := TableReport{Name: in.Name, Table: s.Name()}
	if err := e.takeColumns(s); err != nil {
		return err
	}
	c, err := e.roles(s, in, &report)
	if err != nil {
		return err
	}
	before := e.reject.count
	e.first = len(e.src)
	if err := e.blocks(s, c, &report); err != nil {
		return err
	}
	report.Rejected = e.reject.count - before
	e.rows += report.Rows
	e.report.Edges = append(e.report.Edges, report)
	return nil
}

// roles determines what the columns of a table mean.
func (e *edgeImport) roles(s table.Source, in Input, report *TableReport) (*edgeColumns, error) {
	c := &edgeColumns{fixed: -1, fixedSource: -1, fixedTarget: -1, sourceType: -1, targetType: -1, relation: -1}
	f := &columnFinder{s: s, taken: map[int]bool{-1: true}, report: report, ended: map[string]int{}}
	asked := e.spec.asked(in.Table)
	e.recall(f, &in, &asked)
	sourceType, relation, targetType := in.ends()
	var err error
	if relation == "" && asked.Relation == "" && e.mayRelate() {
		if c.relation, err = e.relationByValues(f, in.Table); err != nil {
			return nil, err
		}
	}
	if err := e.endsByValues(f, in, &asked); err != nil {
		return nil, err
	}
	if c.source, c.target, err = f.ends(asked.Source, asked.Target); err != nil {
		return nil, err
	}
	if c.relation < 0 && (relation == "" || asked.Relation != "") && e.mayRelate() {
		if c.relation, err = f.find("relation", asked.Relation, relationNames...); err != nil {
			return nil, err
		}
	}
	if c.weight, err = f.weight(asked.Weight, e.weighs(in.Table)); err != nil {
		return nil, err
	}
	if err := e.types(c, sourceType, targetType, f); err != nil {
		return nil, files.Because(s.Name(), err)
	}
	if c.relation < 0 {
		if c.fixed, err = e.relation(s, relation); err != nil {
			return nil, err
		}
	}
	if at := slices.Index(s.Columns(), e.spec.Label); at >= 0 && !f.taken[at] && slices.ContainsFunc(e.spec.Nodes,
		func(rows Input) bool { return rows.Table == in.Table }) {
		f.assign(at, "skipped", "the label of the rows, which edges must not give away")
	}
	e.keepRest(s, c, f.taken, report)
	e.remember(s, in, c)
	return c, nil
}

// weighs returns a function that reports whether most first values of a column are weights of edges: 3, and not 3 kg.
func (e *edgeImport) weighs(name string) func(int) bool {
	return func(column int) bool {
		if isConnected(name) {
			return true
		}
		x, err := e.sampleTable(e.openEdges, name)
		if err != nil || x.rows == 0 {
			return true
		}
		good := 0
		for _, text := range x.values[column] {
			if _, ok := edgeWeight([]byte(text)); ok {
				good++
			}
		}
		return 2*good >= x.rows
	}
}

// mayRelate reports whether a column may hold relations: not if old edges have one relation only.
func (e *edgeImport) mayRelate() bool { return e.old == nil || len(e.old.Relations) > 1 }

// relation returns the number of the one relation of a table.
func (e *edgeImport) relation(s table.Source, name string) (int32, error) {
	if e.old == nil {
		return e.relations.ID([]byte(name)), nil
	}
	names := e.old.Relations
	at := slices.Index(names, name)
	switch {
	case at >= 0 || !e.mayRelate():
		return int32(max(0, at)), nil
	case name == "":
		return 0, files.Errorf(s.Name(), "which relation? add a column relation, or --edges RELATION=TABLE; "+
			"relations are %q", names)
	}
	return 0, files.Errorf(s.Name(), "%s has no relation %q; relations are %q", e.old.Name, name, names)
}

// remember keeps what the columns of a file are, for newcomers.
func (e *edgeImport) remember(s table.Source, in Input, c *edgeColumns) {
	if isConnected(in.Table) || e.old != nil {
		return
	}
	t := dataset.EdgeTable{Name: in.Name, Source: s.Columns()[c.source], Target: s.Columns()[c.target]}
	if c.relation >= 0 {
		t.Relation = s.Columns()[c.relation]
	}
	if c.weight >= 0 {
		t.Weight = s.Columns()[c.weight]
	}
	e.schema.Tables = append(e.schema.Tables, t)
}

// recalled is why a column of newcomers has its role.
const recalled = "as at the import"

// recall gives the columns of a table of newcomers the roles that they had at the import: those of the table that has
// the same name, or of the one table whose ends the new one has.
func (e *edgeImport) recall(f *columnFinder, in *Input, asked *Spec) {
	if e.old == nil || e.old.Schema == nil || isConnected(in.Table) {
		return
	}
	var like []dataset.EdgeTable
	for _, t := range e.old.Schema.Tables {
		_, relation, _ := Input{Name: t.Name}.ends()
		has := slices.Contains(f.s.Columns(), t.Source) && slices.Contains(f.s.Columns(), t.Target)
		if in.Name == t.Name && in.Name != "" || in.Name == relation && in.Name != "" || in.Name == "" && has {
			like = append(like, t)
		}
	}
	if len(like) != 1 {
		return
	}
	in.Name, f.why = like[0].Name, recalled
	to := []*string{&asked.Source, &asked.Target, &asked.Relation, &asked.Weight}
	for k, column := range []string{like[0].Source, like[0].Target, like[0].Relation, like[0].Weight} {
		if *to[k] == "" && slices.Contains(f.s.Columns(), column) {
			*to[k] = column
		}
	}
}

// types determines the types of the ends: given with the relation, or in columns source_type and target_type.
func (e *edgeImport) types(c *edgeColumns, source, target string, f *columnFinder) (err error) {
	if len(e.nodes.tables) == 1 {
		c.fixedSource, c.fixedTarget = 0, 0
		return nil
	}
	if source == "" {
		if c.sourceType, err = f.find("node type", "", "source_type"); err == nil {
			c.targetType, err = f.find("node type", "", "target_type")
		}
		return err
	}
	for _, end := range []struct {
		dst  *int
		name string
	}{{&c.fixedSource, source}, {&c.fixedTarget, target}} {
		if *end.dst = e.nodes.typeOf(end.name); *end.dst < 0 {
			return fmt.Errorf("there is no node type %q; types are %q", end.name, e.nodes.types)
		}
	}
	return nil
}

// keepRest notes the columns without a meaning: they are kept for the export.
func (e *edgeImport) keepRest(s table.Source, c *edgeColumns, taken map[int]bool, report *TableReport) {
	known := make(map[string]int, len(e.extra))
	for at, r := range e.extra {
		known[r.Name] = at
	}
	split := e.splitsLinks(s.Columns(), c)
	for i, name := range s.Columns() {
		if taken[i] && !(i == c.weight && split) {
			continue
		}
		at, there := known[name]
		if !there {
			at = len(e.extra)
			e.extra = append(e.extra, dataset.RawColumn{Name: name})
		}
		c.extra, c.into = append(c.extra, i), append(c.into, at)
		if i != c.weight {
			why := "no other meaning"
			if slices.Contains(e.spec.Times, name) {
				why = saidSo
			}
			report.Roles = append(report.Roles, columnRole{name, e.extraRole(name), why})
		}
	}
}

// extraRole returns what a kept column is for.
func (e *edgeImport) extraRole(name string) string {
	switch {
	case slices.Contains(e.spec.Times, name):
		return "time"
	case e.spec.Label != "":
	case name == e.spec.Split.Time && name != "":
		return "time"
	case slices.Contains(e.spec.Split.Columns, name) || e.spec.Split.isZero() && name == splitColumn:
		return "split"
	}
	return "kept"
}

func (e *edgeImport) blocks(s table.Source, c *edgeColumns, report *TableReport) error {
	stream := newChunkStream(s, func(k *chunk) error { return k.resolve(e, c) })
	defer stream.stop()
	for n := 1; ; n++ {
		k := stream.next()
		if k == nil {
			return e.tick(s)
		}
		if err := e.addChunk(k, c, s.Name(), report); err != nil {
			return err
		}
		stream.recycle(k)
		if n%16 != 0 {
			continue
		}
		if err := e.tick(s); err != nil {
			return err
		}
	}
}
