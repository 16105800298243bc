package recipe

import (
	"fmt"

	"github.com/bloomgml/bloom/energy"
)

// score is softplus(−s) for true edges and softplus(s) for false ones, where s is the score of a knowledge graph
// model plus Margin.
type score struct {
	Model  energy.ScoreModel
	Margin float64 `key:"margin" range:"[0,1e6]" unless:"" doc:"m, the score of a perfect triple"`
}

// Score returns the edge term whose loss is on the score of a knowledge graph model plus a margin.
func Score(m energy.ScoreModel, margin float64) Edge { return score{m, margin} }

// ScoreOf returns the model and the margin of r whose only edge term is a Score.
func ScoreOf(r *Recipe) (m energy.ScoreModel, margin float64, ok bool) {
	if r == nil || len(r.F) != 1 {
		return nil, 0, false
	}
	s, ok := r.F[0].(score)
	return s.Model, s.Margin, ok
}

func (t score) Term(p *Place) energy.EdgeTerm {
	return energy.Score(t.Model, p.param("E", p.relations(), t.Model.Width(p.Dim), 0, 1), t.Margin)
}

func (score) Edges() Edges { return Signed }

// Text has the messages c ∂s/∂h.
func (t score) Text() EdgeText {
	m := ""
	if t.Margin != 0 {
		m = fmt.Sprintf("%g ", t.Margin)
	}
	x := EdgeText{F: "softplus(∓s), − for true edges and + for false ones"}
	var s string
	switch name := energy.NameOf(t.Model); name {
	case "TransE":
		s, x.ToV, x.ToU = m+"− ‖h_u + e_r − h_v‖²", "2c (h_u + e_r − h_v)", "−2c (h_u + e_r − h_v)"
	case "DistMult":
		s, x.ToV, x.ToU = "Σ h_u ∘ e_r ∘ h_v", "c (h_u ∘ e_r)", "c (e_r ∘ h_v)"
	case "ComplEx":
		s, x.ToV, x.ToU = "Re Σ h_u ∘ e_r ∘ h̄_v", "c (h_u ∘ e_r)", "c (ē_r ∘ h_v)"
	case "RotatE":
		s, x.ToV, x.ToU = m+"− ‖h_u ∘ exp(iθ_r) − h_v‖²", "2c (h_u ∘ exp(iθ_r) − h_v)",
			"−2c exp(−iθ_r) ∘ (h_u ∘ exp(iθ_r) − h_v)"
	default:
		s, x.ToV, x.ToU = name, "c ∂s/∂h_v", "c ∂s/∂h_u"
	}
	x.Where = []string{"s = " + s, "c = sigmoid(s) − t, t = 1 for true edges and 0 for false ones",
		"the relations' embeddings are trained"}
	return x
}
