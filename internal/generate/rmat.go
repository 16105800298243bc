package generate

import (
	"fmt"
	"math/bits"

	"github.com/bloomgml/bloom/internal/random"
	"github.com/bloomgml/bloom/mat"
)

// rmat is the recursive matrix of Chakrabarti, Zhan and Faloutsos (2004): the bits of both ends are drawn together from
// the highest, (0,0), (0,1), (1,0) and (1,1) with the probabilities 0.57, 0.19, 0.19 and 0.05 of Graph500, to 2⁻¹⁶. As
// ends share their first bits more often than not, classes are the ranges of nodes with the same first bits.
type rmat struct {
	seed  uint64
	bits  int // of a node
	shift int // to the class
}

func newRMAT(v values) (edges, error) {
	n := uint64(v.whole("nodes"))
	if n&(n-1) != 0 {
		return nil, fmt.Errorf("nodes=%d is not a power of two", n)
	}
	if v.whole("classes") > int(n) {
		return nil, fmt.Errorf("classes=%d of %d nodes", v.whole("classes"), n)
	}
	b := bits.Len64(n) - 1
	return rmat{mat.Mix(v.seed(), uint64(random.Graph)), b, b - bits.Len(uint(v.whole("classes"))) + 1}, nil
}

func (r rmat) nodes() int          { return 1 << r.bits }
func (r rmat) class(v int32) int32 { return v >> r.shift }

func (r rmat) edge(i uint64) (u, v int32) {
	x := mat.Mix(r.seed, i)
	for b := range r.bits {
		if b%4 == 0 && b > 0 {
			x = mat.Mix(x, i)
		}
		q := x >> (16 * (b % 4)) & 0xffff
		u, v = u<<1, v<<1
		switch {
		case q < 37355:
		case q < 49807:
			v++
		case q < 62259:
			u++
		default:
			u, v = u+1, v+1
		}
	}
	return u, v
}
