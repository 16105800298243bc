package swap

import (
	"math/bits"

	"github.com/bloomgml/bloom/mat"
)

// spread numbers n entities anew, at random and without a list, so that every part has entities of all kinds: four
// rounds of a Feistel network over pairs of half as many bits, repeated until the number is below n.
type spread struct {
	n    uint64
	half int // bits
}

func newSpread(n int) spread { return spread{uint64(n), (bits.Len64(uint64(max(1, n-1))) + 1) / 2} }

// of is the new number of v.
func (s spread) of(v int32) int32 {
	x := uint64(v)
	for {
		left, right, mask := x>>s.half, x&(1<<s.half-1), uint64(1)<<s.half-1
		for round := range uint64(4) {
			left, right = right, left^mat.Mix(round, right)&mask
		}
		if x = left<<s.half | right; x < s.n {
			return int32(x)
		}
	}
}
