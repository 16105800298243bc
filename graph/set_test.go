package graph

import (
	"math/rand/v2"
	"testing"
)

func TestSet(t *testing.T) {
	for seed := range uint64(30) {
		rng := rand.New(rand.NewPCG(seed, 3))
		n, undirected := 1+rng.Int32N(30), rng.IntN(2) == 0
		random := func() Triple { return Triple{U: rng.Int32N(n), R: rng.Int32N(3), V: rng.Int32N(n)} }
		want := map[Triple]bool{}
		var lists [2][]Triple
		for range rng.IntN(400) {
			i := rng.IntN(2)
			lists[i] = append(lists[i], random())
		}
		for _, l := range lists {
			for _, x := range l {
				want[x] = true
				if undirected {
					want[Triple{U: x.V, R: x.R, V: x.U}] = true
				}
			}
		}
		s := NewTripleSet(undirected, lists[0], lists[1])
		for range 2000 {
			if x := random(); s.Has(x) != want[x] {
				t.Fatalf("seed %d: Has(%v) = %t", seed, x, s.Has(x))
			}
		}
		if !undirected && s.Len() != len(want) {
			t.Fatalf("seed %d: %d triples, want %d", seed, s.Len(), len(want))
		}
	}
	if NewTripleSet(false).Has(Triple{}) {
		t.Error("the empty set has a triple")
	}
}
