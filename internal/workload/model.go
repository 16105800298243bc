package workload

import (
	"math"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/adjoint"
	"github.com/bloomgml/bloom/descent"
	"github.com/bloomgml/bloom/energy"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/input"
	"github.com/bloomgml/bloom/internal/baseline"
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
	l, a := b.lower(p, e), b.algorithm(e)
	d, c := b.shape.Hidden, b.shape.Classes
	w, bias := b.param("head.W", d, c, d), b.param("head.b", 1, c, d)
	return adjoint.Through(adjoint.Unrolled{}, a, l, p, b.shape.Steps, w).Add(bias)
}

// lower is the energy around p.
func (b *builder) lower(p ad.Var, e Energy) *energy.Lower {
	l := &energy.Lower{
		On: energy.NewStructure(b.g), Pi: p,
		F:     []energy.EdgeTerm{energy.Laplace(energy.Fixed(lambda), graph.None)},
		Kappa: []energy.NodeTerm{energy.Anchor(energy.Huber(1))},
	}
	switch e {
	case Base:
		l.Kappa = []energy.NodeTerm{energy.Anchor(energy.HalfSquared)}
	case Hetero:
		f := energy.Compat(energy.HalfSquared, energy.Fixed(lambda), ad.NewParam("C", mat.Eye(b.shape.Hidden)))
		b.params = append(b.params, f.Params()...)
		l.F, l.Eta = []energy.EdgeTerm{energy.Both(f)}, energy.NonNegative
	}
	return l
}

// algorithm is Jacobi's preconditioned descent, and half of its step for hetero.
func (b *builder) algorithm(e Energy) descent.Algorithm {
	if e == Hetero {
		return descent.Proximal(descent.Fixed(0.5), oneSided{})
	}
	return descent.Proximal(nil, descent.Degree)
}

// oneSided is σ_v = 1/(1 + λd_v), which counts an edge of hetero in one direction only: the preconditioner of HALO.
type oneSided struct{}

// Sigma is σ, n×1.
func (oneSided) Sigma(l *energy.Lower, _ ad.Var) ad.Var {
	return l.On.Degree().Scale(lambda).Shift(1).Recip()
}

// input is π(x; W) = relu(x W + b), with dropout on dense features.
func (b *builder) input() ad.Var {
	d := b.shape.Hidden
	if b.x.dense != nil {
		return b.linear("pi", ad.Const(b.x.dense).Dropout(0.5, b.clock, 0), d).ReLU()
	}
	f := b.shape.Features
	w, bias := b.param("pi.W", f, d, f), b.param("pi.b", 1, d, f)
	return ad.Propagate(b.x.sparse, ad.Var{}, w).Add(bias).ReLU()
}

// gcn is the baseline of two layers with dropout before both.
func (b *builder) gcn() ad.Var {
	s := b.shape
	m, err := baseline.New("gcn", baseline.Options{
		In: s.Features, Hidden: s.Hidden, Out: s.Classes, Dropout: 0.5, InputDropout: 0.5, Seed: seed,
	}, b.g)
	must(err)
	b.params = m.Params()
	if b.x.dense != nil {
		return m.Forward(input.Training(b.clock), input.Dense(b.x.dense))
	}
	return m.Forward(input.Training(b.clock), input.Sparse(b.x.sparse, nil))
}
