package workload

import (
	"math"
	"math/rand/v2"
	"sort"

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

// logits returns the model's expression, n×classes.
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

// lower returns the energy around p.
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

// algorithm returns Jacobi's preconditioned descent, and half of its step for hetero.
func (b *builder) algorithm(e Energy) descent.Algorithm {
	if e == Hetero {
		return descent.Proximal(descent.Fixed(0.5), oneSided{})
	}
	return descent.Proximal(nil, descent.Degree)
}

// oneSided is σ_v = 1/(1 + λd_v), which counts an edge of hetero in one direction only: the preconditioner of HALO.
type oneSided struct{}

// Sigma returns σ, n×1.
func (oneSided) Sigma(l *energy.Lower, _ ad.Var) ad.Var {
	return l.On.Degree().Scale(lambda).Shift(1).Recip()
}

// input returns π(x; W) = relu(x W + b), with dropout on dense features.
func (b *builder) input() ad.Var {
	d := b.shape.Hidden
	if b.x.dense != nil {
		return b.linear("pi", ad.Const(b.x.dense).Dropout(0.5, b.clock, 0), d).ReLU()
	}
	f := b.shape.Features
	w, bias := b.param("pi.W", f, d, f), b.param("pi.b", 1, d, f)
	return ad.Propagate(b.x.sparse, ad.Var{}, w).Add(bias).ReLU()
}

// gcn returns the baseline of two layers with dropout before both.
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

// seed fixes the graphs, features and first weights of all workloads.
const seed = 1

// PowerLaw returns a random undirected graph: one end of an edge is node i with weight (i+10)^−0.6, the other is
// uniform; repetitions and self loops are dropped.
func PowerLaw(nodes, edges int, seed uint64) *graph.Graph {
	rng := rand.New(rand.NewPCG(seed, uint64(nodes)))
	cumulative := make([]float64, nodes)
	total := 0.0
	for i := range cumulative {
		total += math.Pow(float64(i+10), -0.6)
		cumulative[i] = total
	}
	triples := make([]graph.Triple, edges)
	for i := range triples {
		u := sort.SearchFloat64s(cumulative, rng.Float64()*total)
		triples[i] = graph.Triple{U: int32(min(u, nodes-1)), V: rng.Int32N(int32(nodes))}
	}
	g, err := graph.Build(graph.Spec{
		Nodes: nodes, Triples: triples, Undirected: true,
		DropDuplicates: true, Loops: graph.DropLoops,
	})
	must(err)
	return g
}

// features are a dense normal matrix, or a sparse pattern of ones.
type features struct {
	dense  *mat.Dense
	sparse *mat.Sparse
}

func newFeatures(s Shape) features {
	if s.Density == 1 {
		x := mat.New(s.Nodes, s.Features)
		mat.Normal(x, 0, 1, seed)
		return features{dense: x}
	}
	rng := rand.New(rand.NewPCG(seed, 2))
	ptr, idx := make([]int64, s.Nodes+1), []int32{}
	for i := range s.Nodes {
		for j := range s.Features {
			if rng.Float64() < s.Density {
				idx = append(idx, int32(j))
			}
		}
		ptr[i+1] = int64(len(idx))
	}
	x, err := mat.NewSparse(s.Nodes, s.Features, ptr, idx)
	must(err)
	return features{sparse: x}
}

// task is random labels and a random half of the nodes to train on.
func task(s Shape) (labels, train *mat.Index) {
	rng := rand.New(rand.NewPCG(seed, 3))
	y := make([]int32, s.Nodes)
	for i := range y {
		y[i] = rng.Int32N(int32(s.Classes))
	}
	perm := rng.Perm(s.Nodes)[:s.Nodes/2]
	pick := make([]int32, len(perm))
	for i, v := range perm {
		pick[i] = int32(v)
	}
	return mat.MustIndex(y, s.Classes), mat.MustIndex(pick, s.Nodes)
}
