package graph

import (
	"math/bits"
	"runtime"
	"sync"
	"sync/atomic"
)

// Overview: whether an edge repeats an earlier one is the question of a hash table, which for ten million edges
// is larger than any cache. So edges are first divided by the hash of their ends: every edge has a part, and a
// sweep collects the edges of one, which are divided again into buckets that fit the cache, each with a small table. Sweeps run on
// all cores and need memory for their part only.

const (
	sweepEdges  = 1 << 20 // edges that a sweep should collect
	maxSweeps   = 8       // every one looks at the part of all edges
	bucketEdges = 1 << 12 // edges that a bucket should have
	keyBlock    = 1 << 16 // edges whose part is found at a time
)

// markRepeats marks in drop the edges that repeat an earlier one and are not marked yet, and returns
// how many.
func (g *Graph) markRepeats(drop []bool) int {
	sweeps := min(max(1, len(g.src)/sweepEdges), maxSweeps)
	part := make([]uint8, len(g.src))
	parallel((len(g.src)+keyBlock-1)/keyBlock, func(next func() (int, bool)) {
		for b, ok := next(); ok; b, ok = next() {
			for e := b * keyBlock; e < min((b+1)*keyBlock, len(part)); e++ {
				_, _, h := g.key(e)
				part[e] = uint8((h >> 32) * uint64(sweeps) >> 32)
			}
		}
	})
	var count atomic.Int64
	parallel(sweeps, func(next func() (int, bool)) {
		var s sweep
		for p, ok := next(); ok; p, ok = next() {
			s.collect(g, part, uint8(p), len(part)/sweeps)
			count.Add(int64(s.mark(g, drop)))
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
	var group sync.WaitGroup
	for range min(n, runtime.GOMAXPROCS(0)) {
		group.Go(func() { f(next) })
	}
	group.Wait()
}

// pair is an edge on its way to its bucket; u ≤ v in an undirected graph.
type pair struct{ u, v, edge int32 }

// sweep is the edges of one part, by bucket.
type sweep struct {
	at    []int32 // where the next edge of a bucket goes, later where the bucket ends
	pairs []pair
	slots []int32 // the table of a bucket: position in it plus one, 0 where free
}

// key is the ends of edge e, in order where direction does not count, and their hash.
func (g *Graph) key(e int) (u, v int32, h uint64) {
	u, v = g.src[e], g.dst[e]
	if g.undirected && u > v {
		u, v = v, u
	}
	return u, v, mix(uint64(uint32(u))<<32 | uint64(uint32(v)))
}

// collect divides the edges of part p, of which about n are expected, into buckets, in order.
func (s *sweep) collect(g *Graph, part []uint8, p uint8, n int) {
	buckets := 1 << bits.Len(uint(n/bucketEdges))
	mask := uint64(buckets - 1)
	s.at = append(s.at[:0], make([]int32, buckets+1)...)
	for e := range part {
		if part[e] == p {
			_, _, h := g.key(e)
			s.at[h&mask+1]++
		}
	}
	for b := range buckets {
		s.at[b+1] += s.at[b]
	}
	total := int(s.at[buckets])
	if cap(s.pairs) < total {
		s.pairs = make([]pair, total+total/16) // the next part is about as large
	}
	s.pairs = s.pairs[:total]
	for e := range part {
		if part[e] == p {
			u, v, h := g.key(e)
			s.pairs[s.at[h&mask]] = pair{u, v, int32(e)}
			s.at[h&mask]++
		}
	}
}

// mark marks the repeats in every bucket.
func (s *sweep) mark(g *Graph, drop []bool) int {
	count, begin := 0, int32(0)
	for _, end := range s.at[:len(s.at)-1] {
		bucket := s.pairs[begin:end]
		begin = end
		size := 1 << bits.Len(uint(2*len(bucket)))
		if cap(s.slots) < size {
			s.slots = make([]int32, size)
		}
		slots := s.slots[:size]
		clear(slots)
		for i, p := range bucket {
			r := g.rel[p.edge]
			h := mix((uint64(uint32(p.u))<<32|uint64(uint32(p.v)))+uint64(r)*golden) >> 20
			for ; ; h++ {
				k := slots[h&uint64(size-1)]
				if k == 0 {
					slots[h&uint64(size-1)] = int32(i + 1)
					break
				}
				if q := bucket[k-1]; q.u == p.u && q.v == p.v && g.rel[q.edge] == r {
					if !drop[p.edge] {
						drop[p.edge] = true
						count++
					}
					break
				}
			}
		}
	}
	return count
}
