package metric

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/bloomgml/bloom/internal/kernel"
	"github.com/bloomgml/bloom/mat"
)

// TestAveragePrecision compares with the definition, the precision at every place of what is looked for, where scores
// differ; and with the share of it where they are all equal.
func TestAveragePrecision(t *testing.T) {
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(seed, 4))
		n := 1 + rng.IntN(40)
		var all, equal samples
		first := make([]bool, n) // by score
		for i, place := range rng.Perm(n) {
			first[place] = i == 0 || rng.IntN(3) == 0
			all.add(float64(place), first[place])
			equal.add(7, first[place])
		}
		sum, found := 0.0, 0.0
		for rank := 1; rank <= n; rank++ {
			if first[n-rank] {
				found++
				sum += found / float64(rank)
			}
		}
		if got := all.precision(); !near(got, sum/found) {
			t.Errorf("seed %d: %v, want %v", seed, got, sum/found)
		}
		if got := equal.precision(); !near(got, found/float64(n)) {
			t.Errorf("seed %d: %v where all scores are equal, want the share %v", seed, got, found/float64(n))
		}
	}
}

// TestOneAgainstRest compares with probabilities of whole rows and one class after another, of more classes than are
// measured at a time and more nodes than are one piece: the same bits on any number of threads.
func TestOneAgainstRest(t *testing.T) {
	defer kernel.SetThreads(0)
	rng := rand.New(rand.NewPCG(6, 5))
	n, k := 2*normalsOf+77, 2*atOnce+3
	p := Predictions{Logits: make([]mat.Real, n*k), Classes: k, Labels: make([]int32, n)}
	for i := range p.Logits {
		p.Logits[i] = mat.Real(rng.NormFloat64())
	}
	for v := range p.Labels {
		p.Labels[v] = int32(rng.IntN(k)) - 1 // nobody has the last class, which is left out
	}
	_, truth, prob := p.naive()
	for name, of := range map[string]func(*samples) float64{
		"roc_auc": (*samples).auc, "average_precision": (*samples).precision} {
		var each []float64
		for c := range k - 1 {
			var s samples
			for i, row := range prob {
				s.add(row[c], truth[i] == c)
			}
			each = append(each, of(&s))
		}
		m, _ := ByName(name)
		for _, threads := range []int{1, 2, 8} {
			kernel.SetThreads(threads)
			got, want := m.Nodes(p), naiveMean(each)
			if !near(got, want) {
				t.Errorf("%s on %d threads: %v, want %v", name, threads, got, want)
			}
			kernel.SetThreads(1)
			if one := m.Nodes(p); math.Float64bits(one) != math.Float64bits(got) {
				t.Errorf("%s on %d threads: %v, on one %v", name, threads, got, one)
			}
		}
	}
}
