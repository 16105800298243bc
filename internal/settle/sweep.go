package settle

import (
	"context"

	"github.com/bloomgml/bloom/internal/block"
	"github.com/bloomgml/bloom/internal/blocks"
	"github.com/bloomgml/bloom/internal/hugepage"
	"github.com/bloomgml/bloom/mat"
)

// sweep goes through the blocks of a graph, again and again.
type sweep struct {
	*blocks.Store
	Options
	Plan
	ctx  context.Context
	step *block.Stepper
	x    *Columns
	kept *Kept
	out  []mat.Real // a row of all columns for every kept node

	p, h, next []mat.Real // nodes × width of the panel: features, and the states before and after a step
	scale      []mat.Real // s of every node; nil where all are 1
	near       blocks.Adjacency
	done       int64 // neighbours that were heard
}

// panel settles so many columns from first on.
func (w *sweep) panel(first, width int) error {
	n := w.Nodes * width
	if w.p == nil {
		for _, x := range []*[]mat.Real{&w.p, &w.h, &w.next} {
			*x = make([]mat.Real, n)
			hugepage.Advise(*x)
		}
		if err := w.degrees(); err != nil {
			return err
		}
	}
	w.p, w.h, w.next = w.p[:n], w.h[:n], w.next[:n]
	if err := w.x.fill(w.p, first, width, w.Seed); err != nil {
		return err
	}
	copy(w.h, w.p)
	for range w.Steps {
		if err := w.once(width); err != nil {
			return err
		}
	}
	all := w.Options.Columns(w.Store)
	for i, v := range w.kept.Place {
		copy(w.out[i*all+first:], w.h[int(v)*width:(int(v)+1)*width])
	}
	if w.Train != nil {
		return w.rows(first, width)
	}
	return nil
}

// degrees takes s of every node, where rows are scaled.
func (w *sweep) degrees() error {
	if !w.step.Scaled() {
		return nil
	}
	w.scale = make([]mat.Real, 0, w.Nodes)
	for i := range w.Blocks() {
		if err := w.Adjacency(i, &w.near); err != nil {
			return err
		}
		for r := range len(w.near.Ptr) - 1 {
			w.scale = append(w.scale, w.step.Scale(int(w.near.Ptr[r+1]-w.near.Ptr[r])))
		}
	}
	return nil
}

// once is a step of all nodes.
func (w *sweep) once(width int) error {
	for i := range w.Blocks() {
		if err := w.block(i, width); err != nil {
			return err
		}
	}
	w.h, w.next = w.next, w.h
	return nil
}

// block is a step of the nodes of block i.
func (w *sweep) block(i, width int) error {
	if err := w.ctx.Err(); err != nil {
		return err
	}
	if err := w.Adjacency(i, &w.near); err != nil {
		return err
	}
	first, end := w.Rows(i)
	err := w.step.Step(w.next[first*width:end*width], w.h, w.p[first*width:end*width], w.scale, width,
		block.Block{Ptr: w.near.Ptr, Idx: w.near.Idx, First: first})
	if w.done += int64(len(w.near.Idx)); err == nil && w.Progress != nil {
		w.Progress(w.done, 2*w.Edges*int64(w.Steps)*int64(w.Panels))
	}
	return err
}
