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
// trained. b, s and t are 1×d; nil means 0, 1 and 0.
func Rectified(b, s, t *ad.Param) Algorithm { return rectified{b, s, t} }

type rectified struct{ bias, scale, shift *ad.Param }

var (
	_ Algorithm = rectified{}
	_ Checked   = rectified{}
)

func (rectified) Start(h0 ad.Var) State { return State{H: h0} }

func (a rectified) Step(l *energy.Lower, s State) State {
	return State{H: Rectify(s.H, l.Grad(s.H).Neg(), a.bias, a.scale, a.shift), Layer: s.Layer + 1}
}

// normEps is added to the variance of a row.
const normEps = 1e-5

// Rectify returns where a step of Rectified leads from h, downhill being −∇.
func Rectify(h, downhill ad.Var, b, s, t *ad.Param) ad.Var {
	row := mat.Shape{Rows: 1, Cols: h.Cols()}
	or := func(p *ad.Param, value float64) ad.Var {
		if p == nil {
			return ad.Fill(row, value)
		}
		return p.Var
	}
	return h.Add(downhill.Norm(or(b, 0), or(s, 1), or(t, 0), normEps, true))
}

// Check refuses an η: the step has no prox.
func (rectified) Check(l *energy.Lower) error {
	if l.Eta != nil {
		return &Unsuitable{"Rectified", "no η, and there is " + energy.NameOf(l.Eta)}
	}
	return nil
}

// Params returns b, s and t if they are trained.
func (a rectified) Params() (ps []*ad.Param) {
	for _, p := range []*ad.Param{a.bias, a.scale, a.shift} {
		if p != nil {
			ps = append(ps, p)
		}
	}
	return ps
}

func (rectified) Text(string) Text {
	return Text{"rectified gradient", []string{"h_v ← h_v + max(0, s∘norm(b − g_v) + t)"},
		[]string{"b, s and t trained, 0, 1 and 0 here; norm makes the mean of a row 0 and its deviation 1"}}
}
