package upper

import (
	"fmt"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/input"
	"github.com/bloomgml/bloom/mat"
)

// Triples are edges (u, r, v) of a knowledge graph, true or false.
type Triples struct{ U, R, V *mat.Index }

// NewTriples are triples over n nodes and m relations, or an error for one out of range. With m = 0 there
// are no relations.
func NewTriples(list []graph.Triple, n, m int) (Triples, error) {
	ids := [3][]int32{}
	for _, t := range list {
		ids[0], ids[1], ids[2] = append(ids[0], t.U), append(ids[1], t.R), append(ids[2], t.V)
	}
	var t Triples
	for i, part := range []struct {
		to    **mat.Index
		bound int
		what  string
	}{{&t.U, n, "source"}, {&t.R, m, "relation"}, {&t.V, n, "target"}} {
		if part.bound == 0 && i == 1 {
			continue
		}
		x, err := mat.NewIndex(ids[i], part.bound)
		if err != nil {
			return Triples{}, fmt.Errorf("upper: %s of triple: %w", part.what, err)
		}
		*part.to = x
	}
	return t, nil
}

// TripleScore is s(h_u, e_r, h_v), one number per row; the models of package energy are such scores.
type TripleScore interface{ Score(u, e, v ad.Var) ad.Var }

// KGE is the loss of knowledge graph embeddings (eq:L_up_for_KGE): a ranking of the scores of true and false
// triples. The false ones of true triple i are Negative[i·k], …, Negative[i·k + k−1], as graph.Sampler
// gives them.
//
// E is usually the parameter of the lower level, too, and then stands in both lists of parameters.
type KGE struct {
	Model              TripleScore
	E                  *ad.Param // e_r, one row per relation
	Margin             float64   // added to every score: m of models by distance
	Positive, Negative Triples
	Ranking            Ranking
}

var _ Loss = KGE{}

// Loss is the ranking of the scores.
func (l KGE) Loss(c input.Context, h ad.Var) ad.Var {
	p := l.Positive.U.Len()
	if p == 0 || l.Negative.U.Len()%p != 0 {
		panic(fmt.Sprintf("upper: %d false triples for %d true ones: not as many for each", l.Negative.U.Len(), p))
	}
	k := l.Negative.U.Len() / p
	return l.Ranking.Of(l.Score(h, l.Positive), l.Score(h, l.Negative).Reshape(p, k))
}

// Score is s + m for every triple, k×1.
func (l KGE) Score(h ad.Var, t Triples) ad.Var {
	s := l.Model.Score(h.Gather(t.U), l.E.Gather(t.R), h.Gather(t.V))
	if l.Margin == 0 {
		return s
	}
	return s.Shift(l.Margin)
}

// Params are the relation embeddings.
func (l KGE) Params() []*ad.Param { return []*ad.Param{l.E} }
