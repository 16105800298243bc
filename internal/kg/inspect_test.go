package kg

import (
	"context"
	"strings"
	"testing"

	"github.com/bloomgml/bloom/descent"
	"github.com/bloomgml/bloom/energy"
	"github.com/bloomgml/bloom/internal/inspect"
	"github.com/bloomgml/bloom/recipe"
)

// TestEmbeddings: what is shown of embeddings is what training runs, for the shipped settings, all entities at once and
// other losses: the algorithm and the steps of the config, and an energy whose gradient is right and which the steps
// lower.
func TestEmbeddings(t *testing.T) {
	for _, name := range strings.Fields("transe distmult complex rotate transe-bilevel distmult-bilevel " +
		"complex-bilevel rotate-bilevel") {
		r, err := recipe.Find(name)
		if err != nil {
			t.Fatal(err)
		}
		model, _, _ := recipe.ScoreOf(r)
		c := Config{Model: model.(energy.QueryModel), Loss: Softmax{}, Negatives: Negatives{Shared: 1024},
			Penalty: Penalty{Weight: 0.02, Cubic: true}}
		if strings.HasSuffix(name, "-bilevel") {
			c.Bilevel = &Bilevel{L: 5, Gamma: 0.2, Block: 100, Negatives: 128}
		}
		configs := map[string]Config{"shipped": c}
		if c.Bilevel != nil {
			all := *c.Bilevel
			all.Block, all.Negatives, all.Gamma = 0, 2, 0.01
			held := c
			held.Loss, held.Negatives = SelfAdversarial{T: 2}, Negatives{PerSide: 3}
			configs["weights that are held"] = held
			c.Bilevel = &all
			configs["at once"] = c
		} else {
			c.Loss, c.Negatives = SelfAdversarial{}, Negatives{PerSide: 3}
			configs["another loss"] = c
			c.Loss = SelfAdversarial{T: 2}
			configs["weights that are held"] = c
		}
		for way, c := range configs {
			rep, err := Inspect(context.Background(), Inspected{r, c, "adagrad", 0.01},
				inspect.Options{Nodes: 24, Steps: -1, Seed: 1})
			if err != nil {
				t.Fatalf("%s, %s: %v", name, way, err)
			}
			steps := 0
			if c.Bilevel != nil {
				steps = c.Bilevel.L
			}
			first, last := rep.Trace[0], rep.Trace[len(rep.Trace)-1]
			if !rep.Gradient.OK || rep.Descent != "AdaGrad" || last.Step != steps || steps > 0 &&
				!(last.Energy < first.Energy) {
				t.Errorf("%s, %s: %+v, %s, %d steps, energy %v → %v", name, way, rep.Gradient, rep.Descent, last.Step,
					first.Energy, last.Energy)
			}
			if b := c.Bilevel; b != nil && b.Block > 0 {
				if r.A != descent.AdaGrad(descent.Fixed(b.Gamma), nil) || r.L != b.L {
					t.Errorf("%s: the recipe has %#v and %d steps, the settings γ = %v and %d", name, r.A, r.L,
						b.Gamma, b.L)
				}
			}
		}
	}
}
