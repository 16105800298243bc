package ondisk

import (
	"context"

	"github.com/bloomgml/bloom/internal/host"
	"github.com/bloomgml/bloom/internal/solve"
	"github.com/bloomgml/bloom/mat"
)

// sweep iterates over the blocks of a graph repeatedly.
type sweep struct {
	*Store
	SettleOptions
	SettlePlan
	ctx  context.Context
	step *solve.Stepper

	p, h, next []mat.Real // nodes × width of the panel: π, and the states before and after a step
	scale      []mat.Real // s of every node; nil if all are 1
	walk       Walk
	done       int64 // neighbours processed
}

func newSweep(ctx context.Context, s *Store, o SettleOptions, p SettlePlan) (*sweep, error) {
	step, err := solve.NewStepper(o.Local)
	return &sweep{Store: s, SettleOptions: o, SettlePlan: p, ctx: ctx, step: step, walk: Walk{Store: s}}, err
}

// panel settles width columns; fill writes their π, a row for every node. The result is in h.
func (w *sweep) panel(width int, fill func(dst []mat.Real) error) error {
	n := w.Nodes * width
	if w.p == nil {
		for _, x := range []*[]mat.Real{&w.p, &w.h, &w.next} {
			*x = make([]mat.Real, w.Nodes*w.Width)
			host.AdviseHuge(*x)
		}
		var err error
		if w.scale, err = w.walk.Scales(w.ctx, w.step); err != nil {
			return err
		}
	}
	w.p, w.h, w.next = w.p[:n], w.h[:n], w.next[:n]
	if err := fill(w.p); err != nil {
		return err
	}
	copy(w.h, w.p)
	for range w.Steps {
		if err := w.once(width); err != nil {
			return err
		}
	}
	return nil
}

// once does one step of all nodes.
func (w *sweep) once(width int) error {
	err := w.walk.Each(w.ctx, w.step, w.scale, func(_ int, b solve.Block) error { return w.block(b, width) })
	w.h, w.next = w.next, w.h
	return err
}

// block does one step of the nodes of a block.
func (w *sweep) block(b solve.Block, width int) error {
	from, to := b.First*width, (b.First+b.Rows())*width
	err := w.step.Step(w.next[from:to], w.h, w.p[from:to], w.scale, width, b)
	if w.done += int64(len(b.Idx)); err == nil && w.Progress != nil {
		w.Progress(w.done, 2*w.Edges*int64(w.Steps)*int64(w.Panels))
	}
	return err
}
