package kg

import (
	"strings"

	"github.com/bloomgml/bloom/energy"
	"github.com/bloomgml/bloom/internal/nearest"
	"github.com/bloomgml/bloom/upper"
)

// Recipes are the names that For knows.
func Recipes() []string {
	return []string{"transe", "distmult", "complex", "rotate", "transe-bilevel", "distmult-bilevel", "complex-bilevel", "rotate-bilevel"}
}

// For are the settings of a recipe for a data set of the catalogue, or for any other. The error is an *Unknown.
func For(recipe, data string) (Config, error) {
	name, bilevel := strings.CutSuffix(recipe, "-bilevel")
	c, ok := ordinary(name, strings.ToLower(data))
	if !ok {
		return Config{}, &Unknown{"recipe", recipe, nearest.Name(recipe, Recipes())}
	}
	if bilevel {
		c = follow(c)
	}
	return c, nil
}

// ordinary are the settings with which H and E are trained together.
func ordinary(name, data string) (Config, bool) {
	c := Config{Dim: 128, Epochs: 15, Every: 3, Schedule: Linear, Seed: 1, Sample: 2000}
	products := func() {
		c.Loss, c.Negatives.Shared, c.Batch = upper.Softmax{}, 1024, 512
		c.Optimizer, c.Rate, c.Penalty = Adagrad, 0.1, Penalty{Weight: 0.02, Cubic: true}
	}
	distances := func() {
		c.Loss, c.Negatives.Shared, c.Batch = upper.Softmax{}, 1024, 512
		c.Optimizer, c.Rate = Adagrad, 0.1
	}
	switch name {
	case "distmult":
		c.Model = energy.DistMult{}
		products()
	case "complex":
		c.Model = energy.ComplEx{}
		products()
	case "transe":
		c.Model, c.Margin = energy.TransE{}, 6
		distances()
	case "rotate":
		c.Model, c.Margin = energy.RotatE{}, 6
		distances()
	default:
		return c, false
	}
	return c, true
}

// follow is c with H by descent.
func follow(c Config) Config {
	c.Bilevel = &Bilevel{}
	c.Reciprocal, c.Against, c.Penalty = false, Drawn, Penalty{}
	c.Optimizer, c.Rate, c.Epochs, c.Every = Adam, 0.01, 100, 10
	return c
}
