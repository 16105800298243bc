package relax

import (
	"math"

	"github.com/bloomgml/bloom/internal/block"
	"github.com/bloomgml/bloom/internal/solve"
	"github.com/bloomgml/bloom/mat"
)

// problem is what conjugate gradients solve: ∇F(x) = 0 for a smooth convex F(x) = λ/2 ⟨x, Lx⟩ + K(x), of which K is a
// sum over entries. All matrices are nodes × width; rows are those of nodes lo to hi.
type problem interface {
	// begin is called before gradients; m is room.
	begin(m []mat.Real) error
	// gradient adds ∇K(x) to e = λLx of some rows.
	gradient(e, x, m []mat.Real, lo, hi int)
	// bend is ⟨p, (λL + C) p⟩ of some rows, where no curvature of K exceeds C; m is λLp. Where C never changes it may
	// be put into m, and move need not ask for ∇K.
	bend(p, m, x []mat.Real, lo, hi int) float64
	// move adds α p to x and ∇F(x + αp) − ∇F(x) to e, and returns the norms of both, of some rows.
	move(alpha mat.Real, x, e, p, m []mat.Real, lo, hi int) part
	// rates are 1/k of the entries of node v.
	rates(v int, dst []mat.Real)
	// size is what ‖∇F(x)‖ is compared with, for the ‖x‖ of now.
	size(x float64) float64
}

// conjugate solves a problem from x on, until its certificate is good or there were enough sweeps.
//
// Overview: conjugate gradients of solve, with the diagonal k of λL and of the curvature of K, or of a bound of it, as
// the preconditioner. C bounds the curvature all along p, so that F never rises; for the adjoint it is the curvature,
// and these are the linear conjugate gradients. The gradient e follows from what was added to it, and is computed anew
// before convergence is declared; where it is no longer half of what it was then, the rest is rounding.
func (w *sweeper) conjugate(s problem, most int) (c Certificate, err error) {
	d := &direction{w, s, w.array(itsState), w.array(itsGradient), w.array(itsDirection), w.array(itsPull)}
	for was := math.Inf(1); ; was = c.Residual {
		now, err := w.gradient(s, d.x, d.e, d.m)
		if err != nil {
			return c, err
		}
		c.Sweeps++
		c.Residual = ratio(math.Sqrt(now.norm), s.size(math.Sqrt(now.size)))
		if c.Residual <= w.tolerance() || c.Sweeps >= most || !(c.Residual < was/2) {
			return c, nil
		}
		clear(d.p)
		steps, _, err := solve.Conjugate(d, []solve.Column{{Size: now.next}}, most-c.Sweeps)
		if err != nil {
			return c, err
		}
		c.Sweeps += steps
	}
}

// direction is a problem on its way: the state x, its gradient e, the direction p, and λLp.
type direction struct {
	w          *sweeper
	s          problem
	x, e, p, m []mat.Real
}

var _ solve.Problem = (*direction)(nil)

// Turn is p ← β p − e/k.
func (d *direction) Turn(c []solve.Column) error {
	c[0].Slope = -d.w.direct(d.s, d.e, d.p, c[0].Beta, 0, d.w.Nodes)
	return nil
}

// Curve is ⟨p, (λL + C) p⟩; m is λLp from then on.
func (d *direction) Curve(c []solve.Column) (err error) {
	sum := 0.0
	err = d.w.heard(d.p, d.m, func(lo, hi int) { sum += d.s.bend(d.p, d.m, d.x, lo, hi) })
	c[0].Curve = sum
	return err
}

// Move follows x with e, until e is short enough to be computed anew.
func (d *direction) Move(c []solve.Column) (solved bool, err error) {
	now := d.s.move(mat.Real(c[0].Alpha), d.x, d.e, d.p, d.m, 0, d.w.Nodes)
	c[0].Size, c[0].Cross = now.next, now.cross
	return !(math.Sqrt(now.norm) > enough*d.w.tolerance()*d.s.size(math.Sqrt(now.size))), nil
}

// enough is what part of the tolerance the gradient that was followed must have reached to be computed anew.
const enough = 0.9

// heard calls f with the rows lo to hi of every block, in whose place m has λLx then.
func (w *sweeper) heard(x, m []mat.Real, f func(lo, hi int)) error {
	return w.blocks(func(b block.Block) error {
		if err := w.hear(x, m, b); err != nil {
			return err
		}
		f(b.First, b.First+b.Rows())
		return nil
	})
}

// hear writes λLx of a block to m.
func (w *sweeper) hear(x, m []mat.Real, b block.Block) error {
	near, err := w.step.Hear(x, w.scale, w.width, b)
	if err != nil {
		return err
	}
	w.inRows(b.First, b.First+b.Rows(), func(lo, hi int) part {
		for v := lo; v < hi; v++ {
			own, off := w.coefs(v)
			to, x, near := m[v*w.width:(v+1)*w.width], x[v*w.width:], near[(v-b.First)*w.width:]
			for j := range to {
				to[j] = own*x[j] - off*near[j]
			}
		}
		return part{}
	})
	return nil
}

// coefs are λ d s² and λ s of a node: (λLx)_v = λ d s² x_v − λ s Σ_u s_u x_u.
func (w *sweeper) coefs(v int) (own, off mat.Real) {
	off = mat.Real(w.local.Lambda)
	if w.scale != nil {
		off *= w.scale[v]
	}
	return mat.Real(w.pair(v)), off
}

// gradient writes ∇F(x) to e.
func (w *sweeper) gradient(s problem, x, e, m []mat.Real) (all part, err error) {
	if err := s.begin(m); err != nil {
		return all, err
	}
	err = w.heard(x, e, func(lo, hi int) {
		s.gradient(e, x, m, lo, hi)
		all.add(w.inRows(lo, hi, func(lo, hi int) (p part) {
			rates := make([]mat.Real, w.width)
			for v := lo; v < hi; v++ {
				s.rates(v, rates)
				x, sum := x[v*w.width:(v+1)*w.width], sums{}
				for j, now := range e[v*w.width : (v+1)*w.width] {
					sum.add(now, 0, x[j], rates[j])
				}
				p.add(sum.part())
			}
			return p
		}))
	})
	return all, err
}

// sums are what the entries of a row add to a part: of e, of what was added to it, and of x.
type sums struct{ norm, next, cross, size mat.Real }

func (s *sums) add(e, on, x, rate mat.Real) {
	s.norm += e * e
	s.next += e * e * rate
	s.cross += e * on * rate
	s.size += x * x
}

func (s *sums) part() part {
	return part{norm: float64(s.norm), next: float64(s.next), cross: float64(s.cross), size: float64(s.size)}
}

// direct is p ← β p − e/k, and ⟨e, p⟩, of some rows.
func (w *sweeper) direct(s problem, e, p []mat.Real, beta float64, lo, hi int) float64 {
	b := mat.Real(beta)
	return w.inRows(lo, hi, func(lo, hi int) (sum part) {
		rates := make([]mat.Real, w.width)
		for v := lo; v < hi; v++ {
			s.rates(v, rates)
			e, p, along := e[v*w.width:(v+1)*w.width], p[v*w.width:(v+1)*w.width], mat.Real(0)
			for j, rate := range rates {
				to := b*p[j] - rate*e[j]
				p[j] = to
				along += to * e[j]
			}
			sum.slope += float64(along)
		}
		return sum
	}).slope
}
