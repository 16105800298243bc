package path

import (
	"testing"
)

// BenchmarkStep is one training batch at the size of WN18RR v1, on random facts.
func BenchmarkStep(b *testing.B) {
	for _, a := range []Aggregate{Sum, PNA} {
		b.Run(string(a), func(b *testing.B) {
			g := mustBuild(b, 2746, 9, randomFacts(2746, 9, 5409, 1))
			t := newTrainer(b, Config{Aggregate: a}, g)
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				if _, err := t.Step(0, i%t.Batches()); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
