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
	walk       block.Walk
	done       int64 // neighbours that were heard
}

// panel settles so many columns from first on.
func (w *sweep) panel(first, width int) error {
	n := w.Nodes * width
	if w.p == nil {
		for _, x := range []*[]mat.Real{&w.p, &w.h, &w.next} {
			*x = make([]mat.Real, w.Nodes*w.Width)
			hugepage.Advise(*x)
		}
		var err error
		if w.scale, err = w.walk.Scales(w.ctx, w.step); err != nil {
			return err
		}
	}
	w.p, w.h, w.next = w.p[:n], w.h[:n], w.next[:n]
	if err := w.x.fill(w.ctx, w.p, first, width, w.Seed); err != nil {
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

// once is a step of all nodes.
func (w *sweep) once(width int) error {
	err := w.walk.Each(w.ctx, w.step, w.scale, func(_ int, b block.Block) error { return w.block(b, width) })
	w.h, w.next = w.next, w.h
	return err
}

// block is a step of the nodes of a block.
func (w *sweep) block(b block.Block, width int) error {
	from, to := b.First*width, (b.First+b.Rows())*width
	err := w.step.Step(w.next[from:to], w.h, w.p[from:to], w.scale, width, b)
	if w.done += int64(len(b.Idx)); err == nil && w.Progress != nil {
		w.Progress(w.done, 2*w.Edges*int64(w.Steps)*int64(w.Panels))
	}
	return err
}
