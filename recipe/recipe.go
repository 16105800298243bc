package recipe

import (
	"slices"

	"github.com/bloomgml/bloom/descent"
	"github.com/bloomgml/bloom/internal/keys"
)

// Recipe is ℓ_low, A and L: an energy, an algorithm, and the number of steps.
type Recipe struct {
	Name    string            `key:"name" omit:"" doc:"name of this energy, for reports"`
	Summary string            `key:"summary" omit:"" doc:"one-line description"`
	Source  string            `key:"source" omit:"" doc:"where the formula comes from"` // the LaTeX label of the paper
	F       []Edge            `key:"f" doc:"the energy of an edge: one term, or a list of terms that are added"`
	Kappa   []Node            `key:"kappa" doc:"the energy of a node: one term, or a list of terms that are added"`
	Eta     Eta               `key:"eta" doc:"the constraint on h"` // nil means none
	A       descent.Algorithm `key:"descent" doc:"how the energy is minimised"`
	L       int               `key:"steps" range:"[0,10000]" doc:"L, the steps of the descent, and so the layers"`
}

// Certified reports whether steps keep to the bound of the energy, see descent.Certified.
func (r *Recipe) Certified() bool { return descent.Certified(r.A) }

// Update returns the update of a node, with the prox of η written out.
func (r *Recipe) Update() descent.Text {
	prox := ""
	if r.Eta != nil {
		_, prox = r.Eta.Text()
	}
	return descent.TextOf(r.A, prox)
}

// All returns the recipes, in the order of the paper.
func All() []*Recipe {
	return slices.Concat(features, bundles, stacks, accelerated, constrained, labels, typed, knowledge, bilevel(),
		paths)
}

// Names returns the names of All.
func Names() []string {
	var names []string
	for _, r := range All() {
		names = append(names, r.Name)
	}
	return names
}

// Find returns the recipe of a name; the error proposes the nearest.
func Find(name string) (*Recipe, error) {
	for _, r := range All() {
		if r.Name == name {
			return r, nil
		}
	}
	return nil, keys.NewUnknown("recipe", name, Names())
}
