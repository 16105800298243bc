package ondisk

import (
	"slices"
	"testing"
)

// TestCut wants panels that cover all columns, none too wide, no more than one without whole lines where lines fit, and
// as few as there can be of such.
func TestCut(t *testing.T) {
	for columns := 1; columns < 150; columns++ {
		for most := 1; most < 160; most++ {
			cut := Cut(columns, most)
			odd, n := 0, len(cut)-1
			for k := range n {
				width := cut[k+1] - cut[k]
				if width < 1 || width > most {
					t.Fatalf("%d columns, %d at most: %v", columns, most, cut)
				}
				if width%line != 0 {
					odd++
				}
			}
			if cut[0] != 0 || cut[n] != columns || Widest(cut) > most {
				t.Fatalf("%d columns, %d at most: %v", columns, most, cut)
			}
			fewest, fit := (columns+most-1)/most, most >= line
			if fit && odd > 1 || !fit && n != fewest || fit && most%line == 0 && n != fewest {
				t.Fatalf("%d columns, %d at most: %v, %d panels at the least", columns, most, cut, fewest)
			}
		}
	}
	for _, c := range []struct {
		columns, most int
		want          []int
	}{{65, 17, []int{0, 17, 33, 49, 65}}, {65, 5, []int{0, 5, 10, 15, 20, 25, 30, 35, 40, 45, 50, 55, 60, 65}},
		{64, 100, []int{0, 64}}, {65, 40, []int{0, 33, 65}}} {
		if got := Cut(c.columns, c.most); !slices.Equal(got, c.want) {
			t.Errorf("%d columns, %d at most: %v, want %v", c.columns, c.most, got, c.want)
		}
	}
}
