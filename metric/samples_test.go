package metric

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/bloomgml/bloom/internal/kernel"
	"github.com/bloomgml/bloom/mat"
)

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
	told := p.naive()
	for name, of := range map[string]func(*samples) float64{
		"roc_auc": (*samples).auc, "average_precision": (*samples).precision} {
		var each []float64
		for c := range k - 1 {
			var s samples
			for i, row := range told.prob {
				s.add(row[c], told.truth[i] == c)
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
