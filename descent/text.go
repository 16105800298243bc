package descent

import (
	"fmt"
	"strings"
)

// Text describes an algorithm for people.
type Text struct {
	Name  string   // of the algorithm
	Lines []string // what a node does with its gradient g_v; the prox of η is applied to what h_v becomes
	Where []string // γ, σ and the other numbers
}

// TextOf returns the update of a node by an algorithm, with prox, in which %s is the point, around it; empty for none.
// Parts that are not Explained go by their type.
func TextOf(a Algorithm, prox string) Text {
	gamma, sigma := Pace(a)
	scale := ""
	if sigma != nil {
		scale = "σ_v "
	}
	t := textOf(a, scale)
	for i, line := range t.Lines {
		if left, right, ok := strings.Cut(line, "h_v ← "); ok && prox != "" {
			prox := strings.ReplaceAll(prox, "σ_v", strings.TrimSpace(scale))
			t.Lines[i] = left + "h_v ← " + fmt.Sprintf(prox, right)
		}
	}
	var where []string
	switch _, paced := a.(Paced); {
	case gamma != nil:
		where = []string{partText(gamma, "γ by %T")}
	case paced:
		where = []string{equals("γ", 1)}
	}
	if sigma != nil {
		where = append(where, partText(sigma, "σ_v by %T"))
	}
	t.Where = append(where, t.Where...)
	return t
}

// textOf returns the update without prox, γ and σ, σ_v being sigma.
func textOf(a Algorithm, sigma string) Text {
	if t, ok := a.(Explained); ok {
		return t.Text(sigma)
	}
	return Text{Name: fmt.Sprintf("%T", a), Lines: []string{"h_v ← A(h_v, g_v)"}}
}

// partText returns γ or σ.
func partText(x any, other string) string {
	if t, ok := x.(ExplainedPart); ok {
		return t.Text()
	}
	return fmt.Sprintf(other, x)
}

// equals returns "λ = 0.5".
func equals(name string, v float64) string { return fmt.Sprintf("%s = %g", name, v) }
