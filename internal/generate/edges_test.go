package generate

import "testing"

// TestMixed: contrary nodes have the homophily that is left to 1, so that half of them leave a half of all edges within
// classes, and nodes differ far more in the classes around them than where every edge is such a coin.
func TestMixed(t *testing.T) {
	scatter := map[string]float64{}
	for _, knobs := range []string{"homophily=0.5", "homophily=0.9,mixed=0.5"} {
		d := generated(t, "csbm:nodes=800,degree=12,seed=4,"+knobs)
		same, edges := make([]float64, 800), make([]float64, 800)
		all := 0
		for _, e := range d.Graph.Triples() {
			edges[e.U]++
			edges[e.V]++
			if d.Labels.Class[e.U] == d.Labels.Class[e.V] {
				same[e.U]++
				same[e.V]++
				all++
			}
		}
		if all != 2400 || d.Graph.NumEdges() != 4800 {
			t.Errorf("%s: %d edges of %d within classes", knobs, all, d.Graph.NumEdges())
		}
		for v, n := range edges {
			off := same[v]/max(1, n) - 0.5
			scatter[knobs] += off * off / 800
		}
	}
	// A coin has 1/(4·12); patterns of 0.9 and 0.1 at the half of its edges that a node begins add 0.4²/4.
	if a, b := scatter["homophily=0.5"], scatter["homophily=0.9,mixed=0.5"]; b < 1.7*a {
		t.Errorf("shares within classes have variances %v and, mixed, %v", a, b)
	}
	if _, _, err := Make("csbm:nodes=20,degree=6,homophily=1,classes=5,mixed=0.9"); err == nil {
		t.Error("more edges than half of the pairs of ordinary nodes are drawn")
	}
}
