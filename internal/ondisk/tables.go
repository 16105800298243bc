package ondisk

import (
	"bufio"
	"encoding/binary"
	"math"
	"path/filepath"

	"github.com/bloomgml/bloom/internal/build"
	"github.com/bloomgml/bloom/internal/codec/table"
	"github.com/bloomgml/bloom/internal/files"
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
