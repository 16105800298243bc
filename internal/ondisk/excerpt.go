package ondisk

import (
	"context"
	"errors"

	"github.com/bloomgml/bloom/dataset"
)

// ExcerptOptions say how parts are drawn, and with how much memory.
type ExcerptOptions struct {
	SampleOptions
	Scratch string // the folder of the scratch file of parts
	Scale   string // of features, see prepare.Scale
	Split   int    // whose training nodes are used
	Seed    uint64 // of the observed part
	Memory  int64  // bytes
	Width   int    // columns of the states of the model, to estimate memory
	Steps   int    // of its descent, to estimate memory
	Some    int    // draw only this many parts, which stand for all, as for an estimate; 0 draws all
}

// Excerpt is a folder of blocks and the parts drawn from it.
type Excerpt struct {
	*Store
	ExcerptOptions
	Context context.Context // cancels work in progress

	x       *SettleColumns
	train   []int32 // training nodes
	place   []int32 // nodes of the observed part, ascending
	asked   []int32 // the nodes in place around which it was drawn
	near    Adjacency
	cluster []int32 // of every node; nil before parts are dealt, and if neighbours are drawn
	drawn   *drawn  // the parts for training; nil until drawn
	jury    *Jury   // nil until requested
}

// NewExcerpt returns the graph of s.
func NewExcerpt(ctx context.Context, s *Store, o ExcerptOptions) (*Excerpt, error) {
	x, err := NewSettleColumns(s, o.Scale)
	if err != nil {
		return nil, err
	}
	g := &Excerpt{Store: s, ExcerptOptions: o, Context: ctx, x: x}
	for i := range s.Blocks() {
		l, err := s.Labels(i)
		if err != nil {
			return nil, err
		}
		first, _ := s.Rows(i)
		for r, p := range l.Parts[o.Split] {
			if p == Train {
				g.train = append(g.train, int32(first+r))
			}
		}
	}
	return g, nil
}

// Close removes the parts and closes the graph.
func (g *Excerpt) Close() error {
	err := g.clear()
	if g.jury != nil && g.jury.parts != nil {
		err = errors.Join(err, g.jury.parts.file.Close())
	}
	return errors.Join(err, g.Store.Close())
}

// rows reads the neighbours of nodes, block by block.
func (g *Excerpt) rows(wanted func(first, end int) bool, yield func(first int, ptr []int64, idx []int32) error) error {
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

// matrix returns a matrix without rows, of the kind that training uses for features.
func (g *Excerpt) matrix() dataset.Matrix {
	x := dataset.Matrix{Cols: g.Columns}
	if g.Sparse && g.Scale != "columns" {
		x.Ptr = []int64{0}
	}
	return x
}
