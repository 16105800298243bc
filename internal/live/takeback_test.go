package live

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/bloomgml/bloom/mat"
)

// TestTakeBack: a node that was added and taken back leaves nothing, settled in between or not.
func TestTakeBack(t *testing.T) {
	for name, f := range forms() {
		for _, weighted := range []bool{false, true} {
			for _, settled := range []bool{false, true} {
				t.Run(fmt.Sprintf("%s, weighted %v, settled %v", name, weighted, settled), func(t *testing.T) {
					takeBack(t, f, weighted, settled)
				})
			}
		}
	}
}

func takeBack(t *testing.T, f Form, weighted, settled bool) {
	rng := rand.New(rand.NewPCG(1, 7))
	s, w := start(t, f, rng, 30, weighted)
	for range 3 {
		row, _ := randomRow(rng)
		v := s.Add(row)
		if err := s.Connect(v, 3, 1); err != nil {
			t.Fatal(err)
		}
		if settled {
			if err := s.Settle(1e-5); err != nil {
				t.Fatal(err)
			}
		}
		if err := s.Separate(3, v); err != nil {
			t.Fatal(err)
		}
		s.TakeBack()
		if err := s.Settle(1e-5); err != nil {
			t.Fatal(err)
		}
		compare(t, s, w, "after it was taken back")
	}
}

// TestNotFinite: what cannot be settled can be taken back, alone and in a change that reaches everywhere.
func TestNotFinite(t *testing.T) {
	for name, f := range forms() {
		rng := rand.New(rand.NewPCG(1, 6))
		s, w := start(t, f, rng, 30, false)
		before := make([][]mat.Real, s.Nodes())
		for v := range before {
			before[v] = slices.Clone(s.Pi(int32(v)))
		}
		for v := range s.Nodes() - 1 {
			s.Move(int32(v), []mat.Real{100, 100, 100})
		}
		s.Move(int32(s.Nodes()-1), []mat.Real{mat.Real(math.Inf(1)), 0, 0})
		letGo := f.Kind.Phi == mat.PhiHuber && f.Steps == 0 // the minimiser is finite
		if err := s.Settle(1e-5); err == nil && !letGo {
			t.Errorf("%s: an infinite row settled", name)
		}
		for v, p := range before {
			s.Move(int32(v), p)
		}
		if err := s.Settle(1e-5); err != nil {
			t.Errorf("%s: %v after everything was taken back", name, err)
		}
		if err := s.Certify(1e-5); err != nil {
			t.Fatal(err)
		}
		compare(t, s, w, name)
	}
}
