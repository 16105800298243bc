// Package excerpt takes parts of a graph that stays on the disk: batches of nodes with neighbours drawn around them, as
// internal/sample draws them in memory, with the edges between them, features and classes. Any model of features is
// trained on such parts, which lie in a scratch file while it is, and predicts all nodes by parts.
//
// What is looked at in training, and what a run is about when it is done, is one more part: labelled nodes, as many as
// there is room for, with neighbours around them, a data set like any other. Where it has few of them, others are
// measured in parts of their own, one after the other (Jury).
package excerpt

import (
	"context"
	"errors"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/internal/ondisk"
	"github.com/bloomgml/bloom/internal/ondisk/settle"
	"github.com/bloomgml/bloom/internal/sample"
)

// Options say how parts are drawn, and with how much memory.
type Options struct {
	sample.Options
	Scratch string // the folder where parts lie while there are some
	Scale   string // of features, see prepare.Scale
	Split   int    // whose nodes train
	Seed    uint64 // of the part that is looked at
	Memory  int64  // bytes
	Width   int    // columns of the states of the model, for what fits
	Steps   int    // of its descent, for the same
	Some    int    // draw so many parts alone, which stand for the others, as for an estimate; 0 for all
}

// Graph is a folder of blocks with parts of it.
type Graph struct {
	*ondisk.Store
	Options
	Context context.Context // ends what is under way

	x       *settle.Columns
	train   []int32 // nodes that train
	place   []int32 // nodes of the part that is looked at, ascending
	asked   []int32 // those of them that it was drawn around
	near    ondisk.Adjacency
	cluster []int32 // of every node; nil before parts are dealt, and where neighbours are drawn
	drawn   *drawn  // the parts that are trained on; nil before there are some
	jury    *Jury   // nil before somebody asked
}

// New is the graph of s.
func New(ctx context.Context, s *ondisk.Store, o Options) (*Graph, error) {
	x, err := settle.NewColumns(s, o.Scale)
	if err != nil {
		return nil, err
	}
	g := &Graph{Store: s, Options: o, Context: ctx, x: x}
	for i := range s.Blocks() {
		l, err := s.Labels(i)
		if err != nil {
			return nil, err
		}
		first, _ := s.Rows(i)
		for r, p := range l.Parts[o.Split] {
			if p == ondisk.Train {
				g.train = append(g.train, int32(first+r))
			}
		}
	}
	return g, nil
}

// Close removes the parts and closes the graph.
func (g *Graph) Close() error {
	err := g.clear()
	if g.jury != nil && g.jury.parts != nil {
		err = errors.Join(err, g.jury.parts.file.Close())
	}
	return errors.Join(err, g.Store.Close())
}

// rows reads the neighbours of nodes, block by block.
func (g *Graph) rows(wanted func(first, end int) bool, yield func(first int, ptr []int64, idx []int32) error) error {
	for i := range g.Blocks() {
		first, end := g.Rows(i)
		if !wanted(first, end) {
			continue
		}
		if err := g.Context.Err(); err != nil {
			return err
		}
		if err := g.Adjacency(i, &g.near); err != nil {
			return err
		}
		if err := yield(first, g.near.Ptr, g.near.Idx); err != nil {
			return err
		}
	}
	return nil
}

// matrix is one of no rows yet, as features are trained on.
func (g *Graph) matrix() dataset.Matrix {
	x := dataset.Matrix{Cols: g.Columns}
	if g.Sparse && g.Scale != "columns" {
		x.Ptr = []int64{0}
	}
	return x
}
