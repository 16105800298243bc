package sample

import (
	"math/rand/v2"
	"slices"

	"github.com/bloomgml/bloom/mat"
)

// Rows go through the neighbours of nodes in order, some nodes at a time: those of node first + r are
// idx[ptr[r]:ptr[r+1]]. A graph on the disk is then read from one end to the other, but for rows of which none is
// wanted: wanted is asked about the nodes from one to before another.
type Rows func(wanted func(first, end int) bool, yield func(first int, ptr []int64, idx []int32) error) error

// Part is what one step trains on.
type Part struct {
	Nodes []int32 // ascending
	Seeds []int32 // where the nodes of the batch are among them, ascending
}

// Batches are nodes, divided, around which parts are drawn.
type Batches struct {
	Options
	list  []member // the nodes
	all   []member // the nodes of whole parts, where they are clusters; nil where neighbours are drawn
	count int
	seed  uint64
	anew  bool
}

// Divide divides seeds into batches at random, all of nearly one size.
func Divide(seeds []int32, o Options, seed uint64) *Batches {
	b := newBatches(len(seeds), o, seed)
	rng := rand.New(rand.NewPCG(seed, uint64(len(seeds))))
	order := rng.Perm(len(seeds))
	for i, v := range seeds {
		b.list[i] = memberOf(v, int32(order[i]*b.count/len(seeds)))
	}
	slices.Sort(b.list)
	return b
}

// InOrder divides the first n nodes into batches of nodes that follow one another.
func InOrder(n int, o Options, seed uint64) *Batches {
	b := newBatches(n, o, seed)
	for v := range n {
		b.list[v] = memberOf(int32(v), int32(v*b.count/n))
	}
	return b
}

func newBatches(n int, o Options, seed uint64) *Batches {
	return &Batches{Options: o, list: make([]member, n), count: (n + o.Batch - 1) / o.Batch, seed: seed}
}

// Len is how many there are.
func (b *Batches) Len() int { return b.count }

// Anew reports whether other batches can be dealt of the same clusters.
func (b *Batches) Anew() bool { return b.anew }

// Draw lets neighbours come in to the batches from first to before end: of every node that came in last up to Fanout,
// Hops times (Hamilton et al. 2017). All edges between the nodes of a part are meant to be its edges (Zeng et al.
// 2021), so that those at its rim have neighbours too. Everything is a function of seed and node, whichever way rows
// are cut and batches are asked for. It holds 16 bytes for every node of every part. Above most nodes in all parts
// together, where that is not 0, it gives up and returns none.
func (b *Batches) Draw(rows Rows, first, end, most int) ([]Part, error) {
	seeds := between(b.list, first, end)
	if b.all != nil {
		return cut(seeds, between(b.all, first, end), first, end, most), nil
	}
	all, last := seeds, seeds
	for hop := range b.Hops {
		next, err := around(rows, last, b.Fanout, mat.Mix(b.seed, uint64(hop)))
		if err != nil {
			return nil, err
		}
		if all, last = join(all, next); most > 0 && len(all) > most {
			return nil, nil
		}
	}
	return cut(seeds, all, first, end, most), nil
}

// between are the members of the parts from first to before end.
func between(list []member, first, end int) []member {
	var some []member
	for _, c := range list {
		if i := int(c.part()); first <= i && i < end {
			some = append(some, c)
		}
	}
	return some
}

// cut are the parts from first to before end with all these nodes; none where they are above most.
func cut(seeds, all []member, first, end, most int) []Part {
	if most > 0 && len(all) > most {
		return nil
	}
	parts := make([]Part, end-first)
	for _, c := range all {
		p := &parts[int(c.part())-first]
		p.Nodes = append(p.Nodes, c.node())
	}
	for _, c := range seeds {
		p := &parts[int(c.part())-first]
		at, _ := slices.BinarySearch(p.Nodes, c.node())
		p.Seeds = append(p.Seeds, int32(at))
	}
	return parts
}

// member is a node in a part; they are in order of the node.
type member uint64

func memberOf(node, part int32) member {
	return member(uint64(uint32(node))<<32 | uint64(uint32(part)))
}

func (m member) node() int32 { return int32(m >> 32) }
func (m member) part() int32 { return int32(uint32(m)) }

// around are the neighbours that come in with the members of a list, in order.
func around(rows Rows, list []member, fanout int, seed uint64) ([]member, error) {
	var found []member
	at, drawn := 0, make([]int, 0, fanout)
	wanted := func(_, end int) bool { return at < len(list) && int(list[at].node()) < end }
	err := rows(wanted, func(first int, ptr []int64, idx []int32) error {
		for ; at < len(list) && int(list[at].node()) < first+len(ptr)-1; at++ {
			r := int(list[at].node()) - first
			near := idx[ptr[r]:ptr[r+1]]
			drawn = some(drawn[:0], len(near), fanout, mat.Mix(seed, uint64(list[at])))
			for _, i := range drawn {
				found = append(found, memberOf(near[i], list[at].part()))
			}
		}
		return nil
	})
	slices.Sort(found)
	return slices.Compact(found), err
}

// some are k of the numbers below n, or all of them, by Floyd's method.
func some(dst []int, n, k int, seed uint64) []int {
	for j := max(0, n-k); j < n; j++ {
		x := j
		if n > k {
			x = int(mat.Mix(seed, uint64(j)) % uint64(j+1))
		}
		if slices.Contains(dst, x) {
			x = j
		}
		dst = append(dst, x)
	}
	return dst
}

// join are two lists in order as one, and those of the second that are not in the first.
func join(a, b []member) (all, fresh []member) {
	all = make([]member, 0, len(a)+len(b))
	i := 0
	for _, m := range b {
		for ; i < len(a) && a[i] < m; i++ {
			all = append(all, a[i])
		}
		if i == len(a) || a[i] != m {
			all, fresh = append(all, m), append(fresh, m)
		}
	}
	return append(all, a[i:]...), fresh
}
