package mattest

import (
	"fmt"
	"math"

	"github.com/bloomgml/bloom/mat"
)

// kinds are all fused steps. The threshold is a multiple of 1/8, so that coarse numbers meet the
// kink exactly.
var kinds = []mat.StepKind{
	{Phi: mat.PhiSquare}, {Phi: mat.PhiHuber, T: 0.75}, {Phi: mat.PhiLogCosh},
	{Phi: mat.PhiSquare, NonNeg: true}, {Phi: mat.PhiHuber, T: 0.75, NonNeg: true}, {Phi: mat.PhiLogCosh, NonNeg: true},
}

// phi returns φ(r) and φ′(r).
func phi(k mat.StepKind, r float64) (value, slope float64) {
	switch k.Phi {
	case mat.PhiHuber:
		return clamp(r, float64(k.T)), inside(r, float64(k.T))
	case mat.PhiLogCosh:
		return math.Tanh(r), sech2(r, 0)
	}
	return r, 1
}

// prox returns max(z, 0) where h ≥ 0 is asked for.
func prox(k mat.StepKind, z float64) float64 {
	if k.NonNeg {
		return max(z, 0)
	}
	return z
}

// stepAt returns prox( a·h + b·s + c·φ(h − p) ): three products, two sums and φ, for which eight roundings
// are enough; h − p may cancel.
func stepAt(k mat.StepKind, h, s, p, a, b, c float64) near {
	f, _ := phi(k, h-p)
	size := math.Abs(a*h) + math.Abs(b*s) + math.Abs(c)*(math.Abs(h)+math.Abs(p))
	return rounded(prox(k, a*h+b*s+c*f), size, 13)
}

// checkStep: dst ← prox( a∘h + b∘s + c∘φ(h − p) ), without b∘s where s is nil.
func checkStep(s *suite) {
	for _, kind := range kinds {
		for i, shape := range s.some() {
			fill := []func(mat.Shape) grid{s.random, s.coarse}[i%2]
			s.step(fill(shape), fill(shape), fill(shape), kind, true)
			s.step(fill(shape), fill(shape), fill(shape), kind, false)
		}
	}
}

func (s *suite) step(h, sum, p grid, kind mat.StepKind, messages bool) {
	col := mat.Shape{Rows: h.Rows, Cols: 1}
	a, b, c := s.random(col), s.random(col), s.random(col)
	weight := indicator(messages)
	over := [][2]int{{0, 0}, {0, 1}, {0, 2}}
	if !messages {
		over = [][2]int{{0, 0}, {0, 2}}
	}
	s.try(trial{
		name: fmt.Sprintf("Step %+v, messages %v", kind, messages), in: []grid{h, sum, p, a, b, c},
		dst: []grid{junk(h.Shape)}, over: over,
		run: func(dst, in []*mat.Dense) {
			m := in[1]
			if !messages {
				m = nil
			}
			mat.Step(dst[0], in[0], m, in[2], in[3], in[4], in[5], kind)
		},
		want: alone(func(i, j int) near {
			return stepAt(kind, h.at(i, j), sum.at(i, j), p.at(i, j), a.at(i, 0), weight*b.at(i, 0), c.at(i, 0))
		}),
	})
}

// checkStepVJP: dh ← (a + c∘φ′)∘u, ds ← b∘u, dp ← −c∘φ′∘u with u = g or, for h ≥ 0, g∘[out > 0].
func checkStepVJP(s *suite) {
	for _, kind := range kinds {
		for _, shape := range s.some() {
			s.stepVJP(shape, kind, [3]bool{true, true, true})
			if shape.Len() < 1000 {
				s.stepVJP(shape, kind, [3]bool{true, false, false})
				s.stepVJP(shape, kind, [3]bool{false, true, false})
				s.stepVJP(shape, kind, [3]bool{false, false, true})
			}
		}
	}
}

// stepVJP asks for some of dh, ds and dp; the others are nil.
func (s *suite) stepVJP(shape mat.Shape, kind mat.StepKind, ask [3]bool) {
	col := mat.Shape{Rows: shape.Rows, Cols: 1}
	g, out, h, p := s.random(shape), s.coarse(shape), s.coarse(shape), s.coarse(shape)
	a, b, c := s.random(col), s.random(col), s.random(col)
	at := func(k, i, j int) near {
		u := g.at(i, j)
		if kind.NonNeg && !(out.at(i, j) > 0) {
			u = 0
		}
		_, slope := phi(kind, h.at(i, j)-p.at(i, j))
		ai, ci := a.at(i, 0), c.at(i, 0)
		v := [3]float64{(ai + ci*slope) * u, b.at(i, 0) * u, -ci * slope * u}[k]
		size := [3]float64{(math.Abs(ai) + math.Abs(ci)) * u, v, ci * u}[k]
		return rounded(v, size, 20) // 1 − tanh² has an absolute error, twice the error of tanh
	}
	var dst []grid
	var want []func(i, j int) near
	var over [][2]int
	for k := range ask {
		if ask[k] {
			over = append(over, [2]int{len(dst), 0})
			dst = append(dst, junk(shape))
			want = append(want, func(i, j int) near { return at(k, i, j) })
		}
	}
	s.try(trial{
		name: fmt.Sprintf("StepVJP %+v of %v", kind, ask), in: []grid{g, out, h, p, a, b, c}, dst: dst, over: over,
		want: want,
		run: func(dst, in []*mat.Dense) {
			var d [3]*mat.Dense
			for k := range ask {
				if ask[k] {
					d[k], dst = dst[0], dst[1:]
				}
			}
			mat.StepVJP(d[0], d[1], d[2], in[0], in[1], in[2], in[3], in[4], in[5], in[6], kind)
		},
	})
}
