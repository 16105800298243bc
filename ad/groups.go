package ad

import "github.com/bloomgml/bloom/mat"

// groupMatMul is a product for every group of rows.
type groupMatMul struct {
	groups *mat.Groups
	t      mat.Trans
}

func (groupMatMul) Name() string  { return "groups" }
func (o groupMatMul) timed() bool { return o.groups.Batch() }

func (o groupMatMul) Shapes(in []mat.Shape) []mat.Shape {
	return []mat.Shape{o.groups.GroupShape(o.t, in[0], in[1])}
}

func (o groupMatMul) Eval(out, in []*mat.Dense) {
	mat.GroupMatMul(out[0], o.groups, in[0], in[1], o.t, 0)
}

func (o groupMatMul) EvalAdd(out, in []*mat.Dense) {
	mat.GroupMatMul(out[0], o.groups, in[0], in[1], o.t, 1)
}

// VJP. With cotangent G, group by group:
//
//	NN: dA = G Bᵀ  dB = Aᵀ G      NT: dA = G B  dB = Gᵀ A      TN: dA = B Gᵀ  dB = A G
func (o groupMatMul) VJP(in, out, gs []Var) []Var {
	a, b, g := in[0], in[1], gs[0]
	product := func(t mat.Trans, a, b Var) Var { return a.GroupMatMul(o.groups, b, t) }
	switch o.t {
	case mat.NN:
		return []Var{product(mat.NT, g, b), product(mat.TN, a, g)}
	case mat.NT:
		return []Var{product(mat.NN, g, b), product(mat.TN, g, a)}
	}
	return []Var{product(mat.NT, b, g), product(mat.NN, a, g)}
}

// GroupMatMul is a product for every group of rows of v. NN multiplies each group by its own matrix and NT by the
// transpose, with the matrices stacked in w; TN is vᵀ·w for every group of rows of both, with the products stacked.
func (v Var) GroupMatMul(groups *mat.Groups, w Var, t mat.Trans) Var {
	return apply1(groupMatMul{groups, t}, v, w)
}
