package path

import "testing"

// BenchmarkStep is one training batch at the size of WN18RR v1, on random facts.
func BenchmarkStep(b *testing.B) {
	g := mustBuild(b, 2746, 9, randomFacts(2746, 9, 5409, 1))
	for _, c := range []Config{{}, {Aggregate: PNA}, {Message: TransE}, {Message: TransE, Aggregate: PNA}} {
		c = c.withDefaults()
		b.Run(string(c.Message)+"-"+string(c.Aggregate), func(b *testing.B) {
			t := newTrainer(b, c, g)
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				if err := t.Batch(1, i%t.Batches()); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
