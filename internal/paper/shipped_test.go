package paper

import (
	"fmt"
	"strings"
	"testing"

	"github.com/bloomgml/bloom/config"
)

// TestShippedStacks: where a stack is said to reach a figure of beyond, its settings are those that the search chose.
func TestShippedStacks(t *testing.T) {
	e, err := Find("beyond")
	if err != nil {
		t.Fatal(err)
	}
	cells, err := e.Cells()
	if err != nil {
		t.Fatal(err)
	}
	count := 0
	for _, c := range cells {
		said := config.Expected(c.Row, c.Data)
		if !strings.HasPrefix(c.Row, "stack-") || said == "" {
			continue
		}
		count++
		var chosen []string
		for key, value := range c.Ours.Chosen {
			chosen = append(chosen, key+"="+value)
		}
		want, err := c.Config(chosen...)
		if err != nil {
			t.Fatal(err)
		}
		got, err := config.Default(c.Row, c.Data)
		if err != nil || string(got.YAML()) != string(want.YAML()) {
			t.Errorf("%s: %v, settings\n%s\nwant\n%s", c, err, got.YAML(), want.YAML())
		}
		s := c.Ours.Numbers["ten splits"]
		if figure := fmt.Sprintf(" %.2f ± %.2f,", s.Mean, s.SD); !strings.Contains(said, figure) {
			t.Errorf("%s: %q, want%s", c, said, figure)
		}
	}
	if count != 4 {
		t.Errorf("%d stacks", count)
	}
}
