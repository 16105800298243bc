package relax

import (
	"math"

	"github.com/bloomgml/bloom/descent"
	"github.com/bloomgml/bloom/internal/block"
	"github.com/bloomgml/bloom/internal/hugepage"
	"github.com/bloomgml/bloom/internal/kernel"
	"github.com/bloomgml/bloom/mat"
)

// sweeper relaxes a panel.
type sweeper struct {
	*Graph
	local  descent.Local
	step   *block.Stepper
	scale  []mat.Real          // s of every node; nil where all are 1
	degree []mat.Real          // of every node; nil where scale tells what matters of it
	arrays [numbers][]mat.Real // nodes × width of a panel

	walk  block.Walk
	pulls pulls
	parts []part
	width int
}

// newSweeper relaxes states of panels so wide.
func newSweeper(g *Graph, l descent.Local, width int) (*sweeper, error) {
	w := &sweeper{Graph: g, walk: block.Walk{Store: g.Store}}
	for i := range w.arrays {
		w.arrays[i] = make([]mat.Real, g.Nodes*width)
		hugepage.Advise(w.arrays[i])
	}
	return w, w.use(l)
}

// use takes the numbers of an energy. Steps have the length 1/(w + 2 λ d s²): the curvature of F is at most 1/length in
// every direction, as L ≤ 2 diag(d s²).
func (w *sweeper) use(l descent.Local) (err error) {
	l.Rate = func(q float64) float64 { return 1 / max(l.Weight+q, 1e-12) }
	w.local = l
	w.pulls.use(l)
	if w.step, err = block.New(l); err != nil || w.scale != nil || w.degree != nil {
		return err
	}
	if w.scale, err = w.walk.Scales(w.Context, w.step); err != nil || w.scale != nil {
		return err
	}
	w.degree = make([]mat.Real, w.Nodes)
	return w.blocks(func(b block.Block) error {
		for r := range b.Rows() {
			w.degree[b.First+r] = mat.Real(b.Ptr[r+1] - b.Ptr[r])
		}
		return nil
	})
}

// blocks calls f with every block, its neighbours read.
func (w *sweeper) blocks(f func(b block.Block) error) error {
	return w.walk.Each(w.Context, w.step, w.scale, func(_ int, b block.Block) error { return f(b) })
}

// panel is the width that arrays have from now on.
func (w *sweeper) panel(width int) { w.width = width }

// array is one of them, nodes × width.
func (w *sweeper) array(i int) []mat.Real { return w.arrays[i][:w.Nodes*w.width] }

// pair is λ d s² of a node, where s² is 1, or 1/d of the symmetric normalisation.
func (w *sweeper) pair(v int) float64 {
	switch {
	case w.scale == nil:
		return w.local.Lambda * float64(w.degree[v])
	case w.scale[v] == 0: // no neighbours
		return 0
	}
	return w.local.Lambda
}

// part is what a pass over rows adds up; which numbers, says the pass.
type part struct{ slope, bend, norm, next, cross, size float64 }

func (p *part) add(q part) {
	p.slope, p.bend, p.norm = p.slope+q.slope, p.bend+q.bend, p.norm+q.norm
	p.next, p.cross, p.size = p.next+q.next, p.cross+q.cross, p.size+q.size
}

// inRows calls f with the rows lo to hi in pieces, on all threads, and adds up in their order.
func (w *sweeper) inRows(lo, hi int, f func(lo, hi int) part) (sum part) {
	w.parts = append(w.parts[:0], make([]part, (hi-lo+moveRows-1)/moveRows)...)
	kernel.Each(len(w.parts), &pass{lo, hi, f, w.parts})
	for _, p := range w.parts {
		sum.add(p)
	}
	return sum
}

// pass is an f over rows.
type pass struct {
	lo, hi int
	f      func(lo, hi int) part
	parts  []part
}

// Do is the i-th piece.
func (p *pass) Do(i int) {
	p.parts[i] = p.f(p.lo+i*moveRows, min(p.lo+(i+1)*moveRows, p.hi))
}

const moveRows = 1024

// norm is ‖x‖, in fixed pieces.
func (w *sweeper) norm(x []mat.Real) float64 {
	return math.Sqrt(w.inRows(0, w.Nodes, func(lo, hi int) (p part) {
		for _, v := range x[lo*w.width : hi*w.width] {
			p.norm += float64(v) * float64(v)
		}
		return p
	}).norm)
}
