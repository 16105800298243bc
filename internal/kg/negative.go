package kg

import (
	"fmt"
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

	// Retries is how often a refused draw is repeated; 0 means 32. See Sampler.
	Retries int
}

// End says which end of a positive is replaced.
type End uint8

const (
	Either End = iota // the head or the tail, by a coin for each negative
	Head              // the source
	Tail              // the target
)

// Sampler draws negatives. Its numbers are a function of (seed, epoch, position of the positive, number of the
// negative) and of nothing else, so that batches may come in any order or at once.
//
// A draw is refused when it is the positive itself or in Known. After Retries refusals a constrained sampler gives up
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

// NewSampler returns a sampler of negatives for the triples of g.
func NewSampler(g *graph.Graph, opt NegativeOptions) (*Sampler, error) {
	switch {
	case g.NumNodes() == 0:
		return nil, fmt.Errorf("a graph of 0 nodes leaves nothing to draw from")
	case opt.PerPositive < 0:
		return nil, fmt.Errorf("%d negatives per positive", opt.PerPositive)
	case opt.Retries < 0:
		return nil, fmt.Errorf("%d retries", opt.Retries)
	case opt.Replace > Tail:
		return nil, fmt.Errorf("end %d is not one of the three", opt.Replace)
	case opt.Bernoulli && opt.Replace != Either:
		return nil, fmt.Errorf("end %d leaves Bernoulli nothing to choose", opt.Replace)
	}
	if opt.PerPositive == 0 {
		opt.PerPositive = 1
	}
	if opt.Retries == 0 {
		opt.Retries = 32
	}
	s := &Sampler{g: g, opt: opt}
	if opt.Bernoulli || opt.Constrained {
		s.heads, s.tails = isFact(g)
	}
	return s, nil
}

// isFact returns the distinct sources and targets of every relation, ascending. The ends of an undirected graph are not
// told apart.
func isFact(g *graph.Graph) (heads, tails [][]int32) {
	if g.Undirected() {
		both := distinct(g, g.Sources(), g.Targets())
		return both, both
	}
	return distinct(g, g.Sources()), distinct(g, g.Targets())
}

// distinct are the nodes at the given ends of the edges of every relation, ascending.
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

// Sample writes the negatives of positives, the first of which is at position first of its epoch, into dst when that
// has room for them, and returns them: those of positive i are neg[i*k:(i+1)*k]. missed counts those that are known
// triples after all.
func (s *Sampler) Sample(dst, positives []graph.Triple, epoch, first uint64) (
	neg []graph.Triple, missed int, err error,
) {
	n, r := uint32(s.g.NumNodes()), uint32(s.g.NumRelations())
	for i, p := range positives {
		if uint32(p.U) >= n || uint32(p.V) >= n || uint32(p.R) >= r {
			return nil, 0, fmt.Errorf("positive %d: %v is not below %d nodes and %d relations", i, p, n, r)
		}
	}
	neg, key := s.room(dst, len(positives)), s.epoch(epoch)
	for i, p := range positives {
		missed += s.fill(neg, i, p, place(key, first+uint64(i)))
	}
	return neg, missed, nil
}

// SampleEdges is Sample for edges of the graph, each at the position of its id: the negatives of an edge in an epoch
// do not depend on its batch.
func (s *Sampler) SampleEdges(dst []graph.Triple, edges []int32, epoch uint64) (
	neg []graph.Triple, missed int, err error,
) {
	for i, e := range edges {
		if e < 0 || int(e) >= s.g.NumEdges() {
			return nil, 0, fmt.Errorf("positive %d: edge %d is not below %d edges", i, e, s.g.NumEdges())
		}
	}
	neg, key := s.room(dst, len(edges)), s.epoch(epoch)
	for i, e := range edges {
		missed += s.fill(neg, i, s.g.Edge(e), place(key, uint64(e)))
	}
	return neg, missed, nil
}

func (s *Sampler) room(dst []graph.Triple, positives int) []graph.Triple {
	n := positives * s.opt.PerPositive
	if cap(dst) < n {
		return make([]graph.Triple, n)
	}
	return dst[:n]
}

// Random numbers here are counters put through a mixer, not a sequence: the number at a place is a function of the
// place, so that any part of an epoch can be drawn alone, in any order.

// epoch is the key of all numbers of an epoch.
func (s *Sampler) epoch(e uint64) uint64 { return place(place(kernel.Splitmix(s.opt.Seed), 0), e) }

// place mixes a key with the number of a place under it.
func place(key, i uint64) uint64 { return kernel.Splitmix(key + (i+1)*kernel.Golden) }
