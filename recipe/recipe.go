package recipe

import (
	"fmt"
	"slices"

	"github.com/bloomgml/bloom/descent"
	"github.com/bloomgml/bloom/internal/nearest"
)

// Recipe is ℓ_low, A and L: an energy, how to go down, and how many steps.
type Recipe struct {
	Name    string
	Summary string // one line for people
	Source  string // the LaTeX label of the paper; empty for a user's own
	F       []Edge
	Kappa   []Node
	Eta     Eta // nil means none
	A       descent.Algorithm
	L       int
}

// All are the recipes, in the order of the paper.
func All() []*Recipe {
	return slices.Concat(features, accelerated, constrained, labels, typed, knowledge, bilevel(), paths)
}

// Names are the names of All.
func Names() []string {
	var names []string
	for _, r := range All() {
		names = append(names, r.Name)
	}
	return names
}

// Unknown is the error for a name that no recipe has.
type Unknown struct {
	Name    string
	Nearest string // the name that was probably meant; empty where none is near
}

// Error proposes the nearest name.
func (e *Unknown) Error() string {
	if e.Nearest == "" {
		return fmt.Sprintf("no recipe %q", e.Name)
	}
	return fmt.Sprintf("no recipe %q; did you mean %q?", e.Name, e.Nearest)
}

// Find is the recipe of a name; the error is an *Unknown.
func Find(name string) (*Recipe, error) {
	for _, r := range All() {
		if r.Name == name {
			return r, nil
		}
	}
	return nil, &Unknown{name, nearest.Name(name, Names())}
}
