package ad

import (
	"fmt"

	"github.com/bloomgml/bloom/mat"
)

// matmul is α·op(A)·op(B).
type matmul struct {
	t     mat.Trans
	alpha mat.Real
}

func (matmul) Name() string { return "matmul" }

func (o matmul) Shapes(in []mat.Shape) []mat.Shape {
	return []mat.Shape{mat.ProductShape(o.t, in[0], in[1])}
}

func (o matmul) Eval(out, in []*mat.Dense)    { mat.MatMul(out[0], in[0], in[1], o.t, o.alpha, 0) }
func (o matmul) EvalAdd(out, in []*mat.Dense) { mat.MatMul(out[0], in[0], in[1], o.t, o.alpha, 1) }
func (o matmul) scaled(c mat.Real) Op         { return matmul{o.t, c * o.alpha} }

// products are the four, as profiles show them.
var products = [...]string{mat.NN: "A·B", mat.TN: "Aᵀ·B", mat.NT: "A·Bᵀ", mat.TT: "Aᵀ·Bᵀ"}

// work counts 2·m·n·k.
func (o matmul) work(out, in []*mat.Dense) work {
	k := in[0].Cols()
	if o.t.Left() {
		k = in[0].Rows()
	}
	w := entrywise(out, in)
	w.shape = fmt.Sprintf("%v×%d %s", out[0].Shape(), k, products[o.t])
	w.flops = 2 * float64(out[0].Len()) * float64(k)
	return w
}

// VJP. With C = op(A)·op(B) and cotangent G:
//
//	NN: dA = G Bᵀ   dB = Aᵀ G        TN: dA = B Gᵀ   dB = A G
//	NT: dA = G B    dB = Gᵀ A        TT: dA = Bᵀ Gᵀ  dB = Gᵀ Aᵀ
func (o matmul) VJP(in, out, gs []Var) []Var {
	a, b, g := in[0], in[1], gs[0].scale(o.alpha)
	switch o.t {
	case mat.NN:
		return []Var{product(mat.NT, g, b), product(mat.TN, a, g)}
	case mat.TN:
		return []Var{product(mat.NT, b, g), product(mat.NN, a, g)}
	case mat.NT:
		return []Var{product(mat.NN, g, b), product(mat.TN, g, a)}
	}
	return []Var{product(mat.TT, b, g), product(mat.TT, g, a)}
}

// product returns op(a)·op(b).
func product(t mat.Trans, a, b Var) Var { return apply1(matmul{t, 1}, a, b) }

// MatMul returns the matrix product v·b.
func (v Var) MatMul(b Var) Var { return product(mat.NN, v, b) }

// TMatMul returns vᵀ·b.
func (v Var) TMatMul(b Var) Var { return product(mat.TN, v, b) }

// MatMulT returns v·bᵀ.
func (v Var) MatMulT(b Var) Var { return product(mat.NT, v, b) }

// transpose is xᵀ.
type transpose struct{}

func (transpose) Name() string               { return "transpose" }
func (transpose) Eval(out, in []*mat.Dense)  { mat.Transpose(out[0], in[0]) }
func (transpose) VJP(in, out, g []Var) []Var { return []Var{g[0].T()} }

func (transpose) Shapes(in []mat.Shape) []mat.Shape {
	return []mat.Shape{{Rows: in[0].Cols, Cols: in[0].Rows}}
}

// T returns vᵀ.
func (v Var) T() Var {
	return apply1(transpose{}, v)
}

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
