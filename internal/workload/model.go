package workload

import (
	"math"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/mat"
)

// lambda weighs the edges of all energies.
const lambda = 1

// builder collects the parameters of a model while its expression is written down.
type builder struct {
	shape  Shape
	g      *graph.Graph
	x      features
	clock  *ad.Clock
	params []*ad.Param
}

// param adds a parameter that starts uniform in ±1/√fan.
func (b *builder) param(name string, rows, cols, fan int) ad.Var {
	m := mat.New(rows, cols)
	bound := mat.Real(1 / math.Sqrt(float64(fan)))
	mat.Uniform(m, -bound, bound, mat.Mix(seed, uint64(len(b.params))))
	return b.own(name, m)
}

func (b *builder) own(name string, m *mat.Dense) ad.Var {
	p := ad.NewParam(name, m)
	b.params = append(b.params, p)
	return p.Var
}

// linear is x·W + b for a dense x.
func (b *builder) linear(name string, x ad.Var, out int) ad.Var {
	w := b.param(name+".W", x.Cols(), out, x.Cols())
	return x.MatMul(w).Add(b.param(name+".b", 1, out, x.Cols()))
}

// logits is the model's expression, n×classes.
func (b *builder) logits(e Energy) ad.Var {
	if e == GCN {
		return b.gcn()
	}
	p := b.input()
	var h ad.Var
	if e == Hetero {
		h = b.hetero(p)
	} else {
		h = b.separable(p, e)
	}
	return b.linear("head", h, b.shape.Classes)
}

// input is π(x; W) = relu(x W + b), with dropout on dense features.
func (b *builder) input() ad.Var {
	d := b.shape.Hidden
	if b.x.dense != nil {
		return b.linear("pi", ad.Const(b.x.dense).Dropout(0.5, b.clock, 0), d).ReLU()
	}
	f := b.shape.Features
	w, bias := b.param("pi.W", f, d, f), b.param("pi.b", 1, d, f)
	return ad.Propagate(b.x.sparse, w).Add(bias).ReLU()
}

// coefs are the coefficients of h − γM⁻¹(λ(D h − s) + φ(h − p)) as a fused step takes them, with
// M = 1 + λD:  a = 1 − γλD/M, b = γλ/M, c = −γ/M.
func (b *builder) coefs(gamma float64) ad.StepCoefs {
	deg := b.g.Degrees(graph.Either)
	var cols [3][]mat.Real
	for _, d := range deg {
		m := 1 + lambda*float64(d)
		cols[0] = append(cols[0], mat.Real(1-gamma*lambda*float64(d)/m))
		cols[1] = append(cols[1], mat.Real(gamma*lambda/m))
		cols[2] = append(cols[2], mat.Real(-gamma/m))
	}
	column := func(x []mat.Real) ad.Var { return ad.Const(mat.FromSlice(len(x), 1, x)) }
	return ad.StepCoefs{A: column(cols[0]), B: column(cols[1]), C: column(cols[2])}
}

// separable is the base or Huber energy: all steps are one operation.
func (b *builder) separable(p ad.Var, e Energy) ad.Var {
	kind := mat.StepKind{Phi: mat.PhiSquare}
	if e == Huber {
		kind = mat.StepKind{Phi: mat.PhiHuber, T: 1}
	}
	return ad.Descend(adjacency(b.g), p, p, b.coefs(1), b.shape.Steps, kind)
}

// hetero is the compatibility energy. With both directions of every edge its gradient is
//
//	λ( D H (C Cᵀ + I) − A H (C + Cᵀ) ) + φ(H − P)
//
// and the step is half the Jacobi step, cut to h ≥ 0.
func (b *builder) hetero(p ad.Var) ad.Var {
	adj, coefs := adjacency(b.g), b.coefs(0.5)
	c := b.own("C", mat.Eye(b.shape.Hidden))
	sum, gram := c.Add(c.T()), c.MatMulT(c)
	deg := b.degrees()
	kind := mat.StepKind{Phi: mat.PhiHuber, T: 1, NonNeg: true}
	h := p
	for range b.shape.Steps {
		s := ad.Propagate(adj, h).MatMul(sum).Sub(h.MatMul(gram).Mul(deg))
		h = ad.Step(h, s, p, coefs, kind)
	}
	return h
}

func (b *builder) degrees() ad.Var {
	deg := b.g.Degrees(graph.Either)
	d := make([]mat.Real, len(deg))
	for i, x := range deg {
		d[i] = mat.Real(x)
	}
	return ad.Const(mat.FromSlice(len(d), 1, d))
}

// gcn is two layers Â·dropout(h)·W + b, with ReLU between. The product with Â is taken where there
// are fewer columns.
func (b *builder) gcn() ad.Var {
	a := b.g.Normalize(graph.Symmetric, graph.AddLoops)
	adj, err := mat.NewSparse(a.Rows, a.Cols, a.Ptr, a.Idx)
	if err != nil {
		panic(err) // patterns of a graph are valid
	}
	conv := convolution{adj, ad.Const(mat.FromSlice(len(a.Weight), 1, a.Weight))}
	h := b.firstConv(conv).ReLU().Dropout(0.5, b.clock, 1)
	c := b.shape.Classes
	z := conv.apply(h, b.param("2.W", h.Cols(), c, h.Cols()))
	return z.Add(b.param("2.b", 1, c, h.Cols()))
}

func (b *builder) firstConv(conv convolution) ad.Var {
	f, d := b.shape.Features, b.shape.Hidden
	w, bias := b.param("1.W", f, d, f), b.param("1.b", 1, d, f)
	if b.x.dense != nil {
		return conv.apply(ad.Const(b.x.dense).Dropout(0.5, b.clock, 0), w).Add(bias)
	}
	ones := ad.Fill(mat.Shape{Rows: b.x.sparse.NNZ(), Cols: 1}, 1).Dropout(0.5, b.clock, 0)
	xw := ad.PropagateWeighted(b.x.sparse, ones, w)
	return ad.PropagateWeighted(conv.adj, conv.weights, xw).Add(bias)
}

// convolution is the normalised adjacency Â of a GCN.
type convolution struct {
	adj     *mat.Sparse
	weights ad.Var
}

// apply is Â·x·w.
func (c convolution) apply(x, w ad.Var) ad.Var {
	if w.Rows() < w.Cols() {
		return ad.PropagateWeighted(c.adj, c.weights, x).MatMul(w)
	}
	return ad.PropagateWeighted(c.adj, c.weights, x.MatMul(w))
}
