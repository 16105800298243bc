package solve

import (
	"fmt"
	"hash/maphash"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/bloomgml/bloom/mat"
)

var seedOfPrints = maphash.MakeSeed()

// print is everything that is kept, to the last bit.
func (s *State) print() uint64 {
	text := fmt.Sprint(s.nodes, s.edges, s.widest, s.p, s.layers)
	for _, l := range s.of {
		text += fmt.Sprint(l.near, l.weight, l.degree)
	}
	return maphash.String(seedOfPrints, text)
}

func (w *world) clone() *world {
	return &world{w.form, slices.Clone(w.p), maps.Clone(w.w)}
}

// TestDraft: what is done in a draft is not done in its State, to the last bit; committed it is, and restored it is as
// if it had never been. From what is left of a trimmed one it is found again. All of that for nodes that are added too,
// and where nothing can be settled.
func TestDraft(t *testing.T) {
	for name, f := range forms() {
		for _, weighted := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, weighted %v", name, weighted), func(t *testing.T) { draft(t, f, weighted) })
		}
	}
}

func draft(t *testing.T, f form, weighted bool) {
	const seed = 7
	rng := rand.New(rand.NewPCG(seed, 1))
	s, w := start(t, f, rng, 30, weighted)
	for round := range 12 {
		before, next, d := s.print(), w.clone(), s.Draft()
		for range 1 + rng.IntN(8) {
			edit(t, d, next, rng, weighted)
		}
		if round%4 == 3 {
			d.Move(3, []mat.Real{mat.Real(math.Inf(1)), 0, 0})
		}
		err := d.Settle(t.Context())
		if round%4 < 3 && err != nil {
			t.Fatal(err)
		}
		if s.print() != before {
			t.Fatal("the draft has changed the State")
		}
		if round%4 == 0 || round%4 == 3 {
			d.Drop()
			continue
		}
		compare(t, d, next, "in the draft")
		past := d.Commit()
		compare(t, s, next, "committed")
		if round%4 == 1 {
			s.Restore(past)
			if s.print() != before {
				t.Fatal("it is not what it was before")
			}
			continue
		}
		past.Trim()
		d = s.Draft()
		d.Return(past)
		if err := d.Settle(t.Context()); err != nil {
			t.Fatal(err)
		}
		d.Commit()
		compare(t, s, w, "returned")
	}
}

// TestWeigh: a degree is exact to its last bit, also where small weights come after a large one.
func TestWeigh(t *testing.T) {
	l := list{weight: []float64{1 << 60}}
	for range 1000 {
		l.weight = append(l.weight, 1)
	}
	if got, want := l.sumWeights(), float64(1<<60+1000); got != want {
		t.Errorf("%g more, want %g", got-1<<60, want-1<<60)
	}
}
