package node

import (
	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/input"
	"github.com/bloomgml/bloom/internal/solve"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/optim"
)

// Overview. The influence of training label j on m, a weighted sum of the logits of one node, is how far m moves if
// the loss of row j leaves ℓ_up and the parameters follow, to first order (Koh and Liang 2017):
//
//	Δ_j = ∇_θ m · H⁻¹ ∇_θ ℓ_j        H = Jᵀ S J + (decay + δ) I
//
// J is the Jacobian of all logits with respect to all trained parameters, through every step of the descent, and S the
// Hessian of the criterion with respect to logits. This is the Gauss-Newton matrix: positive definite wherever training
// stopped, which the Hessian is not. One system is solved for m; J H⁻¹∇m then has the influence of every label.

// damping is δ. Chosen: on Cora (base, 20 wrong answers of test nodes, 20 random tens of labels, trained again) values
// from 0 to 3e-5 predict alike, and larger ones worse.
const damping = 1e-5

// A solve ends at this ‖b − Hx‖/‖b‖, or after this number of products.
const (
	influenceResidual = 1e-4
	influenceSteps    = 300
)

// curvature is ℓ_up near the trained parameters.
type curvature struct {
	params  []*ad.Param
	vars    []ad.Var     // theirs
	decay   float64      // the weight of ½‖θ‖², for parameters that decay
	along   []*mat.Dense // x, a direction, in the shapes of params
	logits  ad.Var       // z, n×k
	product []ad.Var     // Jᵀ S J x
	image   ad.Var       // J x, n×k
	slope   ad.Var       // ∂ℓ_up/∂z, n×k: in every row what its label contributes
	times   *ad.Program  // of product
	read    *ad.Program  // of image and slope
}

// newCurvature writes the products down. J x is the derivative of ⟨Jᵀ u, x⟩ with respect to u.
func (t *Task) newCurvature() (*curvature, error) {
	z, err := t.network.Predict(input.Evaluation())
	if err != nil {
		return nil, err
	}
	now := ad.Compile(z)
	if err := now.Run(); err != nil {
		return nil, err
	}
	at := ad.Input(mat.FromSlice(z.Rows(), z.Cols(), now.Value(z).Slice())) // z as a constant of J
	up := t.Up(nil)
	c := &curvature{params: t.network.Params(), decay: t.Config.Train.WeightDecay, logits: z,
		slope: ad.Grad(up.Criterion.Of(at, up.Target), at)[0]}
	for _, p := range c.params {
		c.vars = append(c.vars, p.Var)
		c.along = append(c.along, mat.New(p.Rows(), p.Cols()))
	}
	u, inner := ad.Input(mat.New(z.Rows(), z.Cols())), ad.Number(0)
	for i, g := range ad.VJP(z, u, c.vars...) {
		inner = inner.Add(g.Mul(ad.Input(c.along[i])).Sum())
	}
	c.image = ad.Grad(inner, u)[0]
	c.product = ad.VJP(z, ad.Grad(c.slope.Mul(c.image).Sum(), at)[0], c.vars...)
	c.times, c.read = ad.Compile(c.product...), ad.Compile(c.image, c.slope)
	return c, nil
}

// gradient returns ∇_θ Σ_c weight_c z_vc, the parameters one after the other.
func (c *curvature) gradient(v int32, weight []float64) (list []float64, err error) {
	n, k := c.logits.Rows(), c.logits.Cols()
	row := make([]mat.Real, n*k)
	for j, w := range weight {
		row[int(v)*k+j] = mat.Real(w)
	}
	grads := ad.VJP(c.logits, ad.Const(mat.FromSlice(n, k, row)), c.vars...)
	prog := ad.Compile(grads...)
	if err := prog.Run(); err != nil {
		return nil, err
	}
	for _, g := range grads {
		for _, x := range prog.Value(g).Slice() {
			list = append(list, float64(x))
		}
	}
	return list, nil
}

// turn sets x.
func (c *curvature) turn(x []float64) {
	for _, a := range c.along {
		part := make([]mat.Real, a.Len())
		for i := range part {
			part[i] = mat.Real(x[i])
		}
		a.Write(part)
		x = x[len(part):]
	}
}

// multiply is dst ← H x.
func (c *curvature) multiply(dst, x []float64) error {
	c.turn(x)
	if err := c.times.Run(); err != nil {
		return err
	}
	at := 0
	for i, p := range c.params {
		diagonal := damping
		if optim.Decays(p) {
			diagonal += c.decay
		}
		for _, y := range c.times.Value(c.product[i]).Slice() {
			dst[at] = float64(y) + diagonal*x[at]
			at++
		}
	}
	return nil
}

// each returns Δ of every node, 0 for those whose labels teach nothing.
func (c *curvature) each(v int32, weight []float64) ([]float64, error) {
	g, err := c.gradient(v, weight)
	if err != nil {
		return nil, err
	}
	x := make([]float64, len(g))
	if _, err := solve.NewFloats(len(g), c.multiply).Solve(x, g, influenceResidual, influenceSteps); err != nil {
		return nil, err
	}
	c.turn(x)
	if err := c.read.Run(); err != nil {
		return nil, err
	}
	k, out := c.logits.Cols(), make([]float64, c.logits.Rows())
	slope := c.read.Value(c.slope).Slice()
	for i, y := range c.read.Value(c.image).Slice() {
		out[i/k] += float64(y) * float64(slope[i])
	}
	return out, nil
}
