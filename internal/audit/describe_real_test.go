package audit

import (
	"math"
	"testing"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/dataset/format"
	"github.com/bloomgml/bloom/internal/testkit"
)

// TestPublishedHomophily compares with what the literature prints, two digits: Platonov et al.
// 2023, "A critical look at the evaluation of GNNs under heterophily", table 1, for the first two,
// and Platonov et al. 2022, "Characterizing graph datasets for node classification", for the rest.
func TestPublishedHomophily(t *testing.T) {
	if testing.Short() {
		t.Skip("reads several benchmark sets")
	}
	for _, c := range []struct {
		path                      string
		adjusted, informativeness float64
	}{
		{"heterophilous/minesweeper.npz", 0.01, 0.00},
		{"heterophilous/tolokers.npz", 0.09, 0.01},
		{"heterophilous/actor.npz", 0.00, 0.00},
		{"planetoid/ind.cora.graph", 0.77, 0.59},
		{"planetoid/ind.citeseer.graph", 0.67, 0.45},
		{"planetoid/ind.pubmed.graph", 0.69, 0.41},
	} {
		t.Run(c.path, func(t *testing.T) {
			h := Describe(opened(t, c.path)).Homophily
			if math.Abs(h.Adjusted-c.adjusted) > 0.005+1e-9 ||
				math.Abs(h.Informativeness-c.informativeness) > 0.005+1e-9 {
				t.Errorf("adjusted homophily %.4f, label informativeness %.4f, published %v and %v", h.Adjusted,
					h.Informativeness, c.adjusted, c.informativeness)
			}
		})
	}
}

// TestPublishedLeaks finds what is known about benchmark sets: a third of the test of WN18RR are
// symmetric facts turned round, and WN18RR_v3 shares 8 entities with its twin.
func TestPublishedLeaks(t *testing.T) {
	if testing.Short() {
		t.Skip("reads the largest knowledge graphs")
	}
	wn := kinds(opened(t, "kg/WN18RR"))
	if len(wn) != 2 || wn[InverseTriples] != 1086 || wn[UnseenEntities] != 210 {
		t.Errorf("WN18RR: %v", wn)
	}
	if fb := kinds(opened(t, "kg/FB15k-237")); len(fb) != 1 || fb[UnseenEntities] != 28 {
		t.Errorf("FB15k-237: %v", fb)
	}
	if v3 := kinds(opened(t, "grail/WN18RR_v3")); v3[sharedEntities] != 8 {
		t.Errorf("WN18RR_v3: %v", v3)
	}
}

// opened is a set of $BLOOM_DATA.
func opened(t *testing.T, path string) *dataset.Dataset {
	t.Helper()
	d, err := format.Open(testkit.Benchmark(t, path))
	if err != nil {
		t.Fatal(err)
	}
	return d
}
