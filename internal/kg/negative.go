package kg

import (
	"math/bits"
	"slices"

	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/internal/kernel"
)

// NegativeOptions describe a Sampler. The zero value replaces the head or the tail, by a fair coin, by any other node,
// once per positive.
type NegativeOptions struct {
	Seed        uint64
	PerPositive int // negatives per positive; 0 means 1
	Replace     End // the end to replace; default Either

	// Bernoulli loads the coin of Either by the relation (Wang et al. 2014): the head is replaced with probability
	// tph/(tph+hpt), where tph is the mean number of tails per head and hpt of heads per tail. A false negative
	// becomes less likely: of "born in", which has many heads for a tail, mostly the tail is replaced.
	Bernoulli bool

	// Constrained draws a replacement among the nodes seen at that end of that relation.
	Constrained bool

	// Known are triples that must not come out, usually all of the graph; nil filters nothing.
	Known *graph.TripleSet
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
// A draw is refused when it is the positive itself or in Known. After 32 refusals a constrained sampler gives up
// the constraint and tries as often again among all nodes; after that the nodes following the last draw are tried in
// turn, which finds one if there is one. When every candidate is known the last draw is returned nonetheless and
// counted as missed.
//
// Negatives are drawn with replacement: two of one positive may be equal.
type Sampler struct {
	g            *graph.Graph
	opt          NegativeOptions
	heads, tails [][]int32 // nodes seen at either end, by relation
}

// retries is the number of times that a refused draw is repeated.
const retries = 32

// NewSampler returns a sampler of negatives for the triples of g.
func NewSampler(g *graph.Graph, opt NegativeOptions) *Sampler {
	opt.PerPositive = max(1, opt.PerPositive)
	s := &Sampler{g: g, opt: opt}
	if opt.Bernoulli || opt.Constrained {
		s.heads, s.tails = endsSeen(g)
	}
	return s
}

// endsSeen returns the distinct sources and targets of every relation, ascending. The ends of an undirected graph are
// not told apart.
func endsSeen(g *graph.Graph) (heads, tails [][]int32) {
	if g.Undirected() {
		both := distinct(g, g.Sources(), g.Targets())
		return both, both
	}
	return distinct(g, g.Sources()), distinct(g, g.Targets())
}

// distinct returns the nodes at the given ends of the edges of every relation, ascending.
func distinct(g *graph.Graph, ends ...[]int32) [][]int32 {
	lists, last := make([][]int32, g.NumRelations()), make([]int32, g.NumNodes())
	for r := range lists {
		mark := int32(r) + 1
		for _, e := range g.RelationEdges(int32(r)) {
			for _, end := range ends {
				if v := end[e]; last[v] != mark {
					last[v] = mark
					lists[r] = append(lists[r], v)
				}
			}
		}
		slices.Sort(lists[r])
	}
	return lists
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
	side := s.side(p.R, place(key, 0))
	draws := retries + 1
	if s.opt.Constrained {
		draws *= 2
	}
	for a := range draws {
		constrained := s.opt.Constrained && a <= retries
		t = s.replaceEnd(p, side, place(key, uint64(a)+1), constrained)
		if !s.refused(p, t) {
			return t, true
		}
	}
	for range s.g.NumNodes() {
		end := &t.V
		if side == Head {
			end = &t.U
		}
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

// side throws the coin of Either. With H distinct heads and T distinct tails among the E
// triples of a relation tph is E/H and hpt is E/T, so that tph/(tph+hpt) = T/(H+T).
func (s *Sampler) side(r int32, x uint64) End {
	if s.opt.Replace != Either {
		return s.opt.Replace
	}
	h, t := 1, 1
	if s.opt.Bernoulli {
		if nh, nt := len(s.heads[r]), len(s.tails[r]); nh > 0 {
			h, t = nh, nt
		}
	}
	if int(upTo(x, h+t)) < t {
		return Head
	}
	return Tail
}

// replaceEnd replaces the end of p that side names, by a node seen there or by any.
func (s *Sampler) replaceEnd(p graph.Triple, side End, x uint64, constrained bool) graph.Triple {
	if side == Head {
		p.U = s.node(s.heads, p.R, x, constrained)
	} else {
		p.V = s.node(s.tails, p.R, x, constrained)
	}
	return p
}

// node returns a node of relation r in seen, or any node if it has none.
func (s *Sampler) node(seen [][]int32, r int32, x uint64, constrained bool) int32 {
	if constrained {
		if c := seen[r]; len(c) > 0 {
			return c[upTo(x, len(c))]
		}
	}
	return upTo(x, s.g.NumNodes())
}

// upTo maps 64 random bits to 0 ≤ k < n. Its bias is below n/2⁶⁴, that is 2⁻³³ for int32 ids.
func upTo(x uint64, n int) int32 {
	k, _ := bits.Mul64(x, uint64(n))
	return int32(k)
}
