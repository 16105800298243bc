package nodes_test

import (
	"testing"

	"github.com/bloomgml/bloom/internal/generate"
	"github.com/bloomgml/bloom/nodes"
)

// TestAdviseStack: a stack is proposed where validation nodes are clearly better with it than with one energy, and not
// where they are as good with either; nothing is tried where neighbours agree or labels are few. A run of a stack is
// not told to leave it.
func TestAdviseStack(t *testing.T) {
	for ref, want := range map[string]struct {
		recipe string
		tried  int
	}{
		"minesweeper:size=40,seed=2":                         {"stack-compat", 2},
		"csbm:nodes=600,homophily=0.25,classes=4,seed=2":     {"heterophily-huber", 2},
		"csbm:nodes=600,homophily=0.25,classes=4,train=0.05": {"base", 0},
		"csbm:nodes=600,homophily=0.9,classes=4,signal=2":    {"robust", 0},
	} {
		d, _, err := generate.Make(ref)
		if err != nil {
			t.Fatal(err)
		}
		a, err := nodes.Advise(d)
		if err != nil || a.Recipe != want.recipe || len(a.Tried) != want.tried {
			t.Errorf("%s: %+v, %v, want %v", ref, a, err, want)
		}
	}
	a, err := trained(t, "csbm:nodes=400,degree=8,homophily=0.1,seed=3", "stack-laplace").Advise(nil)
	if err != nil || a.Recipe != "stack-laplace" {
		t.Errorf("a stack is told %+v, %v", a, err)
	}
}
