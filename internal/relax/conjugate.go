package relax

import (
	"math"

	"github.com/bloomgml/bloom/internal/block"
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
// Overview: preconditioned conjugate gradients of Polak and Ribière, dropped where they turn back. With k the diagonal
// of λL and the curvature of K, or a bound of it, and the gradient e,
//
//	p ← β p − e/k     α = −⟨e, p⟩ / ⟨p, (λL + C) p⟩     x ← x + α p     β = max(0, ⟨e′, (e′ − e)/k⟩ / ⟨e, e/k⟩)
//
// C bounds the curvature all along p, so that F never rises; for the adjoint it is the curvature, and these are the
// linear conjugate gradients. e follows from what was added to it, and is computed anew before it is believed; where it
// is no longer half of what it was then, the rest is rounding.
func (w *sweeper) conjugate(s problem, most int) (c Certificate, err error) {
	x, e, p, m := w.array(itsState), w.array(itsGradient), w.array(itsDirection), w.array(itsPull)
	for was := math.Inf(1); ; was = c.Residual {
		now, err := w.gradient(s, x, e, m)
		if err != nil {
			return c, err
		}
		c.Sweeps++
		size := s.size(math.Sqrt(now.size))
		c.Residual = ratio(math.Sqrt(now.norm), size)
		if c.Residual <= w.tolerance() || c.Sweeps >= most || !(c.Residual < was/2) {
			return c, nil
		}
		clear(p)
		for beta := 0.0; c.Sweeps < most && math.Sqrt(now.norm) > enough*w.tolerance()*size; c.Sweeps++ {
			slope := w.direct(s, e, p, beta, 0, w.Nodes)
			if slope >= 0 {
				slope = w.direct(s, e, p, 0, 0, w.Nodes)
			}
			bend, err := w.bend(s, x, p, m)
			if err != nil {
				return c, err
			}
			if !(bend > 0) {
				break
			}
			before := now.next
			now = s.move(mat.Real(-slope/bend), x, e, p, m, 0, w.Nodes)
			size = s.size(math.Sqrt(now.size))
			beta = max(0, now.cross/before)
		}
	}
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

// bend writes λLp to m, and returns ⟨p, (λL + C) p⟩.
func (w *sweeper) bend(s problem, x, p, m []mat.Real) (sum float64, err error) {
	err = w.heard(p, m, func(lo, hi int) { sum += s.bend(p, m, x, lo, hi) })
	return sum, err
}
