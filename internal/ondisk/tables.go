package ondisk

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/bloomgml/bloom/internal/build"
	"github.com/bloomgml/bloom/internal/codec/table"
	"github.com/bloomgml/bloom/internal/files"
	"github.com/bloomgml/bloom/internal/keys"
	"github.com/bloomgml/bloom/mat"
)

// TableSpec says which tables there are, and what their columns mean.
type TableSpec struct {
	Name         string   // of the set
	Nodes, Edges []string // files, or patterns such as part-*.csv; without nodes these are the ends of edges
	// ID is the column of node ids, Source and Target are the columns of the ends of edges. Empty means id, source and
	// target, or if there is no such column the first, and for targets the second.
	ID, Source, Target string
	Label              string   // the column of classes; empty for none
	Split              string   // the column with train, valid or test; empty draws 60, 20 and 20 % of labelled nodes
	Ignore             []string // columns of nodes to ignore; all others are features, which are numbers
	Seed               uint64   // of a split that is drawn
	Memory             int64    // maximum bytes for names of nodes; 0 means 1 GiB
	Scratch            string   // a file that holds features while the set is open, without a name if possible
	Progress           func(stage string, done, total int64)
}

// TableSource is a blocks.Source of the tables. Features have mean 0 and deviation 1; a missing feature is the mean.
type TableSource struct {
	spec    TableSpec
	nodes   []string // tables
	edges   []string
	ids     build.Names
	paid    int64
	budget  *files.Budget
	class   []int32
	part    []Part
	classes build.Names

	columns  []string  // of features
	mean, m2 []float64 // m2 is the sum of squares around the mean
	count    []float64 // values that are not missing
	scratch  *Scratch
	written  *bufio.Writer
	bytes    []byte // of a row
	told     int64  // edges, if they were counted
	quiet    bool   // whoever counts edges reports progress
}

var _ Source = (*TableSource)(nil)

// OpenTables reads all nodes once; features go to the scratch file. Errors in the data are *files.Error with file,
// line and
// column.
func OpenTables(spec TableSpec) (*TableSource, error) {
	if spec.Memory == 0 {
		spec.Memory = 1 << 30
	}
	s := &TableSource{spec: spec, budget: files.BudgetOf(spec.Memory)}
	f, err := NewScratch(filepath.Dir(spec.Scratch), filepath.Base(spec.Scratch))
	if err != nil {
		return nil, err
	}
	s.scratch, s.written = f, bufio.NewWriterSize(f, 1<<20)
	for _, name := range spec.Nodes {
		s.nodes = append(s.nodes, table.Parts(name)...)
	}
	for _, name := range spec.Edges {
		s.edges = append(s.edges, table.Parts(name)...)
	}
	if err = s.readNodes(); err == nil {
		err = s.written.Flush()
	}
	if err != nil {
		_ = s.Close() // err is the error that matters
		return nil, err
	}
	return s, nil
}

// Close removes the scratch file.
func (s *TableSource) Close() error { return s.scratch.Close() }

// Info describes the set.
func (s *TableSource) Info() Info {
	i := Info{Name: s.spec.Name, Nodes: s.ids.Len(), Edges: s.told, Columns: len(s.columns), Named: true}
	if s.spec.Label != "" {
		i.Metric, i.Splits, i.Classes = "accuracy", 1, s.classes.Names()
	}
	return i
}

// Row reads the features of node v back.
func (s *TableSource) Row(v int32, x []mat.Real) error {
	if n, err := s.scratch.ReadAt(s.bytes, int64(v)*int64(len(s.bytes))); n < len(s.bytes) {
		return files.Because(s.spec.Scratch, err)
	}
	for j := range x {
		x[j] = mat.Real(s.standard(j, math.Float32frombits(binary.LittleEndian.Uint32(s.bytes[4*j:]))))
	}
	return nil
}

// standard returns the standardised value in column j, 0 if it is missing or the column is constant.
func (s *TableSource) standard(j int, value float32) float64 {
	sd := math.Sqrt(s.m2[j] / max(1, s.count[j]))
	if value != value || sd == 0 {
		return 0
	}
	return (float64(value) - s.mean[j]) / sd
}

// Label returns the class of node v and writes its part.
func (s *TableSource) Label(v int32, parts []Part) int32 {
	if s.spec.Label == "" {
		return -1
	}
	c := s.class[v]
	switch {
	case c < 0:
		parts[0] = None
	case s.spec.Split != "":
		parts[0] = s.part[v]
	default:
		parts[0] = tableDrawn(s.spec.Seed, v)
	}
	return c
}

// tableDrawn draws the part of a node.
func tableDrawn(seed uint64, v int32) Part {
	switch u := mat.Mix(seed, uint64(v)) >> 40 % 10; {
	case u < 6:
		return Train
	case u < 8:
		return Valid
	}
	return Test
}

// ID returns the id of node v.
func (s *TableSource) ID(v int32) string { return string(s.ids.At(v)) }

// each opens tables one after the other: it calls begin with each table, and row with every row.
func (s *TableSource) each(stage string, names []string, begin func(table.Source) error,
	row func(b *table.Batch, i int) error) error {
	for _, name := range names {
		t, err := table.Open(name, table.Options{})
		if err != nil {
			return err
		}
		if err = begin(t); err == nil {
			err = s.rows(stage, t, row)
		}
		if err = errors.Join(err, t.Close()); err != nil {
			return err
		}
	}
	return nil
}

// rows goes through one table.
func (s *TableSource) rows(stage string, t table.Source, row func(b *table.Batch, i int) error) error {
	return table.Each(t, func(b *table.Batch) error {
		for i := range b.Rows() {
			if err := row(b, i); err != nil {
				return err
			}
		}
		if done, total := t.Progress(); s.spec.Progress != nil && !s.quiet {
			s.spec.Progress(stage+" "+t.Name(), done, total)
		}
		return nil
	})
}

// readNodes numbers the nodes, in the order of their tables, or of the edges if there are no tables of nodes.
func (s *TableSource) readNodes() error {
	if len(s.spec.Nodes) == 0 {
		if s.spec.Label != "" {
			return fmt.Errorf("a label is a column of nodes, and there is no table of them")
		}
		return s.ends(func(b *table.Batch, i, j int) (err error) {
			_, err = s.number(b.Cell(i, j))
			return err
		}, func(_, _ int32) error { s.told++; return nil })
	}
	var at layout
	return s.each("nodes", s.nodes, func(t table.Source) (err error) {
		at, err = s.layout(t)
		if err == nil && s.columns != nil && len(at.features) != len(s.columns) {
			err = files.Errorf(t.Name(), "%d columns of features, and %d in the tables before it", len(at.features),
				len(s.columns))
		}
		if width := len(at.features); s.columns == nil {
			s.columns, s.bytes = at.names, make([]byte, 4*width)
			s.mean, s.m2, s.count = make([]float64, width), make([]float64, width), make([]float64, width)
		}
		return err
	}, func(b *table.Batch, i int) error { return s.node(b, i, at) })
}

// layout holds the columns of a table of nodes; −1 if there is no such column.
type layout struct {
	id, label, split int
	features         []int
	names            []string
}

// layout finds the columns of a table.
func (s *TableSource) layout(t table.Source) (at layout, err error) {
	columns := t.Columns()
	if at.id, err = find(t, s.spec.ID, "id", 0); err != nil {
		return at, err
	}
	if at.label, err = find(t, s.spec.Label, "", -1); err != nil {
		return at, err
	}
	if at.split, err = find(t, s.spec.Split, "", -1); err != nil {
		return at, err
	}
	for j, name := range columns {
		if j != at.id && j != at.label && j != at.split && !slices.Contains(s.spec.Ignore, name) {
			at.features, at.names = append(at.features, j), append(at.names, name)
		}
	}
	return at, nil
}

// find returns the index of the column named given, or usual if none is given, or otherwise if there is no usual
// column.
func find(t table.Source, given, usual string, otherwise int) (int, error) {
	if given == "" {
		if j := slices.Index(t.Columns(), usual); j >= 0 && usual != "" {
			return j, nil
		}
		if otherwise < len(t.Columns()) {
			return otherwise, nil
		}
		return 0, files.Errorf(t.Name(), "%d columns, and no %s among them", len(t.Columns()), usual)
	}
	j := slices.Index(t.Columns(), given)
	if j < 0 {
		return 0, files.Errorf(t.Name(), "%v", keys.NewUnknown("column", given, t.Columns()))
	}
	return j, nil
}

// number returns the number of an id, a new one if the id is new.
func (s *TableSource) number(id []byte) (int32, error) {
	if !s.ids.Fits(1, len(id)) {
		what := fmt.Sprintf("the ids of %d nodes", s.ids.Len()+1)
		if err := s.budget.Hold(&s.paid, s.ids.SizeWith(1, len(id)), what); err != nil {
			return 0, err
		}
	}
	return s.ids.ID(id), nil
}

// node reads a row of a table of nodes.
func (s *TableSource) node(b *table.Batch, i int, at layout) error {
	before := s.ids.Len()
	if v, err := s.number(b.Cell(i, at.id)); err != nil {
		return err
	} else if int(v) < before {
		return b.Errorf(i, at.id, "an earlier node has the id %q too", b.Cell(i, at.id))
	}
	if at.label >= 0 {
		class := int32(-1)
		if text := b.Cell(i, at.label); len(text) > 0 {
			class = s.classes.ID(text)
		}
		s.class = append(s.class, class)
	}
	if at.split >= 0 {
		k := slices.Index([]string{"", "train", "valid", "test"}, string(b.Cell(i, at.split)))
		if k < 0 {
			return b.Errorf(i, at.split, "%q is not train, valid or test", b.Cell(i, at.split))
		}
		s.part = append(s.part, Part(k))
	}
	return s.keep(b, i, at)
}

// keep writes the features of a row; missing ones as NaN.
func (s *TableSource) keep(b *table.Batch, i int, at layout) error {
	for j, column := range at.features {
		x, text := math.NaN(), b.Cell(i, column)
		if len(text) > 0 {
			var err error
			if x, err = strconv.ParseFloat(string(text), 32); err != nil || x-x != 0 {
				return b.Errorf(i, column, "%q is not a number, as features in blocks must be; --ignore leaves out a "+
					"column", text)
			}
			s.count[j]++
			delta := x - s.mean[j] // Welford
			s.mean[j] += delta / s.count[j]
			s.m2[j] += delta * (x - s.mean[j])
		}
		binary.LittleEndian.PutUint32(s.bytes[4*j:], math.Float32bits(float32(x)))
	}
	if _, err := s.written.Write(s.bytes); err != nil {
		return files.Because(s.spec.Scratch, err)
	}
	return nil
}

// Pairs reads the tables of edges.
func (s *TableSource) Pairs(yield func(u, v int32) error) error {
	s.quiet = s.told > 0
	return s.ends(func(b *table.Batch, i, j int) error {
		return b.Errorf(i, j, "there is no node %q", b.Cell(i, j))
	}, yield)
}

// ends yields the ends of every edge. It calls unknown for an end that is not a known node; unknown may add it.
func (s *TableSource) ends(unknown func(b *table.Batch, i, j int) error, yield func(u, v int32) error) error {
	var at [2]int
	return s.each("edges", s.edges, func(t table.Source) (err error) {
		if at[0], err = find(t, s.spec.Source, "source", 0); err != nil {
			return err
		}
		at[1], err = find(t, s.spec.Target, "target", 1)
		return err
	}, func(b *table.Batch, i int) error {
		var ends [2]int32
		for k, j := range at {
			v, ok := s.ids.Find(b.Cell(i, j))
			if !ok {
				if err := unknown(b, i, j); err != nil {
					return err
				}
				v, _ = s.ids.Find(b.Cell(i, j))
			}
			ends[k] = v
		}
		return yield(ends[0], ends[1])
	})
}
