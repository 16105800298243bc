package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/bloomgml/bloom/config"
)

// shippedAs is the recipe with the settings of a cell of beyond, "" if no recipe has them.
func shippedAs(c *Cell) string {
	switch c.Row + " " + c.Data {
	case "consistent-features cora", "consistent-features citeseer", "consistent-wide pubmed":
		return "consistent"
	}
	if strings.HasPrefix(c.Row, "stack-") && config.Expected(c.Row, c.Data) != "" {
		return c.Row
	}
	return ""
}

// TestShipped: where a recipe is said to reach a figure of beyond, its settings are those that the search chose.
func TestShipped(t *testing.T) {
	e, err := Find("beyond")
	if err != nil {
		t.Fatal(err)
	}
	cells, err := e.Cells("cells")
	if err != nil {
		t.Fatal(err)
	}
	count := 0
	for _, c := range cells {
		if recipe := shippedAs(c); recipe != "" {
			count++
			checkShipped(t, c, recipe)
		}
	}
	if count != 7 {
		t.Errorf("%d recipes", count)
	}
}

// checkShipped holds the settings and the figure of a recipe to those of a cell.
func checkShipped(t *testing.T, c *Cell, recipe string) {
	t.Helper()
	var chosen []string
	for key, value := range c.Ours.Chosen {
		chosen = append(chosen, key+"="+value)
	}
	searched, err := c.Config(chosen...)
	if err != nil {
		t.Fatal(err)
	}
	got, err := config.Default(recipe, c.Data)
	if err != nil {
		t.Fatal(err)
	}
	searched.Recipe = recipe
	e, of := searched.Energy, got.Energy
	e.Name, e.Summary, e.Source = of.Name, of.Summary, of.Source
	if string(got.YAML()) != string(searched.YAML()) {
		t.Errorf("%s: settings\n%s\nwant\n%s", c, got.YAML(), searched.YAML())
	}
	for _, s := range c.Ours.Numbers {
		figure := fmt.Sprintf(" %.2f ± %.2f,", s.Mean, s.SD)
		if said := config.Expected(recipe, c.Data); !strings.Contains(said, figure) {
			t.Errorf("%s: %q, want%s", c, said, figure)
		}
	}
}
