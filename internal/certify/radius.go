package certify

import (
	"math"

	"github.com/bloomgml/bloom/internal/kernel"
)

// Radius says how far rows of features may move, in the L2 norm, without a change of the class of a node; +Inf if any
// distance is too short.
type Radius struct {
	Own  float64 // the row of the node itself
	Near float64 // the rows of its neighbours, all of them together
}

// Radii returns the radii of nodes, with weights and edges as they are. If the rows of u move by δ_u, then
//
//	margin moves by at most Steep Σ_u P_vu ‖δ_u‖ ≤ Steep √(Σ_u P_vu²) ‖δ‖
//
// where P_vu bounds |∂v_v/∂r_u|. Where everything is linear, P and Steep are the derivatives and Own is exact: the row
// that moves straight to the rival by Own reaches it.
func (p *Problem) Radii(m *Model, class, nodes []int32) []Radius {
	z, least := p.outputs(m), single*m.scale()
	list := make([]Radius, len(nodes))
	const chunk = 64
	kernel.Each((len(nodes)+chunk-1)/chunk, doing(func(i int) {
		w := newWalk(p, m)
		for at := i * chunk; at < min((i+1)*chunk, len(nodes)); at++ {
			v := nodes[at]
			a, far := class[v], math.Inf(1)
			for b := range int32(len(z)) {
				if b != a {
					far = min(far, max(z[a][v]-z[b][v]-least, 0)/m.Steep(a, b))
				}
			}
			w.from(v)
			near := 0.0
			for _, u := range p.Near[v] {
				near += w.moved[u] * w.moved[u]
			}
			list[at] = Radius{far / w.moved[v], far / math.Sqrt(near)}
		}
	}))
	return list
}

// walk follows the terms of one value back to the r that they come from.
type walk struct {
	*Problem
	m          *Model
	moved      []float64 // P_vu of the node v that it began at last
	now, next  []float64
	here, then []int32 // where now and next are not 0
}

func newWalk(p *Problem, m *Model) *walk {
	n := len(p.Near)
	return &walk{Problem: p, m: m, moved: make([]float64, n), now: make([]float64, n), next: make([]float64, n)}
}

// faint is the share at which the terms of a fixed point end.
const faint = 1e-9

// from sets moved to the terms of node v: of its last step, of the step before, and so on. What a fixed point has left
// after faint is added to node v, to be safe.
func (w *walk) from(v int32) {
	clear(w.moved)
	clear(w.now)
	w.now[v], w.here = 1, append(w.here[:0], v)
	for k := 0; ; k++ {
		mass := 0.0
		for _, u := range w.here {
			mass += w.now[u]
		}
		switch {
		case w.m.Steps > 0 && k == w.m.Steps: // the start, which is r
			for _, u := range w.here {
				w.moved[u] += w.now[u]
			}
			return
		case w.m.Steps == 0 && mass < faint:
			w.moved[v] += mass
			return
		}
		w.back()
	}
}

// back goes one step back.
func (w *walk) back() {
	add := func(u int32, x float64) {
		if w.next[u] == 0 && x > 0 {
			w.then = append(w.then, u)
		}
		w.next[u] += x
	}
	for _, u := range w.here {
		own, sum, r := w.m.Rule.Slope(w.degree(u))
		x := w.now[u]
		w.now[u] = 0
		w.moved[u] += r * x
		add(u, own*x)
		for i, y := range w.Near[u] {
			add(y, sum*x*w.weight(u, i)*w.m.Rule.heard(w.degree(y)))
		}
	}
	w.now, w.next = w.next, w.now
	w.here, w.then = w.then, w.here[:0]
}
