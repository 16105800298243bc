package config_test

import (
	"fmt"
	"slices"

	"github.com/bloomgml/bloom/config"
)

// A recipe has settings for any data set and others for some; what they are expected to reach is known for a few.
func ExampleDefault() {
	c, err := config.Default("robust", "cora")
	fmt.Println(c.Recipe, c.Data.Name, err)
	fmt.Println(config.DefaultRecipe("minesweeper") != "", slices.Contains(config.SettingsFor("robust"), "cora"))
	summary, _ := config.About("robust")
	fmt.Println(summary)
	fmt.Printf("expected on data of your own: %q\n", config.Expected("robust", "mine"))
	// Output:
	// robust cora <nil>
	// true true
	// base with a Huber penalty: nodes with bad features have limited influence
	// expected on data of your own: ""
}

// Everything that can be trained, energies and baselines.
func ExampleNames() {
	fmt.Println(slices.Contains(config.Names(), "robust"), slices.Contains(config.Names(), "gcn"))
	fmt.Println(config.IsBaseline("robust"), config.IsBaseline("gcn"))
	// Output:
	// true true
	// false true
}

// The keys of a config come with what they take, as a list and as JSON Schema.
func ExampleKeys() {
	for _, k := range config.Keys() {
		if k.Path == "train.epochs" {
			fmt.Println(k.Path, k.Range)
		}
	}
	fmt.Println(len(config.Schema()) > 0, config.Recognise([]byte("recipe: base\n")))
	// Output:
	// train.epochs 0 or more
	// true true
}
