package energy_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/energy"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/mat"
)

func reported(t testing.TB) *energy.Lower {
	return &energy.Lower{On: starOf(t, 6), Pi: ad.Const(drawn(6, 3, -1, 1, 1)), Eta: energy.L1(0.2),
		F: []energy.EdgeTerm{energy.Laplace(energy.Fixed(0.5), graph.None),
			energy.OnEdges(energy.Huber(1), func(e energy.Edges) ad.Var { return e.U.Add(e.V) })},
		Kappa: []energy.NodeTerm{energy.Anchor(energy.LogCosh), energy.UnitNormPenalty(energy.Fixed(2))}}
}

// TestReportAddsUp: the rows of a term add up to its total, and all totals to the energy.
func TestReportAddsUp(t *testing.T) {
	l, h := reported(t), drawn(6, 3, -2, 2, 2)
	r, err := l.Report(h)
	if err != nil {
		t.Fatal(err)
	}
	names, sum := []string{"Laplace", "OnEdges", "Anchor log-cosh", "UnitNormPenalty"}, r.Eta
	for i, term := range append(append([]energy.TermReport{}, r.Edges...), r.Nodes...) {
		total := 0.0
		for _, x := range term.Each.Slice() {
			total += float64(x)
		}
		if term.Name != names[i] || !nearly(term.Total, total, rounding) || total == 0 {
			t.Errorf("%s: total %v, rows add up to %v", term.Name, term.Total, total)
		}
		sum += total
	}
	smooth := ad.Eval(l.Smooth(ad.Input(h))).Item()
	if eta := l.Eta.Value(h); !nearly(r.Total, sum, rounding) ||
		!nearly(r.Total, float64(smooth)+eta, rounding) || eta != r.Eta {
		t.Errorf("total %v, terms add up to %v, smooth %v and η %v", r.Total, sum, smooth, eta)
	}
	if r.Edges[0].Each.Rows() != 4 || r.Nodes[0].Each.Rows() != 6 {
		t.Errorf("%d edges and %d nodes", r.Edges[0].Each.Rows(), r.Nodes[0].Each.Rows())
	}
	p := ad.Eval(l.Pi).Slice()
	for v, x := range r.Residual.Slice() {
		want := 0.0
		for j, y := range h.Slice()[3*v : 3*v+3] {
			want = math.Hypot(want, float64(y-p[3*v+j]))
		}
		if !nearly(float64(x), want, rounding) {
			t.Errorf("residual of node %d: %v, want %v", v, x, want)
		}
	}
}

func TestReportErrors(t *testing.T) {
	l := reported(t)
	if _, err := l.Report(mat.New(5, 3)); err == nil {
		t.Error("5 rows for 6 nodes were accepted")
	}
	data := drawn(6, 3, -1, 1, 3).Slice()
	data[3*5] = mat.Real(math.Inf(1)) // the node without edges
	_, err := l.Report(mat.FromSlice(6, 3, data))
	var bad *mat.NonFinite
	if !errors.As(err, &bad) || bad.Row != 5 ||
		!strings.HasPrefix(err.Error(), "Anchor log-cosh: the energy of node 5 ") {
		t.Errorf("error %v, want one of the anchor at node 5", err)
	}
	l.Eta, l.Pi = energy.NonNegative, ad.Var{}
	l.Kappa = l.Kappa[1:]
	r, err := l.Report(drawn(6, 3, -1, 1, 3))
	if err != nil || !math.IsInf(r.Total, 1) || r.Residual != nil {
		t.Errorf("report %+v, error %v, where η is infinite", r, err)
	}
}
