package mat

import (
	"fmt"
	"slices"
)

// Incidence returns the pattern with one row per position: row e has an entry in column a[e] and one in column b[e],
// entries 2e and 2e+1, and the values α and β for them, NNZ×1. Products with it take two Gathers at once, with its
// transpose two SegmentSums. It is made once for a pair and kept with a; nobody may change the values. Both lists are
// as long and below the same bound, and neither changes between runs.
func (a *Index) Incidence(b *Index, alpha, beta Real) (*Sparse, *Dense) {
	s := a.incidence(b)
	return s, s.alternate(alpha, beta)
}

func (a *Index) incidence(b *Index) *Sparse {
	if a.n != b.n || a.bound != b.bound || a.batch || b.batch {
		panic(fmt.Sprintf("mat: Incidence of %d ids below %d and %d below %d", a.n, a.bound, b.n, b.bound))
	}
	a.pairing.Lock()
	defer a.pairing.Unlock()
	if s := a.pairs[b]; s != nil {
		return s
	}
	ptr, idx := make([]int64, a.n+1), make([]int32, 0, 2*a.n)
	for e := range a.n {
		idx = append(idx, a.ids[e], b.ids[e])
		ptr[e+1] = int64(len(idx))
	}
	s, err := newSparse(a.dev, a.n, a.bound, ptr, slices.Clip(idx))
	if err != nil {
		panic(err) // the ids were checked when the lists were made
	}
	if a.pairs == nil {
		a.pairs = map[*Index]*Sparse{}
	}
	a.pairs[b] = s
	return s
}

// alternate returns the values α, β, α, β, …
func (s *Sparse) alternate(alpha, beta Real) *Dense {
	s.values.Lock()
	defer s.values.Unlock()
	key := [2]Real{alpha, beta}
	if v := s.alternating[key]; v != nil {
		return v
	}
	x := make([]Real, s.nnz)
	for i := range x {
		x[i] = key[i%2]
	}
	v := NewOn(s.dev, s.nnz, 1)
	v.Write(x)
	if s.alternating == nil {
		s.alternating = map[[2]Real]*Dense{}
	}
	s.alternating[key] = v
	return v
}
