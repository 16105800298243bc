package fact

import (
	"testing"
)

// TestByRank: every question is counted once, at the logarithm of its rank, and marks are powers of ten.
func TestByRank(t *testing.T) {
	h := byRank([]rankedFact{{TailRank: 1, HeadRank: 1}, {TailRank: 9.5, HeadRank: 1}, {TailRank: 1000,
		HeadRank: 11}})
	if h.Low != 0 || h.High != 4 || h.Bins != 4*rankBins || h.Mark(3) != "1000" || h.Mark(1) != "10" {
		t.Errorf("bins %+v", h)
	}
	for i, want := range []float64{3, 1} { // whole powers of the tail, 0 of the head
		if got := h.Groups[i].Values; len(got) != 3 || got[0] != 0 || i == 0 && got[2] != want {
			t.Errorf("%s: %v", h.Groups[i].Name, got)
		}
	}
}
