package relax

import (
	"math"

	"github.com/bloomgml/bloom/descent"
	"github.com/bloomgml/bloom/internal/block"
	"github.com/bloomgml/bloom/mat"
)

// total adds the certificates of panels up.
type total struct {
	above, below float64 // squares
	sweeps       int
}

func (t *total) add(c Certificate, size float64) {
	t.above += c.Residual * c.Residual * size * size
	t.below += size * size
	t.sweeps = max(t.sweeps, c.Sweeps)
}

func (t *total) certificate() Certificate {
	return Certificate{Residual: ratio(math.Sqrt(t.above), math.Sqrt(t.below)), Sweeps: t.sweeps}
}

// descend relaxes the states h of π, which begin at π where there are none.
func (w *sweeper) descend(pi, h *states, most int) (Certificate, error) {
	var all total
	for k := range len(h.cut) - 1 {
		w.panel(h.width(k))
		x, p := w.array(itsState), w.array(itsOwn)
		if err := pi.load(k, p); err != nil {
			return Certificate{}, err
		}
		if h.blank(k) {
			copy(x, p)
		} else if err := h.load(k, x); err != nil {
			return Certificate{}, err
		}
		c, err := w.find(p, most)
		if err != nil {
			return Certificate{}, err
		}
		all.add(c, w.size(x))
		if err := h.save(k, x); err != nil {
			return Certificate{}, err
		}
	}
	return all.certificate(), nil
}

// find relaxes the states of a panel, the first array, for its π.
func (w *sweeper) find(pi []mat.Real, most int) (Certificate, error) {
	if w.local.Kind.NonNeg {
		return w.relax(pi, most)
	}
	return w.conjugate(pulled{w, pi}, most)
}

// steps are so many plain steps of l from π.
func (w *sweeper) steps(pi, h *states, l descent.Local, count int) error {
	step, err := block.New(l)
	if err != nil {
		return err
	}
	for k := range len(h.cut) - 1 {
		w.panel(h.width(k))
		x, y, p := w.array(itsState), w.array(itsGradient), w.array(itsOwn)
		if err := pi.load(k, p); err != nil {
			return err
		}
		copy(x, p)
		for range count {
			err := w.walk.Each(w.Context, step, w.scale, func(_ int, b block.Block) error {
				from, to := b.First*w.width, (b.First+b.Rows())*w.width
				return step.Step(y[from:to], x, p[from:to], w.scale, w.width, b)
			})
			if err != nil {
				return err
			}
			x, y = y, x
		}
		if err := h.save(k, x); err != nil {
			return err
		}
	}
	return nil
}

// adjoin relaxes the adjoint states of h, and puts ∂ℓ_up/∂π in the place of π. Where lambda is asked for, it returns
// ∂ℓ_up/∂λ too.
func (w *sweeper) adjoin(f *files, rows []int32, lambda bool, most int) (c Certificate, slope float64, err error) {
	var all total
	for k := range len(f.cut) - 1 {
		w.panel(f.h.width(k))
		x, q, m := w.array(itsState), w.array(itsOwn), w.array(itsPull)
		if err := w.curvature(f, k, q, x, m); err != nil {
			return Certificate{}, 0, err
		}
		if err := f.adjoint.load(k, x); err != nil {
			return Certificate{}, 0, err
		}
		hold(x, q)
		s := &curved{sweeper: w, q: q, up: func(g []mat.Real) error { return f.spread(k, rows, g, q) }}
		c, err := w.conjugate(s, most)
		if err != nil {
			return Certificate{}, 0, err
		}
		all.add(c, s.norm)
		if err := f.adjoint.save(k, x); err != nil {
			return Certificate{}, 0, err
		}
		if lambda {
			if err := f.h.load(k, m); err != nil {
				return Certificate{}, 0, err
			}
			more, err := w.slope(x, m)
			if err != nil {
				return Certificate{}, 0, err
			}
			slope += more
		}
		for i, v := range q {
			if m[i] = 0; v > flat*mat.Real(w.local.Weight) {
				m[i] = v * x[i]
			}
		}
		if err := f.pi.save(k, m); err != nil {
			return Certificate{}, 0, err
		}
	}
	return all.certificate(), slope, nil
}

// flat is the part of w that the curvature of κ counts as where it is less. Where Huber is flat in all of a connected
// component of the graph, S has no bound; π has no effect there then.
//
// Chosen: 1e-4. What of S is larger than 10⁴ times ∂ℓ_up/∂H drowns in the rounding of sums over neighbours.
const flat = 1e-4

// curvature fills q with w φ′(h − π), and with −1 where η holds h; h and p are room.
func (w *sweeper) curvature(f *files, k int, q, h, p []mat.Real) error {
	if err := f.h.load(k, h); err != nil {
		return err
	}
	if err := f.pi.load(k, p); err != nil {
		return err
	}
	w.pulls.slopes(q, h, p, w.width)
	for i, v := range h {
		if q[i] = max(q[i], flat*mat.Real(w.local.Weight)); w.local.Kind.NonNeg && v <= 0 {
			q[i] = -1
		}
	}
	return nil
}

// hold puts x to 0 where η holds.
func hold(x, q []mat.Real) {
	for i, v := range q {
		if v < 0 {
			x[i] = 0
		}
	}
}

// spread fills g with ∂ℓ_up/∂h of the rows that train, 0 for others and where η holds.
func (f *files) spread(k int, rows []int32, g, q []mat.Real) error {
	clear(g)
	w, d := f.h.width(k), f.h.columns()
	some := make([]mat.Real, pieceRows*d)
	for i := range len(f.up.first) - 1 {
		first, end := f.up.first[i], f.up.first[i+1]
		x := some[:(end-first)*d]
		if err := f.up.get(0, i, x); err != nil {
			return err
		}
		for r, v := range rows[first:end] {
			copy(g[int(v)*w:(int(v)+1)*w], x[r*d+f.cut[k]:])
		}
	}
	hold(g, q)
	return nil
}

// slope is −⟨s, ∂∇F/∂λ⟩ = −Σ_v ⟨s_v, d s² h_v − s Σ_u s_u h_u⟩ of a panel.
func (w *sweeper) slope(s, h []mat.Real) (sum float64, err error) {
	err = w.blocks(func(b block.Block) error {
		heard, err := w.step.Hear(h, w.scale, w.width, b)
		if err != nil {
			return err
		}
		for r := range b.Rows() {
			d := b.Ptr[r+1] - b.Ptr[r]
			scale := float64(w.step.Scale(int(d)))
			for j := range w.width {
				at := (b.First+r)*w.width + j
				pull := float64(d)*scale*scale*float64(h[at]) - scale*float64(heard[r*w.width+j])
				sum -= float64(s[at]) * pull
			}
		}
		return nil
	})
	return sum, err
}
