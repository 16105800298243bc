package live

import (
	"fmt"
	"math/rand/v2"
	"testing"
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
