package graph

import "math/bits"

// Random numbers here are counters put through a mixer, not a sequence: the number at a place is
// a function of the place, so that any part of an epoch can be drawn alone, in any order.

// golden is 2⁶⁴/φ, odd: consecutive multiples of it spread evenly over 64 bits.
const golden = 0x9e3779b97f4a7c15

// mix is the finaliser of SplitMix64 (Stafford's variant 13), a bijection of 64 bits in which
// every input bit flips every output bit with probability near one half.
func mix(x uint64) uint64 {
	x ^= x >> 30
	x *= 0xbf58476d1ce4e5b9
	x ^= x >> 27
	x *= 0x94d049bb133111eb
	return x ^ x>>31
}

// place mixes a key with the number of a place under it.
func place(key, i uint64) uint64 { return mix(key + (i+1)*golden) }

// upTo maps 64 random bits to 0 ≤ k < n. Its bias is below n/2⁶⁴, that is 2⁻³³ for int32 ids.
func upTo(x uint64, n int) int32 {
	k, _ := bits.Mul64(x, uint64(n))
	return int32(k)
}
