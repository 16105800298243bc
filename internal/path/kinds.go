package path

import (
	"math/bits"

	"github.com/bloomgml/bloom/mat"
)

// The kinds of edges s → r between relations that an entity joins, as r sees them: the entity is the head of both, the
// tail of both, the head of r and the tail of s, or the other way round.
const (
	headHead = iota
	tailTail
	headTail
	tailHead
	numKinds
)

// kinds returns the graph of relations of n, inverse ones included.
func (n *net) kinds() *mat.Triples {
	t, err := mat.NewTriples([3]int{2 * n.relations, 2 * n.relations, numKinds}, n.joins())
	must(err)
	return t
}

// joins lists edges to, from and of what kind: one for every pair of relations and every kind in which some entity
// joins them.
func (n *net) joins() [3][]int32 {
	r := 2 * n.relations
	var joined [numKinds][]set
	for k := range joined {
		joined[k] = make([]set, r)
	}
	heads, tails := newSet(r), newSet(r)
	for v := range n.nodes {
		clear(heads)
		clear(tails)
		for _, e := range n.out.edgesOf(int32(v)) {
			heads.add(int(n.relation[e]))
		}
		for _, e := range n.in.edgesOf(int32(v)) {
			tails.add(int(n.relation[e]))
		}
		for from := range heads.all() {
			join(joined[headHead], from, heads)
			join(joined[headTail], from, tails)
		}
		for from := range tails.all() {
			join(joined[tailTail], from, tails)
			join(joined[tailHead], from, heads)
		}
	}
	var to, from, by []int32
	for k, list := range joined {
		for r, joins := range list {
			for s := range joins.all() {
				to, from, by = append(to, int32(r)), append(from, int32(s)), append(by, int32(k))
			}
		}
	}
	return [3][]int32{to, from, by}
}

// join adds relations to those that a relation leads to.
func join(list []set, from int, to set) {
	if list[from] == nil {
		list[from] = make(set, len(to))
	}
	for i, w := range to {
		list[from][i] |= w
	}
}

// set is a set of numbers, a bit each.
type set []uint64

func newSet(n int) set { return make(set, (n+63)/64) }

func (s set) add(i int) { s[i/64] |= 1 << (i % 64) }

// bit is 1 for a number of the set, 0 for others.
func (s set) bit(i int32) int { return int(s[i>>6] >> (i & 63) & 1) }

// all goes through the numbers, ascending.
func (s set) all() func(yield func(int) bool) {
	return func(yield func(int) bool) {
		for i, w := range s {
			for ; w != 0; w &= w - 1 {
				if !yield(64*i + bits.TrailingZeros64(w)) {
					return
				}
			}
		}
	}
}
