package kg

import (
	"math/bits"

	"github.com/bloomgml/bloom/graph"
)

// fill writes the negatives of p, the i-th positive, and returns how many are known triples.
func (s *Sampler) fill(neg []graph.Triple, i int, p graph.Triple, key uint64) (missed int) {
	k := s.opt.PerPositive
	for j := range k {
		t, ok := s.corrupt(p, place(key, uint64(j)))
		neg[i*k+j] = t
		if !ok {
			missed++
		}
	}
	return missed
}

// corrupt draws one negative of p from the random numbers under key, as Sampler describes.
func (s *Sampler) corrupt(p graph.Triple, key uint64) (t graph.Triple, ok bool) {
	side := s.side(p.R, place(key, 0))
	draws := s.opt.Retries + 1
	if s.opt.Constrained {
		draws *= 2
	}
	for a := range draws {
		constrained := s.opt.Constrained && a <= s.opt.Retries
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

// node returns a node of relation r in seen, or any when it has none.
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
