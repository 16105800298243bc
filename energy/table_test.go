package energy_test

import (
	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/energy"
	"github.com/bloomgml/bloom/energy/energytest"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/mat"
)

// The sizes that energytest gives its graphs and rows.
const (
	nodes = energytest.Nodes
	dim   = energytest.Dim
	rels  = energytest.Relations
)

var sharp = []energytest.Option{energytest.Sharp()}

// edgeTable has every edge term of this package, with one penalty: TestPenalties has the others. TestRegistry looks
// that none is left out.
var edgeTable = []row[energy.EdgeTerm]{
	{name: "Laplace", make: func() energy.EdgeTerm { return energy.Laplace(energy.Fixed(0.7), graph.None) }},
	{name: "Laplace symmetric", make: func() energy.EdgeTerm {
		return energy.Laplace(energy.Fixed(0.7), graph.Symmetric)
	}},
	{name: "Laplace trained", make: func() energy.EdgeTerm {
		return energy.Laplace(energy.Trained("λ", 1.3), graph.None)
	}},
	{name: "Laplace symmetric trained", make: func() energy.EdgeTerm {
		return energy.Laplace(energy.Trained("λ", 1.3), graph.Symmetric)
	}},
	{name: "Difference", make: func() energy.EdgeTerm {
		return energy.Difference(energy.HalfSquared, energy.Fixed(1))
	}},
	{name: "Compat", make: func() energy.EdgeTerm {
		return energy.Compat(energy.HalfSquared, energy.Fixed(1), ad.NewParam("C", mat.Eye(dim)))
	}},
	{name: "Bundle", make: bundle(graph.None, dim)},
	{name: "Bundle symmetric", make: bundle(graph.Symmetric, dim)},
	{name: "Bundle with a column that is not turned", make: bundle(graph.Symmetric, dim-1)},
	{name: "Reflections", make: framed(energy.Reflections, graph.None, 2, dim)},
	{name: "Reflections symmetric", make: framed(energy.Reflections, graph.Symmetric, dim, dim)},
	{name: "Reflections of some columns", make: framed(energy.Reflections, graph.Symmetric, 3, 3)},
	{name: "Restrictions", make: framed(energy.Restrictions, graph.None, 2, dim)},
	{name: "Restrictions symmetric", make: framed(energy.Restrictions, graph.Symmetric, dim, dim)},
	{name: "Restrictions of some columns", make: framed(energy.Restrictions, graph.None, 3, 3)},
	{name: "Signs", make: signs(graph.None)},
	{name: "Signs symmetric", make: signs(graph.Symmetric)},
	{name: "Relational", make: func() energy.EdgeTerm {
		return energy.Relational(energy.HalfSquared, energy.Fixed(1), ad.NewParam("C", energy.Identities(rels, dim)))
	}},
	{name: "Relational squared trained", make: func() energy.EdgeTerm { return relational(energy.Squared) }},
	{name: "Relational log-cosh", make: func() energy.EdgeTerm { return relational(energy.LogCosh) }},
	{name: "Both Laplace", make: func() energy.EdgeTerm {
		return energy.Both(energy.Laplace(energy.Fixed(0.7), graph.None))
	}},
	{name: "Both Compat", make: func() energy.EdgeTerm { return energy.Both(compat(energy.HalfSquared)) }},
	{name: "Both Compat log-cosh", make: func() energy.EdgeTerm { return energy.Both(compat(energy.LogCosh)) }},
	{name: "Both Relational", make: func() energy.EdgeTerm { return energy.Both(relational(energy.HalfSquared)) }},
	{name: "Both Relational log-cosh", make: func() energy.EdgeTerm { return energy.Both(relational(energy.LogCosh)) }},
	{name: "Both Path", make: func() energy.EdgeTerm { return energy.Both(path().Edges()) }},
	{name: "Both OnEdges", make: func() energy.EdgeTerm { return energy.Both(ownEdges()) }},
	{name: "Both Weighted Compat", make: func() energy.EdgeTerm {
		return energy.Both(energy.WeightedEdges(energy.Trained("w", 0.6), compat(energy.Squared)))
	}},
	{name: "Normalized Laplace", make: func() energy.EdgeTerm {
		return energy.Normalized(energy.Laplace(energy.Trained("λ", 1.3), graph.None))
	}},
	{name: "Normalized Both Compat", make: func() energy.EdgeTerm {
		return energy.Normalized(energy.Both(compat(energy.HalfSquared)))
	}},
	{name: "Normalized Both Compat log-cosh", make: func() energy.EdgeTerm {
		return energy.Normalized(energy.Both(compat(energy.LogCosh)))
	}},
	{name: "Normalized OnEdges", make: func() energy.EdgeTerm { return energy.Normalized(ownEdges()) }},
	{name: "Weighted Both Difference", make: func() energy.EdgeTerm {
		return energy.WeightedEdges(energy.Trained("w", 0.6), energy.Both(difference(energy.Charbonnier(1))))
	}},
	{name: "Weighted OnEdges", make: func() energy.EdgeTerm {
		return energy.WeightedEdges(energy.Fixed(0.5),
			ownEdges())
	}},
	{name: "TransE squared", make: func() energy.EdgeTerm {
		return energy.Score(energy.TransE(energy.NormSquared, 0),
			embeddings(dim), 3)
	}},
	{name: "Both TransE squared", make: func() energy.EdgeTerm {
		return energy.Both(energy.Score(energy.TransE(energy.NormSquared, 0), embeddings(dim), 0))
	}},
	{name: "TransE L2", make: func() energy.EdgeTerm {
		return energy.Score(energy.TransE(energy.NormL2, 0.05), embeddings(dim), 3)
	}},
	{name: "TransE L1", make: func() energy.EdgeTerm {
		return energy.Score(energy.TransE(energy.NormL1, 0.05), embeddings(dim), 3)
	}},
	{name: "TransE L1 sharp", opts: []energytest.Option{energytest.Sharp()}, make: func() energy.EdgeTerm {
		return energy.Score(energy.TransE(energy.NormL1, 4e-3), embeddings(dim), 3)
	}},
	{name: "DistMult", make: func() energy.EdgeTerm { return energy.Score(energy.DistMult, embeddings(dim), 0) }},
	{name: "ComplEx", make: func() energy.EdgeTerm { return energy.Score(energy.ComplEx, embeddings(dim), 0) }},
	{name: "RotatE squared", make: func() energy.EdgeTerm {
		return energy.Score(energy.RotatE(energy.NormSquared, 0),
			embeddings(dim/2), 3)
	}},
	{name: "RotatE", make: func() energy.EdgeTerm {
		return energy.Score(energy.RotatE(energy.NormL1, 0.05), embeddings(dim/2), 3)
	}},
	{name: "Path", make: func() energy.EdgeTerm { return path().Edges() }},
	{name: "Path shared", make: func() energy.EdgeTerm {
		p := path()
		p.Inverse, p.Train = ad.Var{}, p.Train[:1]
		return p.Edges()
	}},
	{name: "Received DistMult", make: receivedEdges(energy.DistMult)},
	{name: "Received TransE", make: receivedEdges(energy.TransE(energy.NormSquared, 0))},
	{name: "Received ComplEx", make: receivedEdges(energy.ComplEx)},
	{name: "Both Received", make: func() energy.EdgeTerm { return energy.Both(receivedEdges(energy.ComplEx)()) }},
	{name: "OnEdges", make: ownEdges},
	{name: "EdgeFunc", make: func() energy.EdgeTerm {
		return energy.EdgeFunc(func(e energy.Edges) ad.Var { return e.U.RowDot(e.V).Add(e.DegU()).Square().Scale(0.1) })
	}},
}

// nodeTable has every node term of this package; TestRegistry looks that none is left out.
var nodeTable = []row[energy.NodeTerm]{
	{name: "Anchor scaled", make: func() energy.NodeTerm { return energy.ScaledAnchor(energy.HalfSquared, 0.3) }},
	{name: "OnNodes", make: func() energy.NodeTerm {
		b := ad.NewParam("b", mat.FromSlice(1, dim, []mat.Real{1, 0, -1, 0.5}))
		return energy.OnNodes(energy.LogCosh,
			func(v energy.Nodes) ad.Var { return v.H.Mul(v.X).Sub(v.Pi).Add(b.Var) }, b)
	}},
	{name: "Path", make: func() energy.NodeTerm { return path().Nodes() }},
	{name: "Received", make: receivedNodes(energy.DistMult, energy.AggregateSum)},
	{name: "Received PNA DistMult", make: receivedNodes(energy.DistMult, energy.AggregatePNA), opts: sharp},
	{name: "Received PNA TransE",
		make: receivedNodes(energy.TransE(energy.NormSquared, 0), energy.AggregatePNA), opts: sharp},
	{name: "Received PNA ComplEx", make: receivedNodes(energy.ComplEx, energy.AggregatePNA), opts: sharp},
	{name: "Received PNA fused",
		make: receivedNodes(energy.TransE(energy.NormSquared, 0), energy.AggregatePNAFused), opts: sharp},
	{name: "ToTarget", make: func() energy.NodeTerm {
		return energy.ToTarget(energy.LogCosh, ad.Const(drawn(nodes, dim, -1, 1, 1)))
	}},
	{name: "ToTarget weighted", make: func() energy.NodeTerm {
		return weighed(energy.ToTarget(energy.LogCosh, ad.Const(drawn(nodes, dim, -1, 1, 1))), energy.Trained("w", 0.7))
	}},
	{name: "ToTarget labels", make: func() energy.NodeTerm {
		return weighed(energy.ToTarget(energy.HalfSquared, labels()), energy.Fixed(0.7))
	}},
	{name: "ToTarget labels only", make: func() energy.NodeTerm {
		y := labels()
		return energy.WeightedNodes(weighed(energy.ToTarget(energy.Squared, y), energy.Trained("w", 0.7)), y.SumCols())
	}},
	{name: "UnitNormPenalty", make: func() energy.NodeTerm { return energy.UnitNormPenalty(energy.Trained("α", 0.3)) }},
	{name: "Weighted Anchor", make: func() energy.NodeTerm {
		return weighed(energy.Anchor(energy.LogCosh), energy.Trained("w", 0.8))
	}},
	{name: "Weighted UnitNormPenalty", make: func() energy.NodeTerm {
		return energy.WeightedNodes(energy.UnitNormPenalty(energy.Fixed(1)), ad.Const(drawn(nodes, 1, 0, 2, 2)))
	}},
}

// constraintTable has the constraints that need data; those of the table run in TestConstraintParts.
var constraintTable = []row[energy.Constraint]{
	{name: "Held", make: func() energy.Constraint {
		c, err := energy.Held([]int32{1, 4}, nodes, drawn(2, dim, -1, 1, 3), energy.NonNegative)
		must(err)
		return c
	}},
	{name: "Clamp", make: func() energy.Constraint {
		c, err := energy.Clamp([]int32{1, 4}, nodes, drawn(2, dim, -1, 1, 3))
		must(err)
		return c
	}},
	{name: "Range", opts: []energytest.Option{energytest.Coupled()}, make: func() energy.Constraint {
		r, err := energy.Range(drawn(nodes, 3, -1, 1, 4))
		must(err)
		return r
	}},
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

func difference(rho energy.Penalty) energy.EdgeTerm {
	return energy.Difference(rho, energy.Trained("λ", 0.8))
}

func compat(rho energy.Penalty) energy.EdgeTerm {
	return energy.Compat(rho, energy.Trained("λ", 0.8), ad.NewParam("C", mat.Eye(dim)))
}

// bundle turns the pairs among the first columns.
func bundle(norm graph.Norm, columns int) func() energy.EdgeTerm {
	return func() energy.EdgeTerm {
		k := columns / 2
		return energy.Bundle(energy.Trained("λ", 0.8), norm, energy.Rotations(
			ad.NewParam("W", drawn(dim, k, -1, 1, 9)), ad.NewParam("N", drawn(dim, k, -1, 1, 10)),
			ad.NewParam("b", drawn(1, k, -1, 1, 11))))
	}
}

// framed maps blocks of the first columns.
func framed(of func(own, near, bias *ad.Param, block int) energy.Frames, norm graph.Norm,
	block, columns int) func() energy.EdgeTerm {
	return func() energy.EdgeTerm {
		k := block * columns
		return energy.Bundle(energy.Trained("λ", 0.8), norm, of(ad.NewParam("W", drawn(dim, k, -1, 1, 9)),
			ad.NewParam("N", drawn(dim, k, -1, 1, 10)), ad.NewParam("b", drawn(1, k, -1, 1, 11)), block))
	}
}

// signs are of both kinds on most graphs.
func signs(norm graph.Norm) func() energy.EdgeTerm {
	return func() energy.EdgeTerm {
		return energy.Signs(energy.Trained("λ", 0.8), norm, ad.NewParam("W", drawn(dim, 3, -2, 2, 12)),
			ad.NewParam("b", drawn(1, 1, -1, 1, 13)))
	}
}

func relational(rho energy.Penalty) energy.EdgeTerm {
	return energy.Relational(rho, energy.Trained("λ", 0.8), ad.NewParam("C", energy.Identities(rels, dim)))
}

func embeddings(cols int) *ad.Param { return ad.NewParam("E", drawn(rels, cols, -1, 1, 5)) }

func path() energy.Path {
	e, inverse := embeddings(dim), ad.NewParam("E⁻", drawn(rels, dim, -1, 1, 6))
	return energy.Path{Phi: ad.NewParam("Φ", drawn(dim, dim, -0.3, 0.3, 7)),
		Psi: ad.NewParam("Ψ", drawn(dim, dim, -0.3, 0.3, 8)),
		E:   e.Var, Inverse: inverse.Var, Train: []*ad.Param{e, inverse}}
}

// received is the energy of path models with d or, for PNA, 12d rows of Φ.
func received(m energy.QueryModel, a energy.Aggregate) energy.Received {
	rows := dim
	if a != energy.AggregateSum {
		rows = 12 * dim
	}
	e := embeddings(dim)
	return energy.Received{Message: m, Aggregate: a, Phi: ad.NewParam("Φ", drawn(rows, dim, -0.3, 0.3, 7)),
		Psi: ad.NewParam("Ψ", drawn(dim, dim, -0.3, 0.3, 8)), E: e.Var, Train: []*ad.Param{e}}
}

func receivedEdges(m energy.QueryModel) func() energy.EdgeTerm {
	return func() energy.EdgeTerm {
		f, _ := received(m, energy.AggregateSum).Terms()
		return f[0]
	}
}

func receivedNodes(m energy.QueryModel, a energy.Aggregate) func() energy.NodeTerm {
	return func() energy.NodeTerm {
		_, kappa := received(m, a).Terms()
		return kappa[0]
	}
}

func ownEdges() energy.EdgeTerm {
	b := ad.NewParam("b", mat.FromSlice(1, dim, []mat.Real{1, 0, -1, 0.5}))
	return energy.OnEdges(energy.LogCosh, func(e energy.Edges) ad.Var {
		return e.U.Mul(b.Var).Sub(e.V).Mul(e.DegV())
	}, b)
}

func labels() ad.Var {
	classes, err := mat.NewIndex([]int32{0, 1, 2, 3, 0, 1, 2, 3, 0}, dim)
	must(err)
	known, err := mat.NewIndex([]int32{1, 2, 7}, nodes)
	must(err)
	return energy.Labels(classes, known)
}

// weighed is w κ.
func weighed(k energy.NodeTerm, w energy.Weight) energy.NodeTerm {
	return energy.WeightedNodes(k, w.Var(), w.Params()...)
}
