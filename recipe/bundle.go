package recipe

import (
	"fmt"
	"math"

	"github.com/bloomgml/bloom/energy"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/part"
)

// bundle is Laplace on rows that every node transforms by a matrix computed from its own and its neighbours'
// features.
type bundle struct {
	Lambda float64    `key:"lambda" range:"(0,∞)"`
	Norm   graph.Norm `key:"norm" oneof:"none - symmetric"`
}

var turning = part.Part[Edge]{Name: "bundle", Text: "neighbours agree after each node has rotated its row",
	New: bundle{Lambda: 1, Norm: graph.Symmetric}}

// Term returns the term of package energy.
//
// Chosen: weights of angles start within ±1/√k for k features, which makes half of the angles large at first.
func (t bundle) Term(p *Place) energy.EdgeTerm {
	in, pairs := p.X.Cols(), p.Dim/2
	spread := 1 / math.Sqrt(float64(max(1, in)))
	return energy.Bundle(p.lambda(t.Lambda), t.Norm, energy.Rotations(
		p.param("θ.W", in, pairs, 0, spread), p.param("θ.N", in, pairs, 0, spread),
		p.param("θ.b", 1, pairs, 0, 0)))
}

func (bundle) Edges() Edges { return Undirected }

// Text has the messages of Laplace, turned back.
func (t bundle) Text() EdgeText {
	where := []string{equals("λ", t.Lambda), "O_v turns columns j and j + d/2 by θ_v,j",
		"θ_v = π tanh(x_v W + (S x)_v N + b), S = D^−½ A D^−½; W, N and b trained"}
	return turnedText("O", t.Norm, where)
}

// turnedText returns the text of a term whose rows are mapped by matrices of a name.
func turnedText(o string, norm graph.Norm, where []string) EdgeText {
	u, v, back := "h_u "+o+"_u", "h_v "+o+"_v", func(to string) string { return " " + o + "_" + to + "ᵀ" }
	if norm == graph.Symmetric {
		u, v, where = u+"/√d_u", v+"/√d_v", append(where, "d the degrees")
		back = func(to string) string { return " " + o + "_" + to + "ᵀ/√d_" + to }
	}
	return EdgeText{fmt.Sprintf("λ/2 ‖%s − %s‖²", u, v), fmt.Sprintf("λ (%s − %s)%s", v, u, back("v")),
		fmt.Sprintf("λ (%s − %s)%s", u, v, back("u")), where}
}
