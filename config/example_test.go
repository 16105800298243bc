package config_test

import (
	"fmt"

	"github.com/bloomgml/bloom/config"
)

func ExampleLoad() {
	c, err := config.Load(config.Options{
		File: "my.yaml",
		Text: []byte("recipe: robust\ndata: {name: cora}\ntrain: {epochs: 300}"),
		Set:  []string{"energy.f.lambda=5"},
	})
	fmt.Println(c.Recipe, c.Data.Name, c.Train.Epochs, c.Train.Rate, c.Energy.L, err)

	_, err = config.Load(config.Options{File: "my.yaml", Text: []byte("train:\n  epochz: 300")})
	fmt.Println(err)
	// Output:
	// robust cora 300 0.3 8 <nil>
	// my.yaml:2:3: unknown key "train.epochz"; did you mean "train.epochs"?
}
