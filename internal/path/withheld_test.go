package path

import (
	"context"
	"slices"
	"testing"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/metric"
)

// TestWithheld: a fact that is withheld ranks as it does when it is asked about a graph that was built without the
// facts of its batch, among those that are no answers in the whole graph.
func TestWithheld(t *testing.T) {
	const nodes, relations = 30, 2
	facts := randomFacts(nodes, relations, 40, 5)
	g := mustBuild(t, nodes, relations, facts)
	for _, c := range variants() {
		m := newTrainer(t, c, g).Model
		asked := facts[:4] // a batch has three, and the first fact is there twice
		e, err := m.Withheld(context.Background(), &dataset.Dataset{Graph: g}, asked, metric.Candidates{})
		if err != nil {
			t.Fatal(err)
		}
		var want [2][]metric.Ranking
		for _, batch := range [][]graph.Triple{asked[:3], asked[3:]} {
			rest := slices.DeleteFunc(slices.Clone(facts), func(f graph.Triple) bool {
				return slices.Contains(batch, f)
			})
			a, err := newScorer(m, mustBuild(t, nodes, relations, rest))
			if err != nil {
				t.Fatal(err)
			}
			for i, q := range a.net.asked(batch) {
				if err := a.run(q); err != nil {
					t.Fatal(err)
				}
				among := metric.Candidates{Known: metric.NewKnown(facts)}
				want[i%2] = append(want[i%2], among.Place(a.byNode(), batch[i/2], i%2, 0))
			}
		}
		all := slices.Concat(want[:]...)
		if got := metric.Rankings(e); !slices.Equal(got, all) {
			t.Errorf("%s: ranks %v, want %v", c.name(), got, all)
		}
		seen, err := m.Evaluate(context.Background(), &dataset.Dataset{Graph: g}, asked, metric.Candidates{})
		if err != nil || slices.Equal(metric.Rankings(seen), all) {
			t.Errorf("%s: nothing was withheld, error %v", c.name(), err)
		}
	}
}
