package recipe

import (
	"fmt"
	"strings"

	"github.com/bloomgml/bloom/descent"
)

// UpdateText is an algorithm for people.
type UpdateText struct {
	Name  string   // of the algorithm
	Lines []string // what a node does with its gradient g_v; ‹prox› is applied
	Where []string // γ, σ and the other numbers
}

// perNode reports whether steps have a length per node, so that a constraint that couples nodes does not fit.
func perNode(a descent.Algorithm) bool {
	if _, ok := a.(descent.TWIRLS); ok {
		return true
	}
	_, sigma := pace(a)
	switch sigma.(type) {
	case nil, descent.Identity:
		return false
	}
	return true
}

// pace is γ and σ of an algorithm.
func pace(a descent.Algorithm) (descent.StepSize, descent.Preconditioner) {
	switch a := a.(type) {
	case descent.Proximal:
		return a.Gamma, a.Sigma
	case descent.Momentum:
		return a.Gamma, a.Sigma
	case descent.HeavyBall:
		return a.Gamma, a.Sigma
	case descent.Nesterov:
		return a.Gamma, a.Sigma
	case descent.AdaGrad:
		return a.Gamma, a.Sigma
	case descent.RMSProp:
		return a.Gamma, a.Sigma
	case descent.Adam:
		return a.Gamma, a.Sigma
	case descent.TWIRLS:
		return a.Gamma, nil
	case descent.Weights:
		return a.Gamma, nil
	case descent.Attention:
		return pace(a.A)
	}
	return nil, nil
}

// Sigma is σ of the algorithm of r; nil means 1 for every node.
func (r *Recipe) Sigma() descent.Preconditioner {
	_, sigma := pace(r.A)
	return sigma
}

// Update is the update of a node, with the prox of η written out.
func (r *Recipe) Update() UpdateText {
	gamma, sigma := pace(r.A)
	t := rule(r.A, scale(sigma))
	for i, line := range t.Lines {
		left, right, ok := strings.Cut(line, "h_v ← ")
		if ok && r.Eta != nil {
			prox := strings.ReplaceAll(r.Eta.Text().Prox, "σ_v", strings.TrimSpace(scale(sigma)))
			t.Lines[i] = left + "h_v ← " + fmt.Sprintf(prox, right)
		}
	}
	t.Where = append(append([]string{gammaText(gamma)}, sigmaText(sigma)...), t.Where...)
	return t
}

// scale is σ_v as a factor, nothing where it is 1.
func scale(sigma descent.Preconditioner) string {
	switch sigma.(type) {
	case nil, descent.Identity:
		return ""
	}
	return "σ_v "
}

// rule is the update without the prox, σ_v being s.
func rule(a descent.Algorithm, s string) UpdateText {
	switch a := a.(type) {
	case descent.Proximal:
		return UpdateText{Name: "proximal gradient", Lines: []string{"h_v ← h_v − γ " + s + "g_v"}}
	case descent.Momentum:
		return UpdateText{"momentum", []string{"s_v ← β s_v + (1−β) " + s + "g_v", "h_v ← h_v − γ s_v"}, []string{equals("β", a.Beta)}}
	case descent.HeavyBall:
		return UpdateText{"heavy ball", []string{"s_v ← β s_v + " + s + "g_v", "h_v ← h_v − γ s_v"}, []string{equals("β", a.Beta)}}
	case descent.Nesterov:
		beta := "β_l of FISTA"
		if a.Beta != 0 {
			beta = equals("β", a.Beta)
		}
		return UpdateText{"Nesterov", []string{"y_v = h_v + β (h_v − h_v of the layer before)", "h_v ← y_v − γ " + s + "g_v, g at y"}, []string{beta}}
	case descent.AdaGrad:
		return UpdateText{"AdaGrad", []string{"s_v ← s_v + (" + s + "g_v)²", "h_v ← h_v − γ " + s + "g_v/(√s_v + ε)"}, nil}
	case descent.RMSProp:
		return UpdateText{"RMSProp", []string{"s_v ← β s_v + (1−β) (" + s + "g_v)²", "h_v ← h_v − γ " + s + "g_v/(√s_v + ε)"},
			[]string{equals("β", orElse(a.Beta, 0.9))}}
	case descent.Adam:
		return UpdateText{"Adam", []string{"m_v ← β₁ m_v + (1−β₁) " + s + "g_v", "w_v ← β₂ w_v + (1−β₂) (" + s + "g_v)²",
			"h_v ← h_v − γ m̂_v/(√ŵ_v + ε)"}, []string{equals("β₁", orElse(a.Beta1, 0.9)), equals("β₂", orElse(a.Beta2, 0.999)),
			"m̂ = m/(1−β₁ˡ), ŵ = w/(1−β₂ˡ)"}}
	case descent.TWIRLS:
		return UpdateText{"TWIRLS, not a descent on this energy", []string{"h_v ← (1−γ) h_v + γ λ row v of D̃^−½ (A+I) D̃^−½ H + γ π_v/D̃_v"}, []string{"D̃ = λD + I"}}
	case descent.Weights:
		return UpdateText{"gradient descent on W", []string{"h_v ← h_v − γ row v of X Xᵀ g"}, []string{"H = XW, W = 0 at first"}}
	case descent.Attention:
		t := rule(a.A, s)
		t.Name += ", reweighted"
		t.Where = append(t.Where, fmt.Sprintf("edges weigh 1/max(q^%g, %g) from step %d on, q = ‖h_u − h_v‖² there", 1-a.P/2, a.Tau, a.At))
		if a.T > 0 {
			t.Where = append(t.Where, fmt.Sprintf("and nothing where q^%g is above %g", 1-a.P/2, a.T))
		}
		return t
	}
	return UpdateText{Name: fmt.Sprintf("%T", a), Lines: []string{"h_v ← A(h_v, g_v)"}}
}

func gammaText(g descent.StepSize) string {
	switch g := g.(type) {
	case nil:
		return equals("γ", 1)
	case descent.Fixed:
		return equals("γ", float64(g))
	case descent.Forced:
		return equals("γ", float64(g)) + ", whatever the bound is"
	case descent.Safe:
		return "γ = 1/Lip, from the bounds of the terms"
	case descent.Backtracking:
		return fmt.Sprintf("γ by backtracking from %g", orElse(g.Start, 1))
	case descent.Trained:
		return "γ trained"
	}
	return fmt.Sprintf("γ by %T", g)
}

func sigmaText(s descent.Preconditioner) []string {
	switch s := s.(type) {
	case nil, descent.Identity:
		return nil
	case descent.Degree:
		return []string{"σ_v = 1/(k_v + q_v/2), k and q bounding the curvature of κ and f"}
	case descent.InverseDegree:
		return []string{"σ_v = 1/d_v, d the degree"}
	case descent.OneSided:
		return []string{"σ_v = 1/(k + λ d_v), d the edges out of v, k bounding the curvature of κ"}
	case descent.Softmax:
		return []string{fmt.Sprintf("σ_v = 1/(1 + Σ_u k_uv), k_uv = exp(−‖h_u − h_v‖²/%g)", 2*orElse(s.Tau, 1))}
	}
	return []string{fmt.Sprintf("σ_v by %T", s)}
}

// orElse is x, or a default where x is 0.
func orElse(x, def float64) float64 {
	if x == 0 {
		return def
	}
	return x
}
