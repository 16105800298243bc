package kg

import (
	"os"
	"testing"

	"github.com/bloomgml/bloom/dataset/catalogue"
	"github.com/bloomgml/bloom/energy"
	"github.com/bloomgml/bloom/metric"
)

// BenchmarkRank ranks both ends of all test facts of FB15k-237 among all entities, filtered, and sorts the known facts
// for it.
func BenchmarkRank(b *testing.B) {
	if os.Getenv("BLOOM_DATA") == "" {
		b.Skip("BLOOM_DATA is not set")
	}
	d, err := catalogue.Open("fb15k-237")
	if err != nil {
		b.Fatal(err)
	}
	for _, c := range []Config{{Model: energy.DistMult}, {Model: energy.RotatE(energy.NormSquared, 0), Dim: 200}} {
		b.Run(energy.NameOf(c.Model), func(b *testing.B) {
			m := newModel(c.filled(), d.Graph)
			for b.Loop() {
				if _, err := m.Rank(d.Test, metric.Candidates{Known: metric.NewKnown(d.Graph.Triples(), d.Valid,
					d.Test)}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
