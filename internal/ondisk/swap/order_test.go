package swap

import (
	"slices"
	"testing"
)

// TestOrder: every bucket once, with both of its parts in memory; a part is read from one stage to the next, as often
// as the formula says; the short part is in the last slot.
func TestOrder(t *testing.T) {
	for c := 2; c <= 9; c++ {
		for p := c; p <= 24; p++ {
			stages := order(p, c)
			done, reads := map[[2]int]int{}, 0
			for i, s := range stages {
				for _, b := range s.buckets {
					done[b]++
					if !slices.Contains(s.slots, b[0]) || !slices.Contains(s.slots, b[1]) {
						t.Fatalf("p = %d, c = %d: bucket %v while %v are in memory", p, c, b, s.slots)
					}
				}
				if k := slices.Index(s.slots, p-1); k >= 0 && k != c-1 {
					t.Errorf("p = %d, c = %d: the last part is in slot %d", p, c, k)
				}
				for _, x := range s.slots {
					if i > 0 && !slices.Contains(stages[i-1].slots, x) {
						reads++
					}
				}
			}
			for b, n := range done {
				if n != 1 {
					t.Errorf("p = %d, c = %d: bucket %v is done %d times", p, c, b, n)
				}
			}
			if len(done) != p*p || reads != len(stages)-1 || reads != Swaps(p, c) || reads < LeastSwaps(p, c) {
				t.Errorf("p = %d, c = %d: %d buckets, %d stages, %d reads; Swaps %d, at least %d", p, c, len(done),
					len(stages), reads, Swaps(p, c), LeastSwaps(p, c))
			}
		}
	}
	// as in Mohoney et al. 2021, section 4: BETA is at the bound for c = 2
	if Swaps(8, 2) != 27 || LeastSwaps(8, 2) != 27 || Swaps(8, 4) != 9 || LeastSwaps(8, 4) != 8 {
		t.Error("p = 8:", Swaps(8, 2), LeastSwaps(8, 2), Swaps(8, 4), LeastSwaps(8, 4))
	}
	if s := order(1, 1); len(s) != 1 || len(s[0].buckets) != 1 || Swaps(1, 1) != 0 {
		t.Error("one part:", s)
	}
}
