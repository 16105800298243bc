package recipe

import (
	"fmt"
	"math"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/energy"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/part"
)

// blocked holds the fields shared by the terms whose nodes map blocks of Block columns, or all d if Block is larger.
type blocked struct {
	Lambda float64    `key:"lambda" range:"(0,∞)"`
	Norm   graph.Norm `key:"norm" oneof:"none - symmetric"`
	Block  int        `key:"block" range:"[2,64]" doc:"columns per block that a node reflects or maps together"`
}

// mirrored is a bundle of reflections, in blocks of columns.
type mirrored blocked

// mapped is Laplace on rows that every node maps by its own matrices: a sheaf.
type mapped blocked

var (
	mirroring = part.Part[Edge]{Name: "householder",
		Text: "neighbours agree after each node has reflected its row, in blocks",
		New:  mirrored{1, graph.Symmetric, 4}}
	mapping = part.Part[Edge]{Name: "sheaf", Text: "neighbours agree after each node has mapped its row, in blocks",
		New: mapped{1, graph.Symmetric, 2}}
)

// matrices returns the parameters of blocks. Their weights start within ±spread/√k for k features.
func (t blocked) matrices(p *Place, spread float64) (own, near, bias *ad.Param, block int) {
	in := p.X.Cols()
	block = min(t.Block, p.Dim)
	spread /= math.Sqrt(float64(max(1, in)))
	cols := p.Dim / block * block * block
	own, near = p.param("O.W", in, cols, 0, spread), p.param("O.N", in, cols, 0, spread)
	return own, near, p.param("O.b", 1, cols, 0, 0), block
}

func (t mirrored) Term(p *Place) energy.EdgeTerm {
	return energy.Bundle(p.lambda(t.Lambda), t.Norm, energy.Reflections(blocked(t).matrices(p, 1)))
}

func (mirrored) Edges() Edges { return Undirected }

// Text has the messages of Laplace, reflected back.
func (t mirrored) Text() EdgeText {
	return turnedText("O", t.Norm, []string{equals("λ", t.Lambda),
		fmt.Sprintf("O_v a product of %d reflections I − 2 w wᵀ/‖w‖² in every block of %[1]d columns", t.Block),
		"w = e₁ + tanh(x_v W + (S x)_v N + b) ∘ [½ 1 … 1], S = D^−½ A D^−½; W, N and b trained"})
}

// Term returns the term of package energy.
//
// Chosen: maps start near I, with a tenth of the weights of angles, which makes the first steps about as long as
// base's.
func (t mapped) Term(p *Place) energy.EdgeTerm {
	return energy.Bundle(p.lambda(t.Lambda), t.Norm, energy.Restrictions(blocked(t).matrices(p, 0.1)))
}

func (mapped) Edges() Edges { return Undirected }

// Text has the messages of Laplace, mapped back.
func (t mapped) Text() EdgeText {
	return turnedText("F", t.Norm, []string{equals("λ", t.Lambda),
		fmt.Sprintf("F_v a matrix for every block of %d columns, I + tanh(x_v W + (S x)_v N + b)", t.Block),
		"S = D^−½ A D^−½; W, N and b trained"})
}

// signed is Laplace with a trained sign of every edge.
type signed struct {
	Lambda float64    `key:"lambda" range:"(0,∞)"`
	Norm   graph.Norm `key:"norm" oneof:"none - symmetric"`
}

var signing = part.Part[Edge]{Name: "signed", Text: "neighbours agree, are opposites or neither, as their features say",
	New: signed{1, graph.Symmetric}}

// Term returns the term of package energy.
//
// Chosen: features are compared in 16 columns, and edges start as agreeing, s near tanh 1.
func (t signed) Term(p *Place) energy.EdgeTerm {
	in := p.X.Cols()
	w := p.param("s.W", in, 16, 0, 0.5/math.Sqrt(float64(max(1, in))))
	return energy.Signs(p.lambda(t.Lambda), t.Norm, w, p.param("s.b", 1, 1, 1, 0))
}

func (signed) Edges() Edges { return Undirected }

// Text has messages that are weighed by the signs.
func (t signed) Text() EdgeText {
	u, v, where := "h_u", "h_v", []string{equals("λ", t.Lambda),
		"s = tanh(⟨x_u W, x_v W⟩ + b), between −1 and 1; W and b trained"}
	overU, overV := "", ""
	if t.Norm == graph.Symmetric {
		u, v, overU, overV = "ĥ_u", "ĥ_v", "/√d_u", "/√d_v"
		where = append(where, "ĥ_v = h_v/√d_v", "d the degrees")
	}
	return EdgeText{fmt.Sprintf("λ/2 (‖%s‖² + ‖%s‖² − 2 s ⟨%s, %s⟩)", u, v, u, v),
		fmt.Sprintf("λ (%s − s %s)%s", v, u, overV), fmt.Sprintf("λ (%s − s %s)%s", u, v, overU), where}
}

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
