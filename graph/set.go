package graph

import (
	"github.com/bloomgml/bloom/internal/kernel"
)

// TripleSet is a set of triples that answers membership in one memory access for most triples that
// are not in it. It takes 24 to 36 bytes a triple.
//
// Overview: open addressing with linear probing. A slot holds 32 bits of the hash and the position of the triple plus
// one, so only a triple with equal hash bits is ever compared.
type TripleSet struct {
	undirected bool
	triples    []Triple
	slots      []uint64 // hash bits, then position+1; 0 is free; the length is a power of two
	mask       uint64
}

// NewTripleSet returns the set of all given triples. In an undirected set (u,r,v) and (v,r,u) are one.
func NewTripleSet(undirected bool, lists ...[]Triple) *TripleSet {
	n := 0
	for _, l := range lists {
		n += len(l)
	}
	s := &TripleSet{undirected: undirected, triples: make([]Triple, 0, n)}
	size := 4
	for size < n+n/2 { // at most two thirds full
		size *= 2
	}
	s.slots, s.mask = make([]uint64, size), uint64(size-1)
	for _, l := range lists {
		for _, t := range l {
			s.add(s.canonical(t))
		}
	}
	return s
}

// Len returns the number of distinct triples.
func (s *TripleSet) Len() int { return len(s.triples) }

// Has reports whether t is in the set.
func (s *TripleSet) Has(t Triple) bool {
	t = s.canonical(t)
	_, found := s.find(t, hash(t))
	return found
}

func (s *TripleSet) canonical(t Triple) Triple {
	if s.undirected && t.U > t.V {
		t.U, t.V = t.V, t.U
	}
	return t
}

func (s *TripleSet) add(t Triple) {
	h := hash(t)
	if at, found := s.find(t, h); !found {
		s.triples = append(s.triples, t)
		s.slots[at] = h&^0xffffffff | uint64(len(s.triples))
	}
}

// find returns the slot of t, or the free slot where it belongs.
func (s *TripleSet) find(t Triple, h uint64) (at uint64, found bool) {
	for at = h & s.mask; ; at = (at + 1) & s.mask {
		x := s.slots[at]
		if x == 0 {
			return at, false
		}
		if (x^h)>>32 == 0 && s.triples[uint32(x)-1] == t {
			return at, true
		}
	}
}

// hash mixes the 96 bits of a triple into 64.
func hash(t Triple) uint64 {
	ends := kernel.Splitmix(uint64(uint32(t.U))<<32 | uint64(uint32(t.V)))
	return kernel.Splitmix(ends + uint64(uint32(t.R))*kernel.Golden)
}
