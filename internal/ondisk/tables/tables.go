// Package tables streams a user's tables into blocks: nodes and edges as CSV, JSON lines or Parquet, in any number of
// files, of which the names of nodes and their classes are held in memory, and nothing else.
//
//	src, err := tables.Open(tables.Spec{Nodes: []string{"nodes-*.csv"}, Edges: []string{"edges-*.parquet"},
//		Label: "topic", Scratch: "web.bloom.tmp"})
//	defer src.Close()
//	report, err := blocks.Build("web.bloom", src, blocks.Options{})
package tables

import (
	"bufio"
	"encoding/binary"
	"math"
	"path/filepath"

	"github.com/bloomgml/bloom/internal/build"
	"github.com/bloomgml/bloom/internal/files"
	"github.com/bloomgml/bloom/internal/ondisk"
	"github.com/bloomgml/bloom/mat"
)

// Spec says which tables there are, and what their columns mean.
type Spec struct {
	Name         string   // of the set
	Nodes, Edges []string // files, or patterns such as part-*.csv; without nodes these are the ends of edges
	// ID is the column of node ids, Source and Target those of the ends of edges; empty means id, source and target, or
	// where there is no such column the first, and of edges the second.
	ID, Source, Target string
	Label              string   // the column of classes; empty for none
	Split              string   // the column with train, valid or test; empty draws 60, 20 and 20 % of labelled nodes
	Ignore             []string // columns of nodes that are neither; all others are features, which are numbers
	Seed               uint64   // of a split that is drawn
	Memory             int64    // bytes that names of nodes may take; 0 means 1 GiB
	Scratch            string   // a file that holds features while the set is open, without a name where that can be
	Progress           func(stage string, done, total int64)
}

// Source is the tables as a blocks.Source. Features have mean 0 and deviation 1; one that is missing is the mean.
type Source struct {
	spec    Spec
	nodes   []string // tables
	edges   []string
	origin  []string
	ids     build.Names
	paid    int64
	budget  *files.Budget
	class   []int32
	part    []ondisk.Part
	classes build.Names

	columns  []string  // of features
	mean, m2 []float64 // m2 is the sum of squares around the mean
	count    []float64 // values that are not missing
	scratch  *ondisk.Scratch
	written  *bufio.Writer
	bytes    []byte // of a row
	told     int64  // edges, where they were counted
	quiet    bool   // progress is told by who counts edges
}

// Open reads all nodes once; features go to the scratch file. Mistakes are *files.Error with file, line and column.
func Open(spec Spec) (*Source, error) {
	if spec.Memory == 0 {
		spec.Memory = 1 << 30
	}
	s := &Source{spec: spec, budget: files.BudgetOf(spec.Memory)}
	f, err := ondisk.NewScratch(filepath.Dir(spec.Scratch), filepath.Base(spec.Scratch))
	if err != nil {
		return nil, err
	}
	s.scratch, s.written = f, bufio.NewWriterSize(f, 1<<20)
	if err = s.list(); err == nil {
		err = s.readNodes()
	}
	if err == nil {
		err = s.written.Flush()
	}
	if err != nil {
		_ = s.Close() // the error that matters is err
		return nil, err
	}
	return s, nil
}

// Close removes the scratch file.
func (s *Source) Close() error { return s.scratch.Close() }

// Info is what there will be.
func (s *Source) Info() ondisk.Info {
	i := ondisk.Info{Name: s.spec.Name, Nodes: s.ids.Len(), Edges: s.told, Columns: len(s.columns), Named: true}
	if s.spec.Label != "" {
		i.Metric, i.Splits, i.Classes = "accuracy", 1, s.classes.Names()
	}
	return i
}

// Row reads the features of node v back.
func (s *Source) Row(v int32, x []mat.Real) error {
	if n, err := s.scratch.ReadAt(s.bytes, int64(v)*int64(len(s.bytes))); n < len(s.bytes) {
		return files.Because(s.spec.Scratch, err)
	}
	for j := range x {
		x[j] = mat.Real(s.standard(j, math.Float32frombits(binary.LittleEndian.Uint32(s.bytes[4*j:]))))
	}
	return nil
}

// standard is a value of column j, 0 where it is missing or the column is constant.
func (s *Source) standard(j int, value float32) float64 {
	sd := math.Sqrt(s.m2[j] / max(1, s.count[j]))
	if value != value || sd == 0 {
		return 0
	}
	return (float64(value) - s.mean[j]) / sd
}

// Label is the class of node v and its part.
func (s *Source) Label(v int32, parts []ondisk.Part) int32 {
	if s.spec.Label == "" {
		return -1
	}
	c := s.class[v]
	switch {
	case c < 0:
		parts[0] = ondisk.None
	case s.spec.Split != "":
		parts[0] = s.part[v]
	default:
		parts[0] = drawn(s.spec.Seed, v)
	}
	return c
}

// drawn is the part of a node by chance.
func drawn(seed uint64, v int32) ondisk.Part {
	switch u := mat.Mix(seed, uint64(v)) >> 40 % 10; {
	case u < 6:
		return ondisk.Train
	case u < 8:
		return ondisk.Valid
	}
	return ondisk.Test
}

// ID is the id of node v.
func (s *Source) ID(v int32) string { return string(s.ids.At(v)) }
