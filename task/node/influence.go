package node

import (
	"cmp"
	"math"
	"slices"

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

// partInfluence is an edge, or the row of features of a node where Target is empty.
type partInfluence struct {
	Source string  `json:"source"`
	Target string  `json:"target,omitempty"`
	Change float64 `json:"change"` // of the sum without it, to first order, with the parameters as they are
}

// withoutParts returns how Σ_c weight_c z_vc changes to first order without each of the edges, and without the features
// of each of the nodes, by the exact derivative through all steps of the descent:
//
//	−w_e ∂m/∂w_e        −⟨x_u, ∂m/∂x_u⟩
//
// nil where answers are no function of weights of edges, as those of baselines.
func (t *Task) withoutParts(v int32, weight []float64) (edges, nodes []float64, err error) {
	d := t.On
	if t.Stack == nil || t.forest != nil || d.On.Graph.NumEdges() == 0 {
		return nil, nil, nil
	}
	for _, l := range t.Stack.Levels {
		if l.Edges != nil { // which weigh them by themselves
			return nil, nil, nil
		}
	}
	w := slices.Repeat([]mat.Real{1}, d.On.Graph.NumEdges())
	if own := d.On.Graph.Weights(); own != nil {
		copy(w, own)
	}
	along := []ad.Var{ad.Input(mat.FromSlice(len(w), 1, w))}
	d.On = d.On.Reweighted(along[0])
	values, at := d.X.Entries()
	if !values.IsZero() {
		x := ad.Eval(values)
		along = append(along, ad.Input(mat.FromSlice(x.Rows(), x.Cols(), x.Slice())))
		d.X = d.X.With(along[1])
	}
	z, err := t.Stack.Predict(input.Evaluation(), d)
	if err != nil {
		return nil, nil, err
	}
	row := make([]mat.Real, z.Rows()*z.Cols())
	for c, x := range weight {
		row[int(v)*z.Cols()+c] = mat.Real(x)
	}
	slopes := ad.VJP(z, ad.Const(mat.FromSlice(z.Rows(), z.Cols(), row)), along...)
	prog := ad.Compile(slopes...)
	if err := prog.Run(); err != nil {
		return nil, nil, err
	}
	edges, nodes = make([]float64, len(w)), make([]float64, z.Rows())
	for e, s := range prog.Value(slopes[0]).Slice() {
		edges[e] = -float64(w[e]) * float64(s)
	}
	if len(along) == 1 {
		return edges, nil, nil
	}
	each := ad.Eval(along[1].Mul(ad.Const(prog.Value(slopes[1])))) // of every entry
	if at != nil {
		ones := ad.Fill(mat.Shape{Rows: at.Shape().Cols, Cols: 1}, 1)
		each = ad.Eval(ad.Propagate(at, ad.Const(each), ones))
	}
	for i, x := range each.Slice() {
		nodes[i/each.Cols()] -= float64(x)
	}
	return edges, nodes, nil
}

// addParts fills in the edges and rows whose absence changes the sum most, at most top of each.
func (i *Influence) addParts(t asked, v int32, q question, last func(float64) float64, top int) error {
	edges, nodes, err := t.withoutParts(v, q.weight)
	if err != nil {
		return err
	}
	i.Edges = strongest(edges, top, func(e int) partInfluence {
		x := t.On.On.Graph.Edge(int32(e))
		return partInfluence{t.Data.NodeName(x.U), t.Data.NodeName(x.V), last(edges[e])}
	})
	i.Rows = strongest(nodes, top, func(u int) partInfluence {
		return partInfluence{Source: t.Data.NodeName(int32(u)), Change: last(nodes[u])}
	})
	return nil
}

// strongest names the parts with the largest changes, at most top; 0 means all that change anything.
func strongest(changes []float64, top int, name func(int) partInfluence) []partInfluence {
	order := make([]int, 0, len(changes))
	for k, x := range changes {
		if x != 0 {
			order = append(order, k)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(math.Abs(changes[b]), math.Abs(changes[a])) })
	if top > 0 {
		order = order[:min(top, len(order))]
	}
	list := []partInfluence{}
	for _, k := range order {
		list = append(list, name(k))
	}
	return list
}
