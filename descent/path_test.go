package descent_test

import (
	"errors"
	"math"
	"testing"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/descent"
	"github.com/bloomgml/bloom/energy"
	"github.com/bloomgml/bloom/graph"
)

// TestPathLayer: a step of size 1 on the reparameterised energy (eq: energy_nbf_phi) is the printed layer
// (eq:update_nbf_phi), with inverse edges among the neighbours:
//
//	a_v = Σ_(u,r)→v (h_u + e_r)        h_v ← max(0, Φ(a_v + x_v) + Ψh_v)
func TestPathLayer(t *testing.T) {
	const d, relations = 3, 4
	for seed := range uint64(5) {
		w := newWorld(t, 800+seed, 10, func(s *graph.Spec) {
			s.Undirected, s.Relations = false, relations
			for i := range s.Triples {
				s.Triples[i].R = int32(i % relations)
			}
		})
		symmetric := func(name string) *ad.Param {
			m := rowsOf(w.normal(d, d, 0.3))
			return ad.NewParam(name, denseOf(m.each(func(i, j int) float64 { return m[i][j] + m[j][i] })))
		}
		phi, psi := symmetric("Φ"), symmetric("Ψ")
		e, back := w.normal(relations, d, 1), w.normal(relations, d, 1)
		p := energy.Path{Phi: phi, Psi: psi, E: ad.Const(e), Inverse: ad.Const(back)}
		x, h0 := w.nodes(d, 1), w.nodes(d, 1)
		l := &energy.Lower{On: w.on, X: ad.Const(x), F: []energy.EdgeTerm{p.Edges()},
			Kappa: []energy.NodeTerm{p.Nodes()}, Eta: energy.NonNegative}
		got := after(t, descent.Proximal(descent.Forced(1), nil), l, h0, 2)

		h, in, forward, inverse := rowsOf(h0), rowsOf(x), rowsOf(e), rowsOf(back)
		mix, keep := rowsOf(phi.Value()), rowsOf(psi.Value())
		for range 2 {
			a, old := in.each(func(v, j int) float64 { return in[v][j] }), h
			for _, edge := range w.g.Triples() {
				for j := range d {
					a[edge.V][j] += old[edge.U][j] + forward[edge.R][j]
					a[edge.U][j] += old[edge.V][j] + inverse[edge.R][j]
				}
			}
			h = h.each(func(v, j int) (z float64) {
				for k := range d {
					z += mix[j][k]*a[v][k] + keep[j][k]*old[v][k]
				}
				return max(0, z)
			})
		}
		same(t, "path layer", got, h, 10*tolerance())
	}
}

// rectifiedByHand: a step of Rectified on the energy of what nodes receive is the layer of NBFNet, with messages to
// targets alone:
//
//	a_v = Σ_(u,r)→v h_u∘e_r + x_v        h_v ← h_v + max(0, s∘norm(a_v Φ + h_v Ψ + b) + t)
func rectifiedByHand(t *testing.T) {
	const d, relations = 4, 3
	w := newWorld(t, 900, 10, func(s *graph.Spec) {
		s.Undirected, s.Relations = false, relations
		for i := range s.Triples {
			s.Triples[i].R = int32(i % relations)
		}
	})
	param := func(name string, rows int) *ad.Param { return ad.NewParam(name, w.normal(rows, d, 0.7)) }
	phi, psi, e := param("Φ", d), param("Ψ", d), param("E", relations)
	bias, scale, shift := param("b", 1), param("s", 1), param("t", 1)
	a := descent.Rectified(bias, scale, shift)
	x, h0 := w.nodes(d, 1), w.nodes(d, 1)
	l := &energy.Lower{On: w.on, X: ad.Const(x)}
	l.F, l.Kappa = energy.Received{Message: energy.DistMult, Phi: phi, Psi: psi, E: e.Var}.Terms()
	got := after(t, a, l, h0, 2)

	h, in := rowsOf(h0), rowsOf(x)
	mix, keep, by := rowsOf(phi.Value()), rowsOf(psi.Value()), rowsOf(e.Value())
	b, s, up := rowsOf(bias.Value())[0], rowsOf(scale.Value())[0], rowsOf(shift.Value())[0]
	for range 2 {
		sum, old := in.each(func(v, j int) float64 { return in[v][j] }), h
		for _, edge := range w.g.Triples() {
			for j := range d {
				sum[edge.V][j] += old[edge.U][j] * by[edge.R][j]
			}
		}
		z := h.each(func(v, j int) float64 {
			z := b[j]
			for k := range d {
				z += sum[v][k]*mix[k][j] + old[v][k]*keep[k][j]
			}
			return z
		})
		h = h.each(func(v, j int) float64 {
			mean, variance := 0.0, 0.0
			for _, y := range z[v] {
				mean += y / d
			}
			for _, y := range z[v] {
				variance += (y - mean) * (y - mean) / d
			}
			return old[v][j] + max(0, (z[v][j]-mean)/math.Sqrt(variance+1e-5)*s[j]+up[j])
		})
	}
	same(t, "rectified layer", got, h, 100*tolerance()) // divided by deviations, some of which are small
	l.Eta = energy.NonNegative
	var no *descent.Unsuitable
	if err := descent.Check(a, l); !errors.As(err, &no) || len(descent.Params(a)) != 3 ||
		descent.Params(descent.Rectified(nil, nil, nil)) != nil {
		t.Errorf("with η: %v; parameters %v", err, descent.Params(a))
	}
}
