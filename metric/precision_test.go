package metric

import (
	"math/rand/v2"
	"testing"
)

// TestAveragePrecision compares with the definition, the precision at every place of what is looked for, where scores
// differ; and with the share of it where they are all equal.
func TestAveragePrecision(t *testing.T) {
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(seed, 4))
		all := make([]scored, 1+rng.IntN(40))
		for i, place := range rng.Perm(len(all)) {
			all[i] = scored{float64(place), i == 0 || rng.IntN(3) == 0}
		}
		sum, found := 0.0, 0.0
		for rank := 1; rank <= len(all); rank++ {
			for _, x := range all {
				if x.score == float64(len(all)-rank) && x.first {
					found++
					sum += found / float64(rank)
				}
			}
		}
		if got := precisionOf(all); !near(got, sum/found) {
			t.Errorf("seed %d: %v, want %v", seed, got, sum/found)
		}
		for i := range all {
			all[i].score = 7
		}
		if got := precisionOf(all); !near(got, found/float64(len(all))) {
			t.Errorf("seed %d: %v where all scores are equal, want the share %v", seed, got, found/float64(len(all)))
		}
	}
}
