package mat

import (
	"fmt"
	"math"
	"sync"
)

// Index is a list of row numbers below Bound, as an operation needs it to pick rows (Gather) and to add rows up by
// number (SegmentSum), or a list of class labels. It is immutable, except that the code that made it with NewBatchIndex
// may refill it between runs.
type Index struct {
	refillable
	n, bound int
	ids      []int32 // of one that is immutable

	pairing sync.Mutex
	pairs   map[*Index]*Sparse // see Incidence
}

// NewIndex returns an Index over a copy of ids on the default device, or an error that names the
// first id that is not in [0, bound). A negative bound is an error too.
func NewIndex(ids []int32, bound int) (*Index, error) { return newIndex(Default(), ids, bound) }

func newIndex(dev Device, ids []int32, bound int) (*Index, error) {
	if bound < 0 {
		return nil, fmt.Errorf("mat: index below the negative bound %d", bound)
	}
	if err := checkRange(ids, bound); err != nil {
		return nil, err
	}
	own := append(make([]int32, 0, len(ids)), ids...)
	at := placed{dev, dev.Index(own, bound)}
	return &Index{refillable: refillable{placed: at}, n: len(ids), bound: bound, ids: own}, nil
}

// MustIndex is NewIndex for ids that are in range by construction, like the ids of a graph. It panics if one is not.
func MustIndex(ids []int32, bound int) *Index {
	x, err := NewIndex(ids, bound)
	if err != nil {
		panic(fmt.Sprintf("mat: MustIndex: %v", err))
	}
	return x
}

// checkRange returns an error that names the first id that is not in [0, bound).
func checkRange(ids []int32, bound int) error {
	out, last := int32(0), int32(min(bound-1, math.MaxInt32))
	for _, id := range ids { // without a branch; out gets the sign of any id that is out of range
		out |= id | (last - id)
	}
	if out >= 0 {
		return nil
	}
	for i, id := range ids {
		if id < 0 || int(id) >= bound {
			return fmt.Errorf("position %d: id %d is not in [0, %d)", i, id, bound)
		}
	}
	return nil
}

// Len returns the number of ids.
func (x *Index) Len() int { return x.n }

// Bound returns one more than the largest id allowed.
func (x *Index) Bound() int { return x.bound }
