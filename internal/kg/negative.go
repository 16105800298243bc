package kg

import (
	"math/bits"

	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/internal/kernel"
)

// NegativeOptions describe a Sampler. The zero value replaces the head or the tail, by a fair coin, by any other node,
// once per positive.
type NegativeOptions struct {
	Seed        uint64
	PerPositive int              // negatives per positive; 0 means 1
	Replace     End              // the end to replace; default Either
	Known       *graph.TripleSet // triples that must not come out, usually all of the graph; nil filters nothing
}

// End says which end of a positive is replaced.
type End uint8

const (
	Either End = iota // the head or the tail, by a coin for each negative
	Head              // the source
	Tail              // the target
)

// Sampler draws negatives. Its numbers are a function of (seed, epoch, position of the positive, number of the
// negative) only, so batches may be drawn in any order or in parallel.
//
// A draw is refused when it is the positive itself or in Known. After 32 refusals the nodes following the last draw are
// tried in turn, which finds one if there is one. When every candidate is known the last draw is returned nonetheless
// and counted as missed.
//
// Negatives are drawn with replacement: two of one positive may be equal.
type Sampler struct {
	g   *graph.Graph
	opt NegativeOptions
}

// retries is the number of times that a refused draw is repeated.
const retries = 32

// NewSampler returns a sampler of negatives for the triples of g.
func NewSampler(g *graph.Graph, opt NegativeOptions) *Sampler {
	opt.PerPositive = max(1, opt.PerPositive)
	return &Sampler{g, opt}
}

// SampleEdges writes the negatives of edges of the graph into dst if it has room for them, and returns them: the
// negatives of edges[i] are neg[i*k:(i+1)*k]. The negatives of an edge in an epoch do not depend on its batch. missed
// counts the negatives that are known triples after all.
func (s *Sampler) SampleEdges(dst []graph.Triple, edges []int32, epoch uint64) (neg []graph.Triple, missed int) {
	k := s.opt.PerPositive
	if neg = dst; cap(neg) < k*len(edges) {
		neg = make([]graph.Triple, k*len(edges))
	}
	neg = neg[:k*len(edges)]
	key := place(place(kernel.Splitmix(s.opt.Seed), 0), epoch)
	for i, e := range edges {
		at := place(key, uint64(e))
		for j := range k {
			t, ok := s.corrupt(s.g.Edge(e), place(at, uint64(j)))
			if neg[i*k+j] = t; !ok {
				missed++
			}
		}
	}
	return neg, missed
}

// place mixes a key with the number of a place under it. Random numbers are counters put through this mixer, not a
// sequence, so any part of an epoch can be drawn by itself, in any order.
func place(key, i uint64) uint64 { return kernel.Splitmix(key + (i+1)*kernel.Golden) }

// corrupt draws one negative of p from the random numbers under key, as Sampler describes.
func (s *Sampler) corrupt(p graph.Triple, key uint64) (t graph.Triple, ok bool) {
	t = p
	end := &t.V
	if s.opt.Replace == Head || s.opt.Replace == Either && upTo(place(key, 0), 2) < 1 {
		end = &t.U
	}
	for a := range uint64(retries + 1) {
		*end = upTo(place(key, a+1), s.g.NumNodes())
		if !s.refused(p, t) {
			return t, true
		}
	}
	for range s.g.NumNodes() {
		if *end++; int(*end) == s.g.NumNodes() {
			*end = 0
		}
		if !s.refused(p, t) {
			return t, true
		}
	}
	return t, false
}

// refused reports whether t must not come out as a negative of p.
func (s *Sampler) refused(p, t graph.Triple) bool {
	return t == p || s.opt.Known != nil && s.opt.Known.Has(t)
}

// upTo maps 64 random bits to 0 ≤ k < n. Its bias is below n/2⁶⁴, that is 2⁻³³ for int32 ids.
func upTo(x uint64, n int) int32 {
	k, _ := bits.Mul64(x, uint64(n))
	return int32(k)
}
