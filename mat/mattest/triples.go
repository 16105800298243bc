package mattest

import (
	"fmt"
	"slices"
	"sync"

	"github.com/bloomgml/bloom/mat"
)

// triples is a list of triples as the oracle sees it, by their first number.
type triples struct {
	bounds [3]int
	list   [][3]int32
}

// triples draws n of them: some rows have none, some triples repeat.
func (s *suite) triples(n int, bounds [3]int) triples {
	t := triples{bounds, make([][3]int32, n)}
	for r, bound := range bounds {
		for e, id := range s.ids(n, (bound+2)/2) {
			t.list[e][r] = min(id, int32(bound-1))
		}
	}
	slices.SortStableFunc(t.list, func(a, b [3]int32) int { return int(a[0] - b[0]) })
	return t
}

// eachTriples calls f without triples, with few, with many, and with many of few relations.
func (s *suite) eachTriples(f func(t triples, cols int)) {
	f(triples{bounds: [3]int{0, 0, 0}}, 3)
	f(triples{bounds: [3]int{4, 0, 2}}, 2)
	f(s.triples(0, [3]int{3, 4, 5}), 2)
	f(s.triples(1, [3]int{1, 1, 1}), 1)
	f(s.triples(7, [3]int{5, 4, 2}), 0)
	for range 4 {
		n := 2 + s.rng.IntN(30)
		f(s.triples(3*n, [3]int{n, 1 + s.rng.IntN(n), 1 + s.rng.IntN(5)}), 1+s.rng.IntN(70))
	}
	f(s.triples(4001, [3]int{301, 203, 3}), 133)
}

func (t triples) String() string {
	return fmt.Sprintf("%d triples below %v", len(t.list), t.bounds)
}

// ids returns the numbers in place r.
func (t triples) ids(r int) []int32 {
	ids := make([]int32, len(t.list))
	for e := range t.list {
		ids[e] = t.list[e][r]
	}
	return ids
}

// on puts the triples on the device, from a list in another order: those with the same first number
// keep theirs.
func (t triples) on(s *suite) *mat.Triples {
	s.Helper()
	first := s.rng.Perm(max(t.bounds[0], 1))
	list := slices.Clone(t.list)
	slices.SortStableFunc(list, func(a, b [3]int32) int { return first[a[0]] - first[b[0]] })
	mixed := triples{t.bounds, list}
	m, err := mat.NewTriples(t.bounds, [3][]int32{mixed.ids(0), mixed.ids(1), mixed.ids(2)})
	if err != nil {
		s.Fatalf("%v were refused: %v; seed %d", t, err, seed)
	}
	return m
}

// checkTriples: all triples. What is in the list, RelMM shows.
func checkTriples(s *suite) {
	s.eachTriples(func(t triples, cols int) {
		if l := s.dev.Triples(t.bounds, [3][]int32{t.ids(0), t.ids(1), t.ids(2)}); l.Len() != len(t.list) {
			s.Fatalf("a list of %v has length %d; seed %d", t, l.Len(), seed)
		}
		s.relMM(t.numbered(len(t.list)), t.on(s).Numbered(), 0, cols, 0, s.random)
	})
}

// checkRelMM: dst[i,:] ← β·dst[i,:] + Σ x[j,:]∘y[k,:], to each of the three places.
func checkRelMM(s *suite) {
	s.eachTriples(func(t triples, cols int) {
		m := t.on(s)
		for to := range 3 {
			for _, beta := range []mat.Real{0, 1, -0.5} {
				s.relMM(t, m, to, cols, beta, s.random)
			}
			s.relMM(t, m, to, cols, 0, s.odd)
		}
	})
}

func (s *suite) relMM(t triples, m *mat.Triples, to, cols int, beta mat.Real, fill func(mat.Shape) grid) {
	p, q := (to+1)%3, (to+2)%3
	p, q = min(p, q), max(p, q)
	x, y := fill(mat.Shape{Rows: t.bounds[p], Cols: cols}), fill(mat.Shape{Rows: t.bounds[q], Cols: cols})
	old := s.old(mat.Shape{Rows: t.bounds[to], Cols: cols}, beta)
	sums := sync.OnceValue(func() []sum {
		sums := make([]sum, old.Len())
		for _, e := range t.list {
			for j := range cols {
				sums[int(e[to])*cols+j].add(x.at(int(e[p]), j) * y.at(int(e[q]), j))
			}
		}
		return sums
	})
	s.try(trial{
		name: fmt.Sprintf("RelMM of %v to place %d, %d columns, β %v", t, to, cols, beta),
		in:   []grid{x, y}, dst: []grid{old},
		run:  func(dst, in []*mat.Dense) { mat.RelMM(dst[0], m, to, in[0], in[1], beta) },
		want: alone(func(i, j int) near { return sums()[i*cols+j].times(1, float64(beta), old.at(i, j)) }),
	})
}

// numbered returns the list with every triple's number as its first entry, in a batch with room for n triples.
func (t triples) numbered(n int) triples {
	list := slices.Clone(t.list)
	for e := range list {
		list[e][0] = int32(e)
	}
	return triples{[3]int{n, t.bounds[1], t.bounds[2]}, list}
}
