package mattest

import (
	"math"

	"github.com/bloomgml/bloom/mat"
)

// Overview. The oracle runs the descent and its adjoint in float64 and carries along, for every
// number, a bound of the error that a Device may have made so far: what it inherits through the
// formula, plus the roundings of the formula itself. Where the bound reaches a kink (|h − p| = T, or
// z = 0 under h ≥ 0) the derivative may be either one, and the bound grows by their difference.

func abs(x float64) float64 { return math.Abs(x) }

// layer is what the adjoint needs of one step: φ′ and [z > 0], with how far each may be off.
type layer struct{ slope, keep []near }

// spread returns S·x or Sᵀ·x for a matrix of rows×cols numbers with bounds.
func (d descent) spread(x []near, transpose bool) []near {
	cols := d.h0.Cols
	sums, inherited := make([]sum, len(x)), make([]float64, len(x))
	d.entries(func(e, i, k int) {
		w := 1.0
		if d.weighted {
			w = d.val.at(e, 0)
		}
		if transpose {
			i, k = k, i
		}
		for j := range cols {
			from := x[k*cols+j]
			sums[i*cols+j].add(w * from.v)
			inherited[i*cols+j] += abs(w) * from.tol
		}
	})
	out := make([]near, len(x))
	for i, t := range sums {
		out[i] = t.near()
		out[i].tol += inherited[i]
	}
	return out
}

// forward returns h after all steps, and what they leave for the adjoint.
func (d descent) forward() ([]near, []layer) {
	h := make([]near, len(d.h0.v))
	for i, v := range d.h0.v {
		h[i] = near{v: float64(v)}
	}
	var layers []layer
	for range d.steps {
		s, next := d.spread(h, false), make([]near, len(h))
		l := layer{make([]near, len(h)), make([]near, len(h))}
		for at := range h {
			i := at / d.h0.Cols
			next[at], l.slope[at], l.keep[at] = d.step(h[at], s[at], float64(d.p.v[at]), i)
		}
		h, layers = next, append(layers, l)
	}
	return h, layers
}

// step returns one entry of row i after one step, with φ′ and [z > 0].
func (d descent) step(h, s near, p float64, i int) (out, slope, keep near) {
	a, b, c := d.a.at(i, 0), d.b.at(i, 0), d.c.at(i, 0)
	r := near{h.v - p, h.tol + 2*unit*(abs(h.v)+abs(p))}
	f, df := phi(d.kind, r.v)
	z := a*h.v + b*s.v + c*f
	tol := abs(a)*h.tol + abs(b)*s.tol + abs(c)*(r.tol+16*unit*abs(f)) + 10*unit*(abs(a*h.v)+abs(b*s.v)+abs(c*f))
	slope, keep = near{v: df}, near{v: 1}
	switch d.kind.Phi {
	case mat.PhiHuber:
		slope.tol = indicator(abs(abs(r.v)-float64(d.kind.T)) <= r.tol)
	case mat.PhiLogCosh:
		slope.tol = 0.77*r.tol + 24*unit // |d(1 − tanh²)| ≤ 0.77, and the roundings of 1 − tanh²
	}
	if d.kind.NonNeg {
		keep = near{indicator(z > 0), indicator(abs(z) <= tol)}
	}
	return near{prox(d.kind, z), tol}, slope, keep
}

// backward returns the derivative of Σ g∘h to h0 and to p.
func (d descent) backward() (dh0, dp []near) {
	_, layers := d.forward()
	g, dp := make([]near, len(d.g.v)), make([]near, len(d.g.v))
	for i, v := range d.g.v {
		g[i] = near{v: float64(v)}
	}
	for k := len(layers) - 1; k >= 0; k-- {
		l := layers[k]
		direct, message := make([]near, len(g)), make([]near, len(g))
		for at := range g {
			i := at / d.h0.Cols
			u := product(g[at], l.keep[at])
			cs := product(near{v: d.c.at(i, 0)}, l.slope[at])
			a := d.a.at(i, 0)
			direct[at] = product(near{a + cs.v, cs.tol + 2*unit*(abs(a)+abs(cs.v))}, u)
			message[at] = product(near{v: d.b.at(i, 0)}, u)
			own := product(cs, u)
			dp[at] = near{dp[at].v - own.v, dp[at].tol + own.tol + 2*unit*(abs(dp[at].v)+abs(own.v))}
		}
		back := d.spread(message, true)
		g = plus(direct, back)
	}
	return g, dp
}

// product returns x·y with its bound.
func product(x, y near) near {
	v := x.v * y.v
	return near{v, abs(x.v)*y.tol + x.tol*abs(y.v) + x.tol*y.tol + 2*unit*abs(v)}
}

// plus returns x + y, entry by entry.
func plus(x, y []near) []near {
	z := make([]near, len(x))
	for i := range z {
		z[i] = near{x[i].v + y[i].v, x[i].tol + y[i].tol + 2*unit*(abs(x[i].v)+abs(y[i].v))}
	}
	return z
}
