package graph

import (
	"math/bits"
	"runtime"
	"sync/atomic"

	"github.com/bloomgml/bloom/internal/host"
	"github.com/bloomgml/bloom/internal/kernel"
)

// Overview: whether an edge repeats an earlier one is the question of a hash table, which for ten million edges is
// larger than any cache. So edges are first divided by the hash of their ends into buckets that fit the cache, each
// with a small table. What moves is 32 bits of the hash and the number of the edge; the edges themselves are looked at
// only where the hashes agree. All of it runs on all cores; within a bucket edges keep the order of the graph, so that
// the first of equal edges stays.

const (
	bucketEdges   = 1 << 12 // edges that a bucket should have
	maxBucketBits = 11      // log₂ of the most buckets
	rangeEdges    = 1 << 18 // edges that a core moves at a time, at least
	maxRanges     = 64
)

// markRepeats marks in drop the edges that repeat an earlier one and are not marked yet, and returns
// how many.
func (g *Graph) markRepeats(drop []bool) int {
	k := newBuckets(len(g.src))
	k.count(g)
	k.fill(g)
	var count atomic.Int64
	parallel(len(k.ends), func(next func() (int, bool)) {
		var slots []int32
		for b, ok := next(); ok; b, ok = next() {
			var n int
			n, slots = g.markBucket(drop, k.bucket(b), slots)
			count.Add(int64(n))
		}
	})
	return int(count.Load())
}

// parallel runs f on all cores; together they get the numbers 0 to n−1 from next.
func parallel(n int, f func(next func() (int, bool))) {
	var taken atomic.Int64
	next := func() (int, bool) {
		i := int(taken.Add(1)) - 1
		return i, i < n
	}
	var group host.Group
	for range min(n, runtime.GOMAXPROCS(0)) {
		group.Go(func() { f(next) })
	}
	group.Wait()
}

// hashed is an edge on its way to its bucket: 32 bits of its hash, and its number.
type hashed struct {
	hash uint32
	edge int32
}

// buckets are the edges of a graph by the hash of their ends.
type buckets struct {
	shift  int       // the bucket of a hash is its bits from here on
	step   int       // edges of a range
	ranges [][]int32 // for every range of edges and every bucket: their number, later where the next one goes
	ends   []int32   // of every bucket, in edges
	edges  []hashed
}

// newBuckets are empty buckets for n edges.
func newBuckets(n int) *buckets {
	width := min(bits.Len(uint(n/bucketEdges)), maxBucketBits)
	ranges := min(max(1, n/rangeEdges), maxRanges)
	k := &buckets{shift: 64 - width, step: (n + ranges - 1) / ranges}
	k.ends, k.edges = make([]int32, 1<<width), make([]hashed, n)
	host.AdviseHuge(k.edges)
	for range ranges {
		k.ranges = append(k.ranges, make([]int32, 1<<width))
	}
	return k
}

// each calls f for every range on all cores.
func (k *buckets) each(f func(r, begin, end int)) {
	parallel(len(k.ranges), func(next func() (int, bool)) {
		for r, ok := next(); ok; r, ok = next() {
			f(r, r*k.step, min((r+1)*k.step, len(k.edges)))
		}
	})
}

// count finds out where every range puts its edges: into every bucket after those of earlier ranges.
func (k *buckets) count(g *Graph) {
	k.each(func(r, begin, end int) {
		at := k.ranges[r]
		for e := begin; e < end; e++ {
			at[g.hash(e)>>k.shift]++
		}
	})
	next := int32(0)
	for b := range k.ends {
		for _, at := range k.ranges {
			at[b], next = next, next+at[b]
		}
		k.ends[b] = next
	}
}

// fill moves the edges to their buckets.
func (k *buckets) fill(g *Graph) {
	k.each(func(r, begin, end int) {
		at := k.ranges[r]
		for e := begin; e < end; e++ {
			h := g.hash(e)
			i := &at[h>>k.shift]
			k.edges[*i] = hashed{uint32(h), int32(e)}
			*i++
		}
	})
}

// bucket is the edges of bucket b.
func (k *buckets) bucket(b int) []hashed {
	begin := int32(0)
	if b > 0 {
		begin = k.ends[b-1]
	}
	return k.edges[begin:k.ends[b]]
}

// hash is the hash of the ends of edge e, in order where direction does not count, and of its relation.
func (g *Graph) hash(e int) uint64 {
	u, v := g.src[e], g.dst[e]
	if g.undirected {
		u, v = min(u, v), max(u, v)
	}
	x := uint64(uint32(u))<<32 | uint64(uint32(v))
	if g.relations > 1 {
		x += uint64(g.rel[e]) * kernel.Golden
	}
	return kernel.Splitmix(x)
}

// same reports whether edges a and b have the same relation and ends.
func (g *Graph) same(a, b int32) bool {
	if g.rel[a] != g.rel[b] {
		return false
	}
	u, v, x, y := g.src[a], g.dst[a], g.src[b], g.dst[b]
	return u == x && v == y || g.undirected && u == y && v == x
}

// markBucket marks the edges of a bucket that repeat an earlier one and counts those that were not marked. Slots is
// memory for its table: position in the bucket plus one, 0 where free.
func (g *Graph) markBucket(drop []bool, bucket []hashed, slots []int32) (int, []int32) {
	size := 1 << bits.Len(uint(2*len(bucket)))
	if cap(slots) < size {
		slots = make([]int32, size)
	}
	slots = slots[:size]
	clear(slots)
	count, mask := 0, uint32(size-1)
	for i, p := range bucket {
		for at := p.hash & mask; ; at = (at + 1) & mask {
			k := slots[at]
			if k == 0 {
				slots[at] = int32(i + 1)
				break
			}
			if q := bucket[k-1]; q.hash == p.hash && g.same(q.edge, p.edge) {
				if !drop[p.edge] {
					drop[p.edge] = true
					count++
				}
				break
			}
		}
	}
	return count, slots
}
