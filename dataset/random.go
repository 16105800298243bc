package dataset

import (
	"math/rand/v2"
	"slices"

	"github.com/bloomgml/bloom/mat"
)

// stream separates the random numbers that one seed gives to different purposes, so that asking
// for more of one does not change another.
type stream uint64

const (
	streamSplit stream = iota + 1
	streamGraph
	streamFeatures
	streamCorrupt
)

// newRand is the generator of a seed and a purpose: PCG, the same on every platform.
func newRand(seed uint64, s stream) *rand.Rand { return rand.New(rand.NewPCG(seed, uint64(s))) }

// newRandAt is the generator of one of many things of a purpose, such as a node or a split: what it
// gives depends on i and on none of the others.
func newRandAt(seed uint64, s stream, i int) *rand.Rand { return newRand(mat.Mix(seed, uint64(i)), s) }

// shuffle puts items into a random order.
func shuffle[T any](rng *rand.Rand, items []T) {
	rng.Shuffle(len(items), func(i, j int) { items[i], items[j] = items[j], items[i] })
}

// draw returns k of the numbers 0 ≤ i < n, ascending, every set of k with equal probability.
func draw(rng *rand.Rand, n, k int) []int32 {
	all := make([]int32, n)
	for i := range all {
		all[i] = int32(i)
	}
	for i := range k {
		j := i + rng.IntN(n-i)
		all[i], all[j] = all[j], all[i]
	}
	slices.Sort(all[:k])
	return all[:k:k]
}
