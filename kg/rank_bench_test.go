package kg

import (
	"os"
	"testing"

	"github.com/bloomgml/bloom/dataset/catalogue"
	"github.com/bloomgml/bloom/metric"
)

// BenchmarkRank ranks both ends of all test facts of FB15k-237 among all entities, filtered, and sorts the known facts for it.
func BenchmarkRank(b *testing.B) {
	if os.Getenv("BLOOM_DATA") == "" {
		b.Skip("BLOOM_DATA is not set")
	}
	d, err := catalogue.Open("fb15k-237")
	if err != nil {
		b.Fatal(err)
	}
	for _, recipe := range []string{"distmult", "rotate"} {
		b.Run(recipe, func(b *testing.B) {
			c, err := For(recipe, "fb15k-237")
			if err != nil {
				b.Fatal(err)
			}
			m := newModel(c, d.Graph)
			for b.Loop() {
				if _, err := m.Rank(d.Test, metric.Candidates{Known: metric.NewKnown(d.Graph.Triples(), d.Valid, d.Test)}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
