package fit

import (
	"math"

	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/mat"
)

// filter is a function f of a matrix of the graph: H = f(S) X or a polynomial of P.
type filter struct {
	series []float64 // coefficients of the Chebyshev polynomials T_k(S)
	powers []float64 // coefficients of Pᵏ, if series is nil
	lambda float64   // of a minimiser
	bulk   float64   // the series are of T_k(S/bulk)
}

// lambdas of smoothing, and of sharpening.
var lambdas, negative = []float64{1, 3, 10, 30, 100}, []float64{1, 10}

// accuracy is the coefficient, relative to the largest, at which the series of a filter ends. Regression is
// insensitive to anything smaller.
const accuracy = 1e-4

// minimiser is f of the energy ‖h − x‖² + λ Σ ‖h_u − h_v‖² on the normalised graph, and for λ < 0 of
// ‖h − x‖² + |λ| Σ ‖h_u + h_v‖², in which neighbours differ.
//
//	f(s) = 1/(1 + λ(1 − s)) = c₀ + 2 Σ c_k T_k(s),   c_k = q^k / (λ√(a² − 1)),   a = 1 + 1/λ,   q = a − √(a² − 1)
//
// The coefficients alternate in sign for λ < 0. They fall by q: 65 products with S serve every λ up to 100 at once.
func minimiser(lambda float64) filter { return seriesOf(lambda, 1, accuracy) }

// seriesOf is the minimiser as a series of T_k(s/b), for which λ is λ b and a is a/b. It is the faster the smaller b,
// and right for |s| ≤ b alone.
func seriesOf(lambda, bulk, accuracy float64) filter {
	size := math.Abs(lambda) * bulk
	a := (1 + 1/math.Abs(lambda)) / bulk
	root := math.Sqrt(a*a - 1)
	q, c := a-root, 1/(size*root)
	f := filter{lambda: lambda, bulk: bulk}
	for ratio := 1.0; ratio > accuracy; ratio *= math.Abs(q) {
		f.series = append(f.series, c*ratio)
		if len(f.series) > 1 {
			f.series[len(f.series)-1] *= 2
			if lambda < 0 && len(f.series)%2 == 0 {
				f.series[len(f.series)-1] *= -1
			}
		}
	}
	return f
}

// missing returns f(s) less the series at s.
func (f filter) missing(s float64) float64 {
	sign, before, now := math.Copysign(1, f.lambda), s/f.bulk, 1.0 // T₋₁ = T₁
	rest := 1 / (1 + math.Abs(f.lambda)*(1-sign*s))
	for _, c := range f.series {
		rest -= c * now
		before, now = now, 2*s/f.bulk*now-before
	}
	return rest
}

// operators are the matrices of the graph, n×n.
type operators struct {
	n       int
	s, p    *mat.Sparse // S = D̃^(−½) Ã D̃^(−½); P = D⁻¹ A
	sv, pv  *mat.Dense
	degrees []mat.Real
	bulk    float64    // the largest |s| of eigenvalues but those outside; see split
	outside []float64  // eigenvalues
	u       *mat.Dense // n×len(outside): their eigenvectors
}

// narrow returns f as a series for the bulk of the spectrum, which apply completes.
func (o *operators) narrow(f filter) filter {
	if f.series == nil {
		return f
	}
	return seriesOf(f.lambda, o.bulk, accuracy)
}

// complete adds what series miss outside the bulk:
//
//	f(S) x = p(S) x + U (f − p)(Θ) Uᵀ x
func (o *operators) complete(sums []*mat.Dense, x *mat.Dense, filters []filter) {
	m, w := len(o.outside), x.Cols()
	within := mat.New(m, w)
	mat.MatMul(within, o.u, x, mat.TN, 1, 0)
	for i, f := range filters {
		if f.series == nil {
			continue
		}
		part := append([]mat.Real(nil), within.Slice()...)
		for j, s := range o.outside {
			missing := mat.Real(f.missing(s))
			for c := range w {
				part[j*w+c] *= missing
			}
		}
		mat.MatMul(sums[i], o.u, mat.FromSlice(m, w, part), mat.NN, 1, 1)
	}
}

// newOperators makes the operators of g, with edges in both directions if it is directed.
func newOperators(g *graph.Graph) (*operators, error) {
	if !g.Undirected() {
		both, err := graph.Build(graph.Spec{Nodes: g.NumNodes(), Sources: append([]int32(nil), g.Sources()...),
			Targets: append([]int32(nil), g.Targets()...), Weights: append([]mat.Real(nil), g.Weights()...),
			Undirected: true, DropDuplicates: true})
		if err != nil {
			return nil, err
		}
		g = both
	}
	o := &operators{n: g.NumNodes(), degrees: g.WeightedDegrees(graph.Either), bulk: 1}
	var err error
	if o.s, o.sv, err = place(g.Normalize(graph.Symmetric, graph.AddLoops)); err != nil {
		return nil, err
	}
	o.p, o.pv, err = place(g.Normalize(graph.Left, graph.DropLoops))
	return o, err
}

func place(p graph.Pattern, weights []mat.Real) (*mat.Sparse, *mat.Dense, error) {
	s, err := mat.NewSparse(p.Rows, p.Cols, p.Ptr, p.Idx)
	if err != nil {
		return nil, nil, err
	}
	return s, mat.FromSlice(len(weights), 1, weights), nil
}

// apply calls use with every filter's f(S) x, n×w, in turn. x is not modified; the argument of use is valid until the
// next call. All series are of one bulk.
func (o *operators) apply(x *mat.Dense, filters []filter, use func(i int, h *mat.Dense)) {
	sums := make([]*mat.Dense, len(filters))
	terms, powers, bulk := 0, 0, 1.0
	for i, f := range filters {
		sums[i] = mat.New(x.Rows(), x.Cols())
		if terms, powers = max(terms, len(f.series)), max(powers, len(f.powers)); f.series != nil {
			bulk = f.bulk
		}
	}
	add := func(order int, term *mat.Dense, of func(filter) []float64) {
		for i, f := range filters {
			if c := of(f); order < len(c) && c[order] != 0 {
				mat.Axpby(sums[i], term, sums[i], mat.Real(c[order]), 1)
			}
		}
	}
	now, before := mat.New(x.Rows(), x.Cols()), mat.New(x.Rows(), x.Cols())
	mat.Copy(now, x)
	for k := range terms {
		add(k, now, func(f filter) []float64 { return f.series })
		factor, old := mat.Real(2/bulk), mat.Real(-1)
		if k == 0 {
			factor, old = mat.Real(1/bulk), 0
		}
		if k+1 < terms {
			mat.SpMM(before, o.s, false, o.sv, now, factor, old)
			now, before = before, now
		}
	}
	mat.Copy(now, x)
	for k := range powers {
		add(k, now, func(f filter) []float64 { return f.powers })
		if k+1 < powers {
			mat.SpMM(before, o.p, false, o.pv, now, 1, 0)
			now, before = before, now
		}
	}
	if bulk < 1 {
		o.complete(sums, x, filters)
	}
	for i := range filters {
		use(i, sums[i])
		sums[i].Free()
	}
	now.Free()
	before.Free()
}
