// Package random draws numbers by seed and purpose, the same on every platform, and initialises parameters.
package random

import (
	"math/rand/v2"
	"slices"

	"github.com/bloomgml/bloom/mat"
)

// Stream separates the random numbers that one seed gives to different purposes, so that asking
// for more of one does not change another.
type Stream uint64

// The purposes.
const (
	Splits Stream = iota + 1
	Graph
	Features
	Corruption
	Patterns  // which nodes differ in how their edges are drawn
	Negatives // of events
)

// New returns the generator of a seed and a purpose: PCG, the same on every platform.
func New(seed uint64, s Stream) *rand.Rand { return rand.New(rand.NewPCG(seed, uint64(s))) }

// At returns the generator of item i of a purpose, such as a node or a split: it depends on i and on no other item.
func At(seed uint64, s Stream, i int) *rand.Rand { return New(mat.Mix(seed, uint64(i)), s) }

// Shuffle puts items into a random order.
func Shuffle[T any](rng *rand.Rand, items []T) {
	rng.Shuffle(len(items), func(i, j int) { items[i], items[j] = items[j], items[i] })
}

// Subset returns k of the numbers 0 ≤ i < n, ascending, every set of k with equal probability.
func Subset(rng *rand.Rand, n, k int) []int32 {
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
