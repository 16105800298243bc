package recipe_test

import (
	"fmt"
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/bloomgml/bloom/recipe"
)

const mine = `
name: mine
f: {term: laplace, lambda: 2}
kappa: {anchor: huber, threshold: 0.5}
descent: {algorithm: proximal, gamma: safe}
steps: 4
`

// A file decodes to the same structs as the literals of this package; what it does not know is answered with its place.
func ExampleRead() {
	r, err := recipe.Read("mine.yaml", []byte(mine))
	fmt.Println(r.Name, r.L, len(r.F), err)
	_, err = recipe.Read("mine.yaml", []byte("f: {term: laplace}\nkapa: []"))
	fmt.Println(err)
	// Output:
	// mine 4 1 <nil>
	// mine.yaml:2:1: unknown key "kapa"; did you mean "kappa"?
}

// Encode is the way back.
func ExampleEncode() {
	r, err := recipe.Find("robust")
	if err != nil {
		panic(err)
	}
	node, err := recipe.Encode(r)
	if err != nil {
		panic(err)
	}
	text, err := yaml.Marshal(node)
	if err != nil {
		panic(err)
	}
	again, err := recipe.Read("robust.yaml", text)
	fmt.Println(again.Name, again.L == r.L, err)
	// Output: robust true <nil>
}

// All recipes of this package, and the parts that files can name.
func ExampleAll() {
	fmt.Println(len(recipe.All()) == len(recipe.Names()), slices.Contains(recipe.Names(), "halo"))
	for _, kind := range recipe.Parts() {
		fmt.Println(kind.Name, len(kind.Parts) > 1)
	}
	// Output:
	// true true
	// edge term true
	// node term true
	// eta true
	// penalty true
	// algorithm true
	// step size true
	// preconditioner true
}
