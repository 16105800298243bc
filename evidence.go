package bloom

import (
	"math"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/descent"
	"github.com/bloomgml/bloom/energy"
	"github.com/bloomgml/bloom/input"
	"github.com/bloomgml/bloom/mat"
)

// Evidence is what the descent of one prediction did: predictions are believed as far as it converged.
type Evidence struct {
	Steps    int       // L
	Energy   []float64 // Σ f + Σ κ after 0, 1, …, L steps; η, which every step keeps, is left out
	Residual float64   // ‖H⁽ᴸ⁺¹⁾ − H⁽ᴸ⁾‖ / ‖H⁽ᴸ⁾‖: how far one more step would move
}

// Drop is the share of the energy that the descent took away.
func (e Evidence) Drop() float64 {
	first, last := e.Energy[0], e.Energy[len(e.Energy)-1]
	if first == 0 {
		return 0
	}
	return (first - last) / math.Abs(first)
}

// Converged reports whether one more step would move H by less than tol of its size.
func (e Evidence) Converged(tol float64) bool { return e.Residual < tol }

// Evidence runs the descent on d, and one step more.
func (m *Model) Evidence(d Data) (Evidence, error) {
	l, a := m.Lower(input.Evaluation(), d), m.algorithm()
	if err := descent.Check(a, l); err != nil {
		return Evidence{}, err
	}
	trace, moved := trace(a, l, m.L)
	prog := ad.Compile(append(trace, moved)...)
	if err := prog.Run(); err != nil {
		return Evidence{}, err
	}
	e := Evidence{Steps: m.L, Residual: item(prog, moved)}
	for _, v := range trace {
		e.Energy = append(e.Energy, item(prog, v))
	}
	return e, nil
}

// trace is the energy after every step, and how far step L+1 moves.
func trace(a descent.Algorithm, l *energy.Lower, steps int) (energies []ad.Var, moved ad.Var) {
	s := a.Start(l.Pi)
	energies = append(energies, l.Smooth(s.H))
	for range steps {
		s = a.Step(l, s)
		energies = append(energies, l.Smooth(s.H))
	}
	next := a.Step(l, s).H
	size := s.H.Square().Sum().Shift(math.SmallestNonzeroFloat32)
	return energies, next.Sub(s.H).Square().Sum().Div(size).Sqrt()
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
