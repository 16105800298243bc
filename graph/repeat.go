package graph

import (
	"math/bits"
	"runtime"
	"sync"
	"sync/atomic"
)

// Overview: whether an edge repeats an earlier one is the question of a hash table, which for ten million edges
// is larger than any cache. So edges are first divided by the hash of their ends: a sweep over all of them collects
// those of one part, which are divided again into buckets that fit the cache, each with a small table. Sweeps run on
// all cores and need memory for their part only.

const (
	sweepEdges  = 1 << 20 // edges that a sweep should collect
	maxSweeps   = 16      // every one reads all edges
	bucketEdges = 1 << 12 // edges that a bucket should have
)

// markRepeats marks in drop the edges that repeat an earlier one and are not marked yet, and returns
// how many.
func (g *Graph) markRepeats(drop []bool) int {
	sweeps := min(max(1, len(g.src)/sweepEdges), maxSweeps)
	var next, count atomic.Int64
	var group sync.WaitGroup
	for range min(sweeps, runtime.GOMAXPROCS(0)) {
		group.Go(func() {
			var s sweep
			for part := int(next.Add(1)) - 1; part < sweeps; part = int(next.Add(1)) - 1 {
				s.collect(g, uint32(part), uint32(sweeps))
				count.Add(int64(s.mark(g, drop)))
			}
		})
	}
	group.Wait()
	return int(count.Load())
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

// collect divides the edges of a part into buckets, in order.
func (s *sweep) collect(g *Graph, part, parts uint32) {
	buckets := 1 << bits.Len(uint(len(g.src)/int(parts)/bucketEdges))
	mask := uint64(buckets - 1)
	s.at = append(s.at[:0], make([]int32, buckets+1)...)
	mine := func(h uint64) bool { return uint32((h>>32)*uint64(parts)>>32) == part }
	total := int32(0)
	for e := range g.src {
		if _, _, h := g.key(e); mine(h) {
			s.at[h&mask+1]++
			total++
		}
	}
	for b := range buckets {
		s.at[b+1] += s.at[b]
	}
	if cap(s.pairs) < int(total) {
		s.pairs = make([]pair, total)
	}
	s.pairs = s.pairs[:total]
	for e := range g.src {
		if u, v, h := g.key(e); mine(h) {
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
