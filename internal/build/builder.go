// Package build turns what a reader of data sets found into a data set for training: names become numbers, values
// become classes, nodes are split for training, validation and testing, edges become a graph; features are scaled, and
// corrupted on purpose if a run measures robustness.
package build

import (
	"fmt"
	"slices"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/internal/files"
)

// Builder makes a data set of what a reader finds. The reader sets the plain fields of the Dataset, and calls
//
//	b.Classes, ClassArray or ClassTexts    −1 is no class; every class has a name
//	b.Split, for each of them              a node of a split has a class
//	b.Connect                              what is wrong with the graph is wrong with File
//
// in this order, each where the format has it.
type Builder struct {
	*dataset.Dataset
	File   string // the file or folder being read
	Budget *files.Budget
	paid   map[*Names]int64 // taken from the budget for names
}

// New starts a data set that is read from a file or a folder.
func New(file, name string) *Builder {
	return &Builder{Dataset: &dataset.Dataset{Name: name}, File: file, Budget: files.NewBudget()}
}

// ID returns the number of a name in a table, and takes its memory from the budget.
func (b *Builder) ID(t *Names, name []byte) (int32, error) {
	if !t.Fits(1, len(name)) {
		if b.paid == nil {
			b.paid = map[*Names]int64{}
		}
		paid := b.paid[t]
		if err := b.Budget.Hold(&paid, t.SizeWith(1, len(name)), fmt.Sprintf("%d names", t.Len()+1)); err != nil {
			return 0, err
		}
		b.paid[t] = paid
	}
	return t.ID(name), nil
}

// Triple returns the triple of three names.
func (b *Builder) Triple(nodes, relations *Names, u, r, v []byte) (t graph.Triple, err error) {
	if t.U, err = b.ID(nodes, u); err == nil {
		if t.R, err = b.ID(relations, r); err == nil {
			t.V, err = b.ID(nodes, v)
		}
	}
	return t, err
}

// Note adds a sentence about what was dropped, filled or odd.
func (b *Builder) Note(format string, args ...any) {
	b.Notes = append(b.Notes, fmt.Sprintf(format, args...))
}

// What a graph takes: its arrays and the orders of its edges, by target, by source and, undirected, by both.
const (
	edgeBytes = 28
	bothBytes = 16
	nodeBytes = 32
)

// Connect builds the graph. Nodes beyond those that were given a label are unlabelled.
func (b *Builder) Connect(spec graph.Spec) error {
	edges, each := int64(max(len(spec.Triples), len(spec.Sources))), int64(edgeBytes)
	if spec.Undirected {
		each += bothBytes
	}
	if err := b.Budget.Take(edges*each+int64(spec.Nodes)*nodeBytes,
		fmt.Sprintf("a graph of %d nodes and %d edges", spec.Nodes, edges)); err != nil {
		return err
	}
	g, err := graph.Build(spec)
	if err != nil {
		return files.Because(b.File, err)
	}
	b.Graph = g
	more := g.NumNodes() - len(b.Labels.Class)
	if b.Labels.Class == nil || more <= 0 {
		return nil
	}
	if b.Labels.Values != nil {
		what := fmt.Sprintf("the labels of %d nodes", g.NumNodes())
		if err := b.Budget.Take(int64(g.NumNodes())*int64(len(b.Labels.Names))*8, what); err != nil {
			return err
		}
	}
	b.Labels = b.Labels.Extend(more)
	return nil
}

// Repeats returns the number of edges that Connect dropped because they repeat an earlier one.
func (b *Builder) Repeats() int { return b.Graph.Report().Duplicates }

// Split adds a split of nodes. It leaves out and counts nodes without a class.
func (b *Builder) Split(train, valid, test []int32) (unlabelled int) {
	parts := [3][]int32{train, valid, test}
	for i, nodes := range parts {
		parts[i] = slices.DeleteFunc(nodes, func(v int32) bool { return b.Labels.Class[v] < 0 })
		unlabelled += len(nodes) - len(parts[i])
	}
	b.Splits = append(b.Splits, dataset.Split{Train: parts[0], Valid: parts[1], Test: parts[2]})
	return unlabelled
}

// SplitOnce is Split, but returns an error about file if a node is in two parts or twice in one.
func (b *Builder) SplitOnce(file string, train, valid, test []int32) error {
	b.Split(train, valid, test)
	s, in := b.Splits[len(b.Splits)-1], make([]string, len(b.Labels.Class))
	for _, part := range []struct {
		name  string
		nodes []int32
	}{{"train", s.Train}, {"valid", s.Valid}, {"test", s.Test}} {
		for _, v := range part.nodes {
			if in[v] != "" {
				return files.Errorf(file, "node %d is in the parts %s and %s of a split", v, in[v], part.name)
			}
			in[v] = part.name
		}
	}
	return nil
}

// IDs returns the names of nodes, type after type. The names of a single type are not copied.
func IDs(types ...*Names) dataset.IDs {
	if len(types) == 1 {
		return dataset.MapIDs(types[0].Ends(), types[0].Bytes())
	}
	var all dataset.Texts
	for _, t := range types {
		for _, end := range t.Ends() {
			all.Ends = append(all.Ends, int64(len(all.Bytes))+end)
		}
		all.Bytes = append(all.Bytes, t.Bytes()...)
	}
	return dataset.MapIDs(all.Ends, all.Bytes)
}

// Types returns the types of nodes that are numbered type after type, sizes[t] of type t.
func Types(sizes ...int) []int32 {
	var types []int32
	for t, n := range sizes {
		types = append(types, slices.Repeat([]int32{int32(t)}, n)...)
	}
	return types
}

// Range returns the nodes from first to before end.
func Range(first, end int) []int32 {
	nodes := make([]int32, 0, end-first)
	for v := first; v < end; v++ {
		nodes = append(nodes, int32(v))
	}
	return nodes
}

// Flagged returns the nodes whose flag is set, ascending.
func Flagged(flags []bool) []int32 {
	nodes := []int32{}
	for v, set := range flags {
		if set {
			nodes = append(nodes, int32(v))
		}
	}
	return nodes
}
