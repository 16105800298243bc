package recipe_test

import (
	"fmt"

	"github.com/bloomgml/bloom/energy"
	"github.com/bloomgml/bloom/recipe"
)

// A recipe is a literal that reads like its formula; a name that is not there is answered with the nearest.
func ExampleFind() {
	r, err := recipe.Find("robust")
	if err != nil {
		panic(err)
	}
	fmt.Println(r.Summary)
	fmt.Println(len(r.F), "edge term,", len(r.Kappa), "node term")
	_, err = recipe.Find("robst")
	fmt.Println(err)
	// Output:
	// base with a Huber penalty: nodes with bad features have limited influence
	// 1 edge term, 1 node term
	// no recipe "robst"; did you mean "robust"?
}

// A path model with other messages than the recipe path has.
func ExamplePathModel() {
	r := recipe.PathModel("transe", "pna", 4)
	fmt.Println(r.Kappa[0].Text().Kappa)
	fmt.Println(r.Update().Lines[0], r.L)
	// Output:
	// −⟨h_v, pna{(h̄_u + e_r), x_v} Φ⟩ − ⟨h_v, h̄_v Ψ⟩
	// h_v ← h_v + max(0, s∘norm(b − g_v) + t) 4
}

// The score of a knowledge graph model, as an edge term and back, and parts that need nothing of the data.
func ExampleScore() {
	r := &recipe.Recipe{F: []recipe.Edge{recipe.Score(energy.TransE(energy.NormSquared, 0), 6)}, Eta: recipe.Clamp}
	_, margin, ok := recipe.ScoreOf(r)
	fmt.Println(margin, ok, recipe.Placeless(r.Eta))
	// Output: 6 true false
}
