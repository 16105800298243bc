package certify

import (
	"fmt"

	"github.com/bloomgml/bloom/descent"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/internal/solve"
)

// NewModel returns the descent as a Model without layers: its steps, for degrees up to most, or with 0 steps the
// minimiser of its energy.
func NewModel(l descent.Local, steps, most int) (m *Model, err error) {
	f := solve.NewForm(l)
	m = &Model{Steps: steps, Linear: f.Linear(), Start: f.Prox, Pi: make([][]float64, l.Pi.Cols())}
	for i, x := range l.Pi.Slice() {
		m.Pi[i%l.Pi.Cols()] = append(m.Pi[i%l.Pi.Cols()], float64(x))
	}
	if steps == 0 {
		m.Rule, err = Minimiser(l)
	} else {
		m.Rule, err = Descent(l, most)
	}
	return m, err
}

// Descent returns the step of a column of a descent as a Rule, for degrees up to most:
//
//	h ← prox( a h + b Σ_u s_u h_u + c φ(h − r) )      a, b, c and s by the degree, see descent.Local.Coefs
//
// As 0 ≤ φ′ ≤ 1 and c ≤ 0, it does not fall if h grows where a + c ≥ 0; the error says that it may.
func Descent(l descent.Local, most int) (Rule, error) {
	if l.Rate == nil {
		return Rule{}, fmt.Errorf("its step size depends on the whole graph; energy.descent.gamma must be a number")
	}
	f, by := solve.NewForm(l), make([]coefs, min(most, mostKept)+1)
	for d := range by {
		by[d] = newCoefs(l, float64(d))
	}
	at := func(d float64) coefs {
		if i := int(d); float64(i) == d && i < len(by) {
			return by[i]
		}
		return newCoefs(l, d)
	}
	for d := range most + 1 {
		if k := at(float64(d)); k.b < 0 || k.a+k.c < -1e-9 {
			return Rule{}, fmt.Errorf("its steps are too long: at a node of degree %d they overshoot the minimiser of "+
				"its row; energy.descent.gamma must be smaller, or energy.descent.sigma degree", d)
		}
	}
	before := func(k coefs, own, sum, r float64) float64 { return k.a*own + k.b*sum + k.c*f.Phi(own-r) }
	rule := Rule{Next: func(d, own, sum, r float64) float64 {
		return f.Prox(before(at(d), own, sum, r))
	}, Slope: func(d float64) (own, sum, r float64) {
		k := at(d)
		if f.Linear() {
			return max(k.a+k.c, 0), k.b, -k.c
		}
		return k.a, k.b, -k.c // 0 ≤ φ′ ≤ 1, and prox moves no two points apart
	}}
	if l.Norm == graph.Symmetric {
		rule.Heard = func(d float64) float64 { return at(d).s }
		return rule, nil
	}
	// h′ − h = −γσ (λ(d h − Σ) + wφ) where 1/γσ grows by m with d: an edge to h + (m/λ)(h′ − h) changes nothing
	m := 1/l.Rate(2*l.Own(1)) - 1/l.Rate(0)
	rule.Level = func(d, own, sum, r float64) float64 {
		return own + m/l.Lambda*(before(at(d), own, sum, r)-own)
	}
	return rule, nil
}

// coefs are the coefficients of descent.Local at a degree; they are kept up to the degree mostKept.
type coefs struct{ a, b, c, s float64 }

const mostKept = 1 << 16

func newCoefs(l descent.Local, d float64) (k coefs) {
	k.a, k.b, k.c, k.s = l.Coefs(d)
	return k
}

// Minimiser returns the minimiser of a column as a Rule: v = (w r + λ Σ v_u) / (w + λ d). κ must be quadratic, without
// η and without normalisation.
func Minimiser(l descent.Local) (Rule, error) {
	if !solve.NewForm(l).Linear() || l.Norm != graph.None {
		return Rule{}, fmt.Errorf("the worst case of the minimiser is known for quadratic energies alone, with norm " +
			"none and without η; without --minimiser, the steps of the run are certified")
	}
	next := func(d, _, sum, r float64) float64 { return (l.Weight*r + l.Lambda*sum) / (l.Weight + l.Lambda*d) }
	return Rule{Next: next, Level: next, Slope: func(d float64) (own, sum, r float64) {
		all := l.Weight + l.Lambda*d
		return 0, l.Lambda / all, l.Weight / all
	}}, nil
}

// mirror returns the rule for values of the other sign, whose lower bounds are upper bounds of f.
func (f Rule) mirror() Rule {
	return Rule{Heard: f.Heard, Slope: f.Slope, Next: func(d, own, sum, r float64) float64 {
		return -f.Next(d, -own, -sum, -r)
	}, Level: func(d, own, sum, r float64) float64 { return -f.Level(d, -own, -sum, -r) }}
}
