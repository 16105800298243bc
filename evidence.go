package bloom

import (
	"math"
	"slices"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/descent"
	"github.com/bloomgml/bloom/energy"
	"github.com/bloomgml/bloom/input"
	"github.com/bloomgml/bloom/mat"
)

// Evidence records what the descent behind a prediction did: predictions are only as credible as its convergence.
type Evidence struct {
	Steps    int       // L
	Energy   []float64 // Σ f + Σ κ after 0, 1, …, L steps; η, which every step keeps, is left out
	Moves    []float64 // ‖H⁽ˡ⁺¹⁾ − H⁽ˡ⁾‖ / ‖H⁽ˡ⁾‖ for l = 0, 1, …, L: how far each step moves, and one more
	Residual float64   // the last of Moves
	Apart    []float64 // ‖h_v − π(x_v)‖ of every node after L steps: whose neighbourhood overrules its features
}

// Drop returns the share of the energy that the descent took away.
func (e Evidence) Drop() float64 {
	first, last := e.Energy[0], e.Energy[len(e.Energy)-1]
	if first == 0 {
		return 0
	}
	return (first - last) / math.Abs(first)
}

// Evidence runs the descent on d, plus one more step.
func (m *Model) Evidence(d Data) (Evidence, error) {
	l, a := m.Lower(input.Evaluation(), d), m.algorithm()
	if err := descent.Check(a, l); err != nil {
		return Evidence{}, err
	}
	trace, moves, h := trace(a, l, m.L)
	apart := h.Sub(l.Pi).Square().SumCols().Sqrt()
	prog := ad.Compile(slices.Concat(trace, moves, []ad.Var{apart})...)
	if err := prog.Run(); err != nil {
		return Evidence{}, err
	}
	e := Evidence{Steps: m.L, Apart: column(prog.Value(apart))}
	for l := range trace {
		e.Energy = append(e.Energy, item(prog, trace[l]))
		e.Moves = append(e.Moves, item(prog, moves[l]))
	}
	e.Residual = e.Moves[m.L]
	return e, nil
}

// trace returns the energy after 0, 1, …, L steps, how far the next step moves from there, and H⁽ᴸ⁾.
func trace(a descent.Algorithm, l *energy.Lower, steps int) (energies, moves []ad.Var, h ad.Var) {
	s := a.Start(l.Feasible(l.Pi))
	for range steps + 1 {
		next := a.Step(l, s)
		size := s.H.Square().Sum().Shift(math.SmallestNonzeroFloat32)
		energies = append(energies, l.Total(s.H))
		moves = append(moves, next.H.Sub(s.H).Square().Sum().Div(size).Sqrt())
		s, h = next, s.H
	}
	return energies, moves, h
}

func item(prog *ad.Program, v ad.Var) float64 { return float64(prog.Value(v).Item()) }

// column copies an n×1 matrix to the host.
func column(x *mat.Dense) []float64 {
	buf := make([]mat.Real, x.Len())
	x.Read(buf)
	out := make([]float64, len(buf))
	for i, v := range buf {
		out[i] = float64(v)
	}
	return out
}
