package descent

import (
	"math"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/energy"
	"github.com/bloomgml/bloom/mat"
)

// Weights is gradient descent on the weights W of a linear model H = XW, as steps on H (eq:H_update_graph_MLP):
//
//	W ← W − γ Xᵀ∇        H ← H − γ X Xᵀ∇
//
// H stays in range(X) without a constraint, so η must be absent. For orthonormal X these are the steps of Proximal with
// energy.Range; for others they go to the same minimum by another way, along the large directions of X first.
func Weights(gamma StepSize) Algorithm { return weights{gamma} }

type weights struct {
	Gamma StepSize `key:"gamma"` // nil means Fixed(1)
}

// Start begins at W = 0, whatever h0 is: it need not be in range(X).
func (a weights) Start(h0 ad.Var) State { return State{H: ad.Fill(h0.Shape(), 0)} }

func (a weights) Step(l *energy.Lower, s State) State {
	gamma := ad.Number(1)
	if a.Gamma != nil {
		gamma = a.Gamma.Gamma(l, gram{}.Sigma(l, s.H), s)
	}
	w := l.X.TMatMul(l.Grad(s.H)).Mul(gamma)
	return State{H: s.H.Sub(l.X.MatMul(w)), Layer: s.Layer + 1}
}

// Check asks for features, for no η, and for γ·Lip ≤ 2.
func (a weights) Check(l *energy.Lower) error {
	if l.X.IsZero() || l.Eta != nil {
		return &Unsuitable{"Weights", "features X and no η"}
	}
	return a.rule(l).check(l)
}

func (a weights) rule(l *energy.Lower) rule        { return rule{paced{a.Gamma, gram{}}, descends(l), nil} }
func (a weights) Pace() (StepSize, Preconditioner) { return a.Gamma, nil }

// gram bounds X Xᵀ by a number per node. With M = |X||X|ᵀ and any z > 0,
//
//	Lip_W = λmax(Xᵀ∇²X) ≤ ρ(diag(q) M) ≤ max_v q_v (Mz)_v/z_v        where ∇² ⪯ diag(q)
//
// (Collatz and Wielandt), so σ_v = (Mz)_v/z_v takes the place of a preconditioner in step sizes. A few power iterations
// make z, and the bound, good; a floor keeps z positive.
type gram struct{}

// Sigma returns (Mz)/z, n×1.
func (gram) Sigma(l *energy.Lower, _ ad.Var) ad.Var {
	const iterations, floor = 6, 1e-3
	x := l.X.Map("abs", 0)
	z := ad.Fill(mat.Shape{Rows: x.Rows(), Cols: 1}, 1)
	for range iterations {
		z = x.MatMul(x.TMatMul(z))
		z = z.Mul(z.Dot(z).Sqrt().Shift(1e-30).Recip()).Shift(floor / math.Sqrt(float64(max(1, x.Rows()))))
	}
	return x.MatMul(x.TMatMul(z)).Mul(z.Recip())
}

func (gram) static() {}

func (a weights) Text(string) Text {
	return Text{"gradient descent on W", []string{"h_v ← h_v − γ row v of X Xᵀ g"}, []string{"H = XW, W = 0 at first"}}
}
