package live

import (
	"context"

	"github.com/bloomgml/bloom/mat"
)

// Part is a part of the energy of a node: what it costs, and the force with which it pulls at the node's row, −∂/∂h_v.
type Part struct {
	Energy float64
	Force  []float64
}

// Own is w Σ ρ(h_v − p), the part of the node itself if p were its π.
func (s *State) Own(v int32, p []mat.Real) Part { return s.form.pullTo(s.Row(v), p) }

func (f form) pullTo(h, p []mat.Real) Part {
	out := Part{Force: make([]float64, len(h))}
	for j := range h {
		z := float64(h[j]) - float64(p[j])
		out.Energy += f.Weight * f.Rho(z)
		out.Force[j] = -f.Weight * f.Phi(z)
	}
	return out
}

// Edge returns λ a/2 ‖h_v s_v − h_u s_u‖², the part of the edge between v and u, and its pull at v.
func (s *State) Edge(v, u int32) Part { return s.edge(s.Row, v, u, s.Weight(v, u)) }

// edge returns the part of an edge of weight a between v and u, whose rows are h(v) and h(u).
func (s *State) edge(h func(int32) []mat.Real, v, u int32, a float64) Part {
	out := Part{Force: make([]float64, s.cols)}
	sv, su := 1/s.form.root(s.list(v).degree), 1/s.form.root(s.list(u).degree)
	own, other := h(v), h(u)
	for j := range own {
		d := sv*float64(own[j]) - su*float64(other[j])
		out.Energy += s.form.Lambda * a / 2 * d * d
		out.Force[j] = -s.form.Lambda * a * sv * d
	}
	return out
}

// energy returns the energy of node v: its own energy and the energy of all its edges, where node u has the row h(u).
func (s *State) energy(h func(int32) []mat.Real, v int32) float64 {
	e := s.form.pullTo(h(v), s.Pi(v)).Energy
	l := s.list(v)
	for at, u := range l.near {
		e += s.edge(h, v, u, float64(l.weightAt(at))).Energy
	}
	return e
}

// watched is the maximum number of energies that SettleWatching returns; if there are more, every second one is left
// out.
const watched = 64

// SettleWatching works like Settle, with the energy of node v on the way: after 0, 1, …, L steps, or before the first
// row was solved for and whenever the row of v, or of a neighbour, had been.
func (s *State) SettleWatching(ctx context.Context, v int32) ([]float64, error) {
	seen, last := []float64{s.energy(s.Row, v)}, []float64{}
	s.watch = func(u int32) {
		if u != v && s.Weight(u, v) == 0 {
			return
		}
		if len(seen) == watched {
			for i := range watched / 2 {
				seen[i] = seen[2*i]
			}
			seen = seen[:watched/2]
		}
		seen = append(seen, s.energy(s.Row, v))
	}
	defer func() { s.watch = nil }()
	err := s.Settle(ctx)
	for l := range s.layers {
		last = append(last, s.energy(func(u int32) []mat.Real {
			o, i := s.owner(u)
			return span(o.layers[l], i, s.cols)
		}, v))
	}
	if s.form.steps == 0 {
		last = append(seen, s.energy(s.Row, v))
	}
	return last, err
}
