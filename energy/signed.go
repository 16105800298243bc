package energy

import (
	"fmt"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/mat"
)

// NewSigned returns the graph Ḡ = G ∪ G⁻ of true and false edges; negative[e] says that edge e is false.
func NewSigned(g *graph.Graph, negative []bool) *Structure {
	if len(negative) != g.NumEdges() {
		panic(fmt.Sprintf("energy: %d signs for %d edges", len(negative), g.NumEdges()))
	}
	return &Structure{Graph: g, negative: append([]bool(nil), negative...)}
}

// WithNegatives returns G ∪ G⁻ for a graph and a list of false triples, which follow its edges with weight 1.
func WithNegatives(g *graph.Graph, negatives []graph.Triple) (*Structure, error) {
	spec := graph.Spec{Nodes: g.NumNodes(), Relations: g.NumRelations(), Triples: append(g.Triples(), negatives...),
		NodeTypes: g.NodeTypes(), Types: g.NumTypes(), Undirected: g.Undirected()}
	if w := g.Weights(); w != nil {
		spec.Weights = append([]mat.Real(nil), w...)
		for range negatives {
			spec.Weights = append(spec.Weights, 1)
		}
	}
	all, err := graph.Build(spec)
	if err != nil {
		return nil, err
	}
	negative := make([]bool, all.NumEdges())
	for e := g.NumEdges(); e < len(negative); e++ {
		negative[e] = true
	}
	return NewSigned(all, negative), nil
}

// signed returns +1 for every true edge and −1 for every false one, m×1; absent if all are true.
func (s *Structure) signed() ad.Var {
	return s.signs.get(func() ad.Var {
		if s.negative == nil {
			return ad.Var{}
		}
		x := make([]mat.Real, len(s.negative))
		for e, no := range s.negative {
			x[e] = 1
			if no {
				x[e] = -1
			}
		}
		return column(x)
	})
}

// Signs is Laplace with a trained sign, and strength, of every edge (a signed Laplacian: Kunegis et al. 2010), times
// the weight of the edge:
//
//	f(h_u, h_v) = λ/2 ( ‖h_u‖² + ‖h_v‖² − 2 s ⟨h_u, h_v⟩ )       s = tanh( ⟨x_u W, x_v W⟩ + b ) ∈ [−1, 1]
//
// with h/√d instead of h for graph.Symmetric. s = 1 says that neighbours agree and is Laplace, s = −1 that they are
// opposites, s = 0 that the edge says nothing. As (1 + s)/2 ‖h_u − h_v‖² + (1 − s)/2 ‖h_u + h_v‖² it is convex, and has
// the bound of Laplace, whatever the signs are. A self loop says nothing, as in Laplace. of, W, has a row for every
// feature; bias, b, is 1×1.
func Signs(lambda Weight, norm graph.Norm, of, bias *ad.Param) EdgeTerm {
	return signs{laplace{lambda, norm}, of, bias}
}

// signs is the term before it is told the features.
type signs struct {
	base     laplace
	of, bias *ad.Param
}

var _ GivenEdges = signs{}

func (t signs) Params() []*ad.Param { return append(t.base.Params(), t.of, t.bias) }
func (t signs) Edge(e Edges) ad.Var { return givenTo(t, e.On, e.X).Edge(e) }
func (t signs) Name() string        { return "Signs" }

// Send returns x W.
func (t signs) Send(x ad.Var) []ad.Var { return []ad.Var{x.MatMul(t.of.Var)} }

// Receive returns what was sent: the signs of the edges of a node need no others.
func (signs) Receive(_ *Structure, said []ad.Var) []ad.Var { return said }

// Given is the term with x W.
func (t signs) Given(known []ad.Var) EdgeTerm { return signedLaplace{t, known[0]} }

// signedLaplace is Signs of nodes that are given as x W, n×r.
type signedLaplace struct {
	signs
	x ad.Var
}

var (
	_ FusedEdges     = signedLaplace{}
	_ MajorizedEdges = signedLaplace{}
	_ quadraticEdges = signedLaplace{}
)

func (signedLaplace) Quadratic() bool { return true }
func (signedLaplace) even() bool      { return true }

// squash returns s for inner products.
func (t signedLaplace) squash(z ad.Var) ad.Var { return z.Add(t.bias.Var).Tanh() }

func (t signedLaplace) Edge(e Edges) ad.Var {
	u, v := e.end(true), e.end(false)
	a, b := e.U, e.V
	if t.base.norm == graph.Symmetric {
		root := e.On.RootDegree()
		a, b = a.Mul(root.Gather(u)), b.Mul(root.Gather(v))
	}
	s := t.squash(t.x.Gather(u).RowDot(t.x.Gather(v)))
	z := HalfSquared.Rows(a).Add(HalfSquared.Rows(b)).Sub(a.RowDot(b).Mul(s))
	if e.On.loops() {
		z = z.Mul(e.On.betweenNodes())
	}
	return e.weigh(z).Mul(t.base.lambda.Var())
}

// betweenNodes returns 1 for every edge between two nodes and 0 for a self loop, m×1.
func (s *Structure) betweenNodes() ad.Var {
	x, to := make([]mat.Real, s.Graph.NumEdges()), s.Graph.Targets()
	for e, u := range s.Graph.Sources() {
		if u != to[e] {
			x[e] = 1
		}
	}
	return column(x)
}

// loopWeight returns the weight of the self loops in D, n×1.
func (s *Structure) loopWeight() ad.Var {
	w := s.betweenNodes().Neg().Shift(1)
	if own := s.EdgeWeight(); !own.IsZero() {
		w = w.Mul(own)
	}
	if !s.Graph.Undirected() {
		w = w.Scale(2)
	}
	return w.SegmentSum(s.Source())
}

// EdgeGrad returns λ(D − S∘A)h, or λ(I − S∘D^−½AD^−½)h, without self loops: the signs are one number per entry of A.
func (t signedLaplace) EdgeGrad(on *Structure, h ad.Var) ad.Var {
	a, w := on.Adjacency()
	s := t.squash(ad.SampledDot(a, t.x, t.x))
	if !w.IsZero() {
		s = s.Mul(w)
	}
	scale := ad.Number(1)
	if t.base.norm == graph.Symmetric {
		scale = on.RootDegree()
	}
	z := h.Mul(scale)
	m := ad.Propagate(a, s, z)
	if !on.Graph.Undirected() {
		m = m.Add(ad.PropagateT(a, s, z))
	}
	d := on.Degree()
	if on.loops() { // D − S∘A has (1 − s) times their weight
		d = d.Sub(t.squash(t.x.RowDot(t.x)).Neg().Shift(1).Mul(on.loopWeight()))
	}
	return z.Mul(d).Sub(m).Mul(scale).Mul(t.base.lambda.Var())
}

// EdgeCurvature equals Laplace's: D − S∘A ⪯ 2D for |s| ≤ 1.
func (t signedLaplace) EdgeCurvature(on *Structure) ad.Var { return t.base.EdgeCurvature(on) }
