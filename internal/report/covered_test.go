package report

import (
	"math"
	"strings"
	"testing"
)

// TestCovered: every test node is in one group by class and in one by degree, and together they hold the truth as often
// as the sets do; numbers have groups by degree alone.
func TestCovered(t *testing.T) {
	for name, dir := range map[string]string{"classes": spoilt(t),
		"numbers": folder(t, "base", "smooth:nodes=300", nil)} {
		r := opened(t, dir)
		c := r.covered
		if c == nil {
			t.Fatalf("%s: no sets", name)
		}
		test := len(r.Trained.Split.Test)
		if by := c.Groups[0].By; (by == "class") != (name == "classes") {
			t.Errorf("%s: the first groups are by %s", name, by)
		}
		for _, by := range c.Groups {
			nodes, held := 0, 0.0
			for _, g := range by.Groups {
				nodes, held = nodes+g.Nodes, held+g.Held
			}
			if share := held / float64(nodes); nodes != test || math.Abs(share-c.Test) > 1e-9 {
				t.Errorf("%s by %s: %d of %d nodes, %v of them hold, want %v", name, by.By, nodes, test, share, c.Test)
			}
		}
		page := pageOf(t, r, Options{})
		if !strings.Contains(page, "Sets that hold the truth") || !strings.Contains(page, "<h3>By degree") {
			t.Errorf("%s: the page does not show it", name)
		}
	}
	if opened(t, karate(t)).covered != nil {
		t.Error("seven validation nodes vouch for sets")
	}
}
