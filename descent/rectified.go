package descent

import (
	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/energy"
	"github.com/bloomgml/bloom/mat"
)

// Rectified is the residual step of NBFNet: downhill by the positive part of the normalised gradient,
//
//	h_v ← h_v + max(0, s∘norm(b − ∇_v) + t)
//
// where norm takes the mean of a row away and divides by its deviation. No γ and no bound: how far a step goes is
// trained.
type Rectified struct{ Bias, Scale, Shift *ad.Param } // b, s and t, 1×d; nil means 0, 1 and 0

var (
	_ Algorithm = Rectified{}
	_ checker   = Rectified{}
)

// Start begins at h0.
func (Rectified) Start(h0 ad.Var) State { return State{H: h0} }

// Step is one layer.
func (a Rectified) Step(l *energy.Lower, s State) State {
	return State{H: a.Move(s.H, l.Grad(s.H).Neg()), Layer: s.Layer + 1}
}

// normEps is added to the variance of a row.
const normEps = 1e-5

// Move is where the step leads from h, downhill being −∇.
func (a Rectified) Move(h, downhill ad.Var) ad.Var {
	row := mat.Shape{Rows: 1, Cols: h.Cols()}
	or := func(p *ad.Param, value float64) ad.Var {
		if p == nil {
			return ad.Fill(row, value)
		}
		return p.Var
	}
	return h.Add(downhill.NormReLU(or(a.Bias, 0), or(a.Scale, 1), or(a.Shift, 0), normEps))
}

// Check turns η down: the step has no prox.
func (Rectified) Check(l *energy.Lower) error {
	if l.Eta != nil {
		return &Unsuitable{"Rectified", "no η, and there is " + energy.NameOf(l.Eta)}
	}
	return nil
}

// Params are b, s and t where they are trained.
func (a Rectified) Params() (ps []*ad.Param) {
	for _, p := range []*ad.Param{a.Bias, a.Scale, a.Shift} {
		if p != nil {
			ps = append(ps, p)
		}
	}
	return ps
}

// text is the update.
func (Rectified) text(string) Text {
	return Text{"rectified gradient", []string{"h_v ← h_v + max(0, s∘norm(b − g_v) + t)"},
		[]string{"b, s and t trained, 0, 1 and 0 here; norm makes the mean of a row 0 and its deviation 1"}}
}
