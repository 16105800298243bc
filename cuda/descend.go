//go:build cuda && linux && (amd64 || arm64) && !f64

package cuda

import "github.com/bloomgml/bloom/mat"

// tape says how many bytes a step of a descent on a matrix of shape h keeps: bits, a byte for four entries, two or one,
// for which entries are inside the threshold and which positive, and φ′ for log-cosh.
type tape struct{ bits, slope int }

func tapeOf(h mat.Shape, k mat.StepKind) (t tape) {
	if k.Phi == mat.PhiHuber || k.NonNeg {
		t.bits = (h.Len()>>together(h.Cols) + 15) / 16 * 16
	}
	if k.Phi == mat.PhiLogCosh {
		t.slope = (4*h.Len() + 15) / 16 * 16
	}
	return t
}

// stepAt returns the addresses of the bits and of φ′ of step k, 0 for those that the tape does not keep.
func (t tape) stepAt(at uintptr, k int) (bits, slope uintptr) {
	if at == 0 {
		return 0, 0
	}
	at += uintptr(k * (t.bits + t.slope))
	if t.bits > 0 {
		bits = at
	}
	if t.slope > 0 {
		slope = at + uintptr(t.bits)
	}
	return bits, slope
}

func (d *device) TapeLen(h mat.Shape, c mat.Descent) int {
	t := tapeOf(h, c.Kind)
	return c.Steps * (t.bits + t.slope) / 4
}

func (d *device) Descend(dst, keep, h0, pi *mat.Dense, c mat.Descent) {
	defer d.enter().leave()
	n := dst.Len()
	if c.Steps == 0 || n == 0 {
		d.move(d.ptr(dst), d.ptr(h0), n)
		return
	}
	list, moved := side(c.S, false, c.Val)
	kind, t, nonneg := phi(c.Kind)
	room := d.scratch(4 * n)
	defer d.done(room)
	places := [2]uintptr{d.ptr(dst), d.use(room)}
	from, layout, at := d.ptr(h0), tapeOf(dst.Shape(), c.Kind), d.ptr(keep)
	for k := range c.Steps {
		to := places[(c.Steps-1-k)%2] // the last step ends in dst
		bits, slope := layout.stepAt(at, k)
		d.sumRows(d.kernels.Descend, list, dst.Shape(), moved, p(d.ptr(c.Val)), p(to), p(from),
			p(d.ptr(pi)), p(d.ptr(c.A)), p(d.ptr(c.B)), p(d.ptr(c.C)), p(bits), p(slope), kind, nonneg, t)
		from = to
	}
}

func (d *device) DescendVJP(dh0, dp, g, keep *mat.Dense, c mat.Descent) {
	defer d.enter().leave()
	n := g.Len()
	if c.Steps == 0 || n == 0 {
		d.unmoved(dh0, dp, g)
		return
	}
	rooms := [2]*block{d.scratch(4 * n), d.scratch(4 * n)}
	defer d.done(rooms[0])
	defer d.done(rooms[1])
	d.backward(d.ptr(dh0), d.ptr(dp), d.ptr(g), d.ptr(keep), [2]uintptr{d.use(rooms[0]), d.use(rooms[1])}, g.Shape(), c)
}

// unmoved is the adjoint of a descent without steps.
func (d *device) unmoved(dh0, dp, g *mat.Dense) {
	if dh0 == nil {
		d.move(d.ptr(dp), d.ptr(g), g.Len())
		return
	}
	d.move(d.ptr(dh0), d.ptr(g), g.Len())
	d.zero(d.ptr(dp), g.Len())
}

// backward is the adjoint of all steps, from the last to the first. What goes from one to the next is masked by the
// step that reads it; the two rooms hold it in turn.
func (d *device) backward(dh0, dp, u, at uintptr, rooms [2]uintptr, h mat.Shape, c mat.Descent) {
	list, moved := side(c.S, true, c.Val)
	layout := tapeOf(h, c.Kind)
	if bits, _ := layout.stepAt(at, c.Steps-1); c.Kind.NonNeg {
		d.launch(d.kernels.Positive, d.each(h.Len()), p(rooms[1]), p(u), p(bits), i(h.Len()), i(1<<together(h.Cols)))
		u = rooms[1]
	}
	for k := c.Steps - 1; k >= 0; k-- {
		bits, slope := layout.stepAt(at, k)
		before, _ := layout.stepAt(at, k-1)
		if k == 0 || !c.Kind.NonNeg {
			before = 0
		}
		if c.Kind.Phi != mat.PhiHuber {
			bits = 0
		}
		to := rooms[(c.Steps-1-k)%2]
		if k == 0 {
			to = dh0
		}
		d.sumRows(d.kernels.Back, list, h, moved, p(d.ptr(c.Val)), p(to), p(dp), p(u),
			p(d.ptr(c.A)), p(d.ptr(c.B)), p(d.ptr(c.C)), p(bits), p(before), p(slope), b(k == c.Steps-1),
			b(k == 0 && dh0 == 0))
		u = to
	}
}
