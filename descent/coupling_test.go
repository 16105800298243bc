package descent_test

import (
	"errors"
	"testing"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/descent"
	"github.com/bloomgml/bloom/energy"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/mat"
)

// TestCouplingNeedsOneStep: a projection of all nodes together takes one step size for all.
func TestCouplingNeedsOneStep(t *testing.T) {
	g, err := graph.Build(graph.Spec{Nodes: 3, Undirected: true, Triples: []graph.Triple{{U: 0, V: 1}, {U: 1, V: 2}}})
	if err != nil {
		t.Fatal(err)
	}
	onto, err := energy.Range(mat.FromSlice(3, 1, []mat.Real{1, 2, 3}))
	if err != nil {
		t.Fatal(err)
	}
	l := &energy.Lower{
		On: energy.NewStructure(g), Pi: ad.Const(mat.New(3, 2)),
		F:     []energy.EdgeTerm{energy.Laplace(energy.Fixed(1), graph.None)},
		Kappa: []energy.NodeTerm{energy.Anchor(energy.HalfSquared)}, Eta: onto,
	}
	var no *descent.Unsuitable
	if err := descent.Check(descent.Proximal(descent.Fixed(0.1), descent.Degree),
		l); !errors.As(err, &no) {
		t.Errorf("error %v with a step size per node, want Unsuitable", err)
	}
	if err := descent.Check(descent.Proximal(descent.Fixed(0.1), nil), l); err != nil {
		t.Errorf("error %v with one step size", err)
	}
}
