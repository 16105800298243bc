package importer

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/internal/build"
	"github.com/bloomgml/bloom/internal/files"
)

// splitColumns returns the names of the columns that say how a table is split.
func (im *importer) splitColumns(columns []dataset.RawColumn) []string {
	if !im.spec.Split.isZero() {
		return im.spec.Split.Columns
	}
	var names []string
	for i := range columns {
		name := columns[i].Name
		if name != splitColumn && name != fmt.Sprint(splitColumn, len(names)) {
			continue
		}
		parts, err := partsByColumn(&columns[i].Values)
		if err == nil && slices.ContainsFunc(parts, func(part int8) bool { return part >= 0 }) {
			names = append(names, name)
		}
	}
	return names
}

// labelled returns the node type that has labels.
func (im *importer) labelled() int {
	return slices.IndexFunc(im.schema.Types, func(s dataset.TypeSchema) bool { return s.Label != "" })
}

func (im *importer) splitNodes(d *dataset.Dataset) error {
	s := im.spec.Split
	t := im.labelled()
	columns := im.raw.Nodes[t]
	names := im.splitColumns(columns)
	switch {
	case s.None:
		return nil
	case len(names) > 0:
		for _, name := range names {
			parts, _, err := im.partsBy(columns, name, im.report.Nodes[t].Table, false)
			if err != nil {
				return err
			}
			im.addSplit(d, t, parts)
		}
		im.report.Split = "by column " + strings.Join(names, ", ")
		return nil
	case s.Time != "":
		parts, keys, err := im.partsBy(columns, s.Time, im.report.Nodes[t].Table, true)
		if err != nil {
			return err
		}
		im.addSplit(d, t, parts)
		d.Times = new(asOf).with(int(im.nodes.at(t, 0)), keys).times(len(d.Labels.Class))
		im.report.Split = "by time in column " + s.Time
		return nil
	}
	s.Ratio = cmp.Or(s.Ratio, [3]float64{0.6, 0.2, 0.2})
	d.DrawnSplit = im.spec.Split.isZero()
	split, err := build.Stratified(d.Labels.Class, s.Ratio, s.Seed)
	d.Splits = []dataset.Split{split}
	of := "every class"
	if d.Labels.Task == dataset.Numbers {
		of = "the labelled nodes"
	}
	im.report.Split = fmt.Sprintf("%s of %s, seed %d", ratioText(s.Ratio), of, s.Seed)
	return err
}

// partsBy returns the parts that a column of a table names, or those by its order as times, which are keys.
func (im *importer) partsBy(columns []dataset.RawColumn, name, file string, times bool) (parts []int8, keys []float64,
	err error) {
	values := textsOf(columns)(name)
	if values == nil {
		return nil, nil, files.Errorf(file, "there is no column %q to split by", name)
	}
	if times {
		parts, keys, err = im.spec.Split.partsByTime(values)
	} else {
		parts, err = partsByColumn(values)
	}
	if err != nil {
		return nil, nil, files.Because(file, err).InColumn(name)
	}
	return parts, keys, nil
}

// emptyParts returns an error if a part of a split of d has no nodes, unless its share is 0. If the table has its own
// column split, as exports of sets without validation nodes have, it is a note instead.
func (im *importer) emptyParts(d *dataset.Dataset, t int) error {
	own := len(im.splitColumns(im.raw.Nodes[t])) > 0 && im.spec.Split.isZero()
	for _, s := range d.Splits {
		needed := 3
		if d.DrawnSplit {
			needed = 1
		}
		err := im.empty([3][]int32{s.Train, s.Valid, s.Test}, needed, "labelled nodes", im.report.Nodes[t].Table, !own)
		if err != nil {
			return err
		}
	}
	return nil
}

// empty returns an error, or a note if that is not wrong, if one of the first needed parts is empty.
func (im *importer) empty(parts [3][]int32, needed int, what, table string, wrong bool) error {
	ratio := im.spec.Split.Ratio
	for part := range needed {
		if len(parts[part]) > 0 || ratio[part] == 0 && ratio != [3]float64{} { // the user wants it empty
			continue
		}
		text := fmt.Sprintf("there are no %s to %s: %s, %d train, %d valid, %d test", what, partUse[part],
			im.report.Split, len(parts[0]), len(parts[1]), len(parts[2]))
		if wrong {
			return files.Errorf(table, "%s; change --split, or give --split none", text)
		}
		im.notes = append(im.notes, text)
	}
	return nil
}

// partUse is what parts are for.
var partUse = [3]string{"train on", "validate on", "test on"}

func ratioText(r [3]float64) string {
	return fmt.Sprintf("train=%g,valid=%g,test=%g", r[0], r[1], r[2])
}

// partsByColumn returns the parts that a column names.
func partsByColumn(t *dataset.Texts) ([]int8, error) {
	parts := make([]int8, t.Len())
	for i := range parts {
		part, err := partOf(string(t.Get(i)))
		if err != nil {
			return nil, fmt.Errorf("row %d: %w", i+1, err)
		}
		parts[i] = int8(part)
	}
	return parts, nil
}

// addSplit adds a split by the parts of the rows of type t. Nodes without a label are in no part.
func (im *importer) addSplit(d *dataset.Dataset, t int, parts []int8) {
	var nodes [3][]int32
	for i, part := range parts {
		if part >= 0 {
			nodes[part] = append(nodes[part], im.nodes.at(t, i))
		}
	}
	b := build.Builder{Dataset: d}
	if n := b.Split(nodes[0], nodes[1], nodes[2]); n > 0 {
		im.note("%d nodes of the split have no label and are left out of it", n)
	}
}

// build builds the graph and splits the links.
func (im *importer) build(d *dataset.Dataset, e *edgeImport) error {
	if names := e.relations.Names(); len(names) > 1 || len(names) == 1 && names[0] != "" {
		d.Relations = names
	}
	if err := im.prepare(d, e); err != nil {
		return err
	}
	j, err := im.join(e)
	if err != nil {
		return err
	}
	loops := graph.KeepLoops
	if im.spec.DropLoops {
		loops = graph.DropLoops
	}
	spec := graph.Spec{
		Nodes: im.nodes.count(), Relations: max(1, e.relations.Len()), Types: len(im.nodes.tables),
		NodeTypes: im.nodes.nodeType,
		Sources:   e.src, Relation: e.rel, Targets: e.dst, Weights: e.weight,
		Undirected: im.undirected(e.relations.Len()), DropDuplicates: !im.spec.KeepDuplicates, Loops: loops,
	}
	b := &build.Builder{Dataset: d, File: slices.Concat(im.spec.Edges, im.spec.Nodes)[0].Table, Budget: im.budget}
	if err := b.Connect(spec); err != nil {
		return err
	}
	g := d.Graph
	im.report.Duplicates = g.Report().Duplicates
	im.raw.Edges = e.extra
	for i := range e.extra {
		if err := im.budget.Take(16*int64(len(e.src)-e.extra[i].Values.Len()), "a column of edges"); err != nil {
			return err
		}
		pad(&e.extra[i].Values, len(e.src))
		if rows := g.Origins(); rows != nil {
			e.extra[i].Values = e.extra[i].Values.Pick(rows)
		}
	}
	if j != nil {
		j.only(g.Origins())
		if err := im.weigh(d, e, j); err != nil {
			return err
		}
		im.addJoined(e, j)
	}
	if d.Labels.Class != nil {
		return im.edgeFeatures(d)
	}
	d.Metric = "mrr"
	parts, err := im.linkParts(d)
	if parts == nil || err != nil {
		return err
	}
	return im.divide(b, spec, parts)
}

// prepare makes columns of the rows of edges, and leaves those that may be in the graph.
func (im *importer) prepare(d *dataset.Dataset, e *edgeImport) error {
	for i, u := range e.src {
		if u == e.dst[i] {
			im.report.Loops++
		}
	}
	if im.as != nil { // labels of training nodes become columns
		if err := im.splitNodes(d); err != nil {
			return err
		}
	}
	if err := im.edgeColumns(d, e); err != nil {
		return err
	}
	return im.keepSameTime(e)
}

// linkParts returns the part of every link; nil if links are not split.
func (im *importer) linkParts(d *dataset.Dataset) ([]int8, error) {
	s := im.spec.Split
	names := im.splitColumns(im.raw.Edges)
	column := s.Time
	switch {
	case s.None, s.isZero() && len(names) == 0 && len(d.Relations) < 2:
		return nil, nil
	case len(names) > 0:
		column = names[0]
		im.report.Split = "by column " + column
	case s.Time != "":
		im.report.Split = "by time in column " + column
	default:
		s.Ratio = cmp.Or(s.Ratio, [3]float64{0.8, 0.1, 0.1})
		im.report.Split = fmt.Sprintf("%s of the links, seed %d", ratioText(s.Ratio), s.Seed)
		return build.Links(d.Graph, s.Ratio, s.Seed), nil
	}
	parts, _, err := im.partsBy(im.raw.Edges, column, im.report.Edges[0].Table, s.Time != "")
	return parts, err
}

// onlyRelation is the name of the one relation of links that have none, for questions about them.
const onlyRelation = "edge"

// divide keeps the training links in the graph and moves the others to Valid and Test.
func (im *importer) divide(b *build.Builder, spec graph.Spec, parts []int8) error {
	all := b.Graph
	rows := [3][]int32{}
	unused := 0
	for e, part := range parts {
		if part < 0 {
			unused++
			continue
		}
		rows[part] = append(rows[part], int32(e))
	}
	// an error if links were split as the user asked; if nobody asked, links of a tree cannot be removed
	if err := im.empty(rows, 3, "links", im.report.Edges[0].Table, !im.spec.Split.isZero()); err != nil {
		return err
	}
	if unused > 0 {
		im.note("%d links are in no part of the split and are left out", unused)
	}
	spec.Sources, spec.Relation = pick(all.Sources(), rows[0]), pick(all.Relations(), rows[0])
	spec.Targets, spec.Weights = pick(all.Targets(), rows[0]), pick(all.Weights(), rows[0])
	for _, e := range rows[1] {
		b.Valid = append(b.Valid, all.Edge(e))
	}
	for _, e := range rows[2] {
		b.Test = append(b.Test, all.Edge(e))
	}
	if len(b.Relations) == 0 {
		b.Relations = []string{onlyRelation}
	}
	order := slices.Concat(rows[0], rows[1], rows[2])
	for i := range im.raw.Edges {
		im.raw.Edges[i].Values = im.raw.Edges[i].Values.Pick(order)
	}
	return b.Connect(spec)
}

// splitsLinks reports whether the links of a table may be split, so that weights must be kept aside: links of Valid and
// Test have no weights.
func (e *edgeImport) splitsLinks(columns []string, c *edgeColumns) bool {
	s := &e.spec.Split
	return e.spec.Label == "" && !s.None && (!s.isZero() || slices.Contains(columns, splitColumn) ||
		c.relation >= 0 || len(e.spec.Edges) > 1)
}

// repeated is the share of duplicate rows from which edges are weighted by their number of rows.
const repeated = 0.05

// join joins the rows of an edge if nodes have labels; it returns nil if nothing is joined. It must run before the
// graph is built from the rows.
func (im *importer) join(e *edgeImport) (*joined, error) {
	asked := e.weight == nil && isJoined(im.spec.Weight)
	off := im.spec.Columns != nil && len(im.spec.Columns) == 0
	if im.labels.Class == nil || im.spec.KeepDuplicates || off && !asked {
		if asked {
			return nil, files.Errorf(im.spec.Edges[0].Table, "there is no column %q; columns about repeats exist "+
				"only with --label and without --keep-duplicates", im.spec.Weight)
		}
		return nil, nil
	}
	all, _, err := e.rowsOfEdges()
	if err != nil {
		return nil, err
	}
	size := 40 * int64(len(e.src))
	if err := im.budget.Take(size, "repeats of edges"); err != nil {
		im.note("rows that repeat an edge are left out: %v", err)
		return nil, nil
	}
	defer im.budget.Release(size)
	j := joinRows(im.nodes.count(), all, im.undirected(e.relations.Len()))
	if len(j.first) == len(e.src) && !asked {
		return nil, nil
	}
	return j, nil
}

// weigh weights edges by the rows that were joined.
func (im *importer) weigh(d *dataset.Dataset, e *edgeImport, j *joined) (err error) {
	if d.Graph.Weights() != nil {
		return nil
	}
	wish := im.spec.Weight
	if rows := float64(len(j.at)); wish == "" && rows-float64(len(j.first)) >= repeated*rows {
		wish = countColumn
	}
	if wish == "" {
		return nil
	}
	x := j.column(wish, e.all, e.columns)
	if x == nil {
		return files.Errorf(im.spec.Edges[0].Table, "there is no column %q", wish)
	}
	im.schema.Weight = wish
	im.note("edges weigh log2(1 + %s) of their rows; --weight COLUMN, or COLUMN.sum, "+
		".mean, .max or .last, overrides this", wish)
	d.Graph, err = d.Graph.WithEdges(logWeights(x), d.Graph.Features())
	return err
}

// addJoined adds the columns of joined rows to the columns of edges.
func (im *importer) addJoined(e *edgeImport, j *joined) {
	names := []string{countColumn}
	for _, c := range e.columns {
		for _, end := range joinedEnds {
			if c.Kind == dataset.Number {
				names = append(names, c.Name+"."+end)
			}
		}
	}
	for _, name := range names {
		if textsOf(im.raw.Edges)(name) != nil {
			continue
		}
		if err := im.budget.Take(4*int64(len(j.first)), "columns of edges"); err != nil {
			im.note("column %q of edges is left out: %v", name, err)
			continue
		}
		made := madeColumn{name, j.column(name, e.all, e.columns)}
		im.raw.Edges = append(im.raw.Edges, made.raw())
		im.report.Edges[0].Joined = append(im.report.Edges[0].Joined, name)
	}
}
