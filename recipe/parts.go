package recipe

import (
	"github.com/bloomgml/bloom/descent"
	"github.com/bloomgml/bloom/energy"
	"github.com/bloomgml/bloom/part"
)

// EdgeTerms is the table of edge terms.
var EdgeTerms = part.Kind[Edge]{
	Name: "edge term", Key: "term", Doc: "what the term is; bloom energy shows its formula",
	Parts: []part.Part[Edge]{
		{Name: "laplace", Text: "neighbours agree", New: laplace{Lambda: 1}},
		{Name: "difference", Text: "a penalty on how neighbours differ", New: difference{energy.HalfSquared, 1}},
		{Name: "compat", Text: "a neighbour predicts the other through C",
			New: compat{Rho: energy.HalfSquared, Lambda: 1}},
		{Name: "relational", Text: "compat with one matrix per relation", New: relational{energy.HalfSquared, 1}},
		turning, mirroring, mapping, signing,
		attraction,
		{Name: "transe", Text: "relations are translations", New: score{energy.TransE(energy.NormSquared, 0), 6}},
		{Name: "distmult", Text: "relations are scalings", New: score{energy.DistMult, 0}},
		{Name: "complex", Text: "relations are complex scalings", New: score{energy.ComplEx, 0}},
		{Name: "rotate", Text: "relations are rotations", New: score{energy.RotatE(energy.NormSquared, 0), 6}},
		{Name: "path", Text: "the bilinear term of the paper's path models", New: pathEdges{}},
		{Name: "received", Text: "path models: a node turns towards the messages that it receives",
			New: receivedEdges{"distmult"}},
	},
}

// NodeTerms is the table of node terms.
var NodeTerms = part.Kind[Node]{
	Name: "node term", Doc: "the energy of a node",
	Parts: []part.Part[Node]{
		{Name: "anchor", Text: "a penalty on the distance to the node's own features",
			New: anchor{Rho: energy.HalfSquared}},
		{Name: "labels", Text: "a penalty on the distance to the node's label", New: labelled{energy.HalfSquared}},
		{Name: "unit-norm", Text: "a penalty for norms that are not 1", New: unitNorm{1}},
		{Name: "path", Text: "the node term that belongs to f: path", New: pathNodes{}},
		{Name: "received", Text: "the node term that belongs to f: received", New: receivedNodes{}},
		{Name: "pna", Text: "the same as f and kappa: received, with messages aggregated by PNA",
			New: pooled{Message: "distmult"}},
		{Name: "pna-fused", Text: "pna of transe, with the second moment of NBFNet's fused kernel",
			New: pooled{Fused: true}},
	},
}

// etas returns the table of constraints: the ones of package energy, and the ones that depend on the data.
func etas() part.Kind[Eta] {
	k := part.Kind[Eta]{Name: energy.Constraints.Name, Doc: energy.Constraints.Doc, Parts: []part.Part[Eta]{
		{Name: "none", Text: "no constraint"},
		{Name: "labels", Text: "nodes with a label keep it", New: Clamp},
		{Name: "range", Text: "columns of H are combinations of features", New: Range},
	}}
	for _, p := range energy.Constraints.Parts {
		k.Parts = append(k.Parts, part.Part[Eta]{Name: p.Name, Text: p.Text, New: always{p.New}})
	}
	return k
}

// Parts returns the tables of all parts of an energy and of its descent.
func Parts() []part.Table {
	return []part.Table{EdgeTerms.Table(), NodeTerms.Table(), etas().Table(), energy.Penalties.Table(),
		descent.Algorithms.Table(), descent.StepSizes.Table(), descent.Preconditioners.Table()}
}
