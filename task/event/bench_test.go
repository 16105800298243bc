package event

import (
	"math/rand/v2"
	"testing"

	"github.com/bloomgml/bloom/mat"
)

// BenchmarkEvent scores 1,000 targets for an event and learns it; 8,000 sources mostly stay with their last target.
func BenchmarkEvent(b *testing.B) {
	const sources, targets = 8000, 1000
	list := make([]int32, targets)
	for i := range list {
		list[i] = int32(sources + i)
	}
	m := newModel(sources+targets, list, newClock(1e6))
	m.w = make([]mat.Real, m.numWeights())
	rng := rand.New(rand.NewPCG(1, 1))
	z, last := make([]mat.Real, targets), make([]int32, sources)
	at := 0.0
	event := func(score bool) {
		s := int32(sources * rng.Float64() * rng.Float64() * rng.Float64())
		if last[s] == 0 || rng.IntN(5) == 0 {
			last[s] = list[int(targets*rng.Float64()*rng.Float64())]
		}
		if at += 20 * rng.Float64(); score {
			m.scores(z, s, at)
		}
		m.learn(s, last[s], at)
	}
	for range 100_000 {
		event(false)
	}
	for b.Loop() {
		event(true)
	}
}
