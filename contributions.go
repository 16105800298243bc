package bloom

import (
	"fmt"
	"math"
	"slices"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/input"
	"github.com/bloomgml/bloom/mat"
)

// Contributions splits a number computed from the logits of one node exactly: Base, Own, Others and Rest add up to
// Total. They are path integrals from the usual feature rows to the actual rows,
//
//	c_uj = (x_uj − x̄_uj) ∫₀¹ ∂m/∂x_uj (x̄ + t(x − x̄)) dt    Σ_uj c_uj = m(x) − m(x̄)
//
// (Aumann and Shapley's values, integrated gradients): the only way to divide a smooth m among its arguments that
// adds up regardless of their order. x̄ is the mean of a column, or 0 if features are sparse. If nodes have no
// features, or m is not a smooth function of them, rows of π replace the features.
type Contributions struct {
	Base   float64   // m if all rows are usual: the answer for a node about which nothing is known
	Own    []float64 // c_vj of the columns j of the node itself; one number where rows of π take the place of features
	Others []float64 // Σ_j c_uj of every node u, 0 at v
	Rest   float64   // what the quadrature of the integral lacks
	Total  float64   // m
}

// Sum returns Base, Own, Others and Rest together.
func (c *Contributions) Sum() float64 {
	sum := c.Base + c.Rest
	for _, list := range [][]float64{c.Own, c.Others} {
		for _, x := range list {
			sum += x
		}
	}
	return sum
}

// Quadrature starts with fewestPoints midpoints of [0, 1] and doubles them while Rest exceeds a share of what is
// divided: nearly, and from manyPoints on, where each node costs seconds, tolerable, up to mostPoints.
const (
	fewestPoints = 8
	manyPoints   = 64
	mostPoints   = 256
	nearly       = 0.01
	tolerable    = 0.04
)

// Contributions splits m = Σ_c weight_c z_vc, where z are the logits of node v on d.
func (s *Stack) Contributions(d Data, v int32, weight []float64) (*Contributions, error) {
	if values, _ := d.X.Entries(); !values.IsZero() {
		return ContributionsOf(d.X, func(x input.Features) (ad.Var, error) {
			d.X = x
			return s.Predict(input.Evaluation(), d)
		}, v, weight)
	}
	in := *s
	in.Levels = slices.Clone(s.Levels)
	first := &in.In
	if s.In == nil {
		first = &in.Levels[0].Pi
	}
	rows := input.Dense(ad.Eval((*first).Forward(input.Evaluation(), d.X)))
	return ContributionsOf(rows, func(x input.Features) (ad.Var, error) {
		at, _ := x.Entries()
		*first = given{at}
		return in.Predict(input.Evaluation(), d)
	}, v, weight)
}

// ContributionsOf splits m = Σ_c weight_c z_vc, where z are the logits that predict computes from features.
func ContributionsOf(x input.Features, predict func(input.Features) (ad.Var, error), v int32,
	weight []float64) (*Contributions, error) {
	p, n := newPath(x), x.Shape().Rows
	z, err := predict(x.With(p.at))
	if err != nil {
		return nil, err
	}
	if v < 0 || int(v) >= n || len(weight) != z.Cols() {
		return nil, fmt.Errorf("bloom: node %d of %d, and %d weights for %d logits", v, n, len(weight), z.Cols())
	}
	w := make([]mat.Real, len(weight))
	for c, x := range weight {
		w[c] = mat.Real(x)
	}
	at := mat.MustIndex([]int32{v}, n)
	m := z.Gather(at).Mul(ad.Const(mat.FromSlice(1, len(w), w))).Sum()
	each := ad.Grad(m, p.at)[0].Mul(ad.Const(p.far)) // of every entry
	prog := ad.Compile(m, each)
	value := func(t float64) (float64, error) {
		p.move(t)
		if err := prog.Run(); err != nil {
			return 0, err
		}
		x := item(prog, m)
		if math.IsNaN(x - x) {
			return 0, fmt.Errorf("bloom: the logits of node %d are not finite", v)
		}
		return x, nil
	}
	out := &Contributions{}
	if out.Base, err = value(0); err != nil {
		return nil, err
	}
	if out.Total, err = value(1); err != nil {
		return nil, err
	}
	for points := fewestPoints; ; points *= 2 {
		sum := make([]float64, p.far.Len())
		for k := range points {
			if _, err := value((float64(k) + 0.5) / float64(points)); err != nil {
				return nil, err
			}
			for i, x := range column(prog.Value(each)) {
				sum[i] += x / float64(points)
			}
		}
		p.divide(out, sum, v, n)
		share := nearly
		if points >= manyPoints {
			share = tolerable
		}
		if math.Abs(out.Rest) <= share*math.Abs(out.Total-out.Base) || points >= mostPoints {
			return out, nil
		}
	}
}

// path is x̄ + t(x − x̄).
type path struct {
	at     ad.Var      // x̄ + t(x − x̄)
	to     *mat.Dense  // the memory of at
	from   []mat.Real  // x̄
	far    *mat.Dense  // x − x̄
	sparse *mat.Sparse // where the entries stand; nil if far is a matrix
}

// given is an input model that returns the rows that it was given.
type given struct{ rows ad.Var }

func (g given) Forward(input.Context, input.Features) ad.Var { return g.rows }
func (given) Params() []*ad.Param                            { return nil }

// newPath returns the path to features from usual rows: the means of columns, or 0 if features are sparse.
func newPath(features input.Features) *path {
	entries, at := features.Entries()
	p, x, means := &path{sparse: at}, ad.Eval(entries), at == nil
	values, k := x.Slice(), x.Cols()
	p.from = make([]mat.Real, len(values))
	if means {
		mean := make([]float64, k)
		for i, value := range values {
			mean[i%k] += float64(value) / float64(x.Rows())
		}
		for i := range p.from {
			p.from[i] = mat.Real(mean[i%k])
		}
	}
	far := make([]mat.Real, len(values))
	for i, value := range values {
		far[i] = value - p.from[i]
	}
	p.far, p.to = mat.FromSlice(x.Rows(), k, far), mat.New(x.Rows(), k)
	p.at = ad.Input(p.to)
	return p
}

// move goes to t.
func (p *path) move(t float64) {
	now := p.far.Slice()
	for i, x := range now {
		now[i] = p.from[i] + mat.Real(t)*x
	}
	p.to.Write(now)
}

// divide adds up the contributions of entries by node, and for node v of n also by column.
func (p *path) divide(c *Contributions, each []float64, v int32, n int) {
	if p.sparse == nil {
		k := p.far.Cols()
		c.Own, c.Others = slices.Clone(each[int(v)*k:(int(v)+1)*k]), make([]float64, n)
		for i, x := range each {
			c.Others[i/k] += x
		}
	} else {
		sums := mat.New(len(each), 1)
		values := sums.Slice()
		for e, x := range each {
			values[e] = mat.Real(x)
		}
		sums.Write(values)
		k, here := p.sparse.Shape().Cols, make([]mat.Real, n)
		here[v] = 1
		c.Others = column(ad.Eval(ad.Propagate(p.sparse, ad.Const(sums), ad.Fill(mat.Shape{Rows: k, Cols: 1}, 1))))
		c.Own = column(ad.Eval(ad.PropagateT(p.sparse, ad.Const(sums), ad.Const(mat.FromSlice(n, 1, here)))))
	}
	c.Others[v], c.Rest = 0, 0
	c.Rest = c.Total - c.Sum()
}
