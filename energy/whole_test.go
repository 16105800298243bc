package energy_test

import (
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/energy"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/mat"
)

// logTotal is log Σ exp over all entries of H times a parameter: no sum over nodes.
type logTotal struct{ scale *ad.Param }

func (t logTotal) Whole(h ad.Var) ad.Var {
	row := h.Reshape(1, h.Rows()*h.Cols())
	return row.Columns(0, 1).Sub(row.LogSoftmax().Columns(0, 1)).Mul(t.scale.Var)
}
func (t logTotal) Params() []*ad.Param { return []*ad.Param{t.scale} }

// TestWholeTerm: a term on all of H is part of the energy, its gradient, its total, its report and its parameters,
// besides κ; and no step is certified with it.
func TestWholeTerm(t *testing.T) {
	g, err := graph.Build(graph.Spec{Nodes: 3, Relations: 1})
	if err != nil {
		t.Fatal(err)
	}
	x := []mat.Real{0.5, -1, 2, 0, 1, -0.5}
	h, scale := mat.FromSlice(3, 2, x), ad.NewParam("scale", mat.Scalar(2))
	l := &energy.Lower{On: energy.NewStructure(g), Pi: ad.Fill(h.Shape(), 0),
		Whole: []energy.WholeTerm{logTotal{scale}},
		Kappa: []energy.NodeTerm{energy.Anchor(energy.HalfSquared)}}
	sum, squares := 0.0, 0.0
	for _, v := range x {
		sum, squares = sum+math.Exp(float64(v)), squares+float64(v*v)
	}
	want := 2*math.Log(sum) + squares/2
	in := ad.Input(h)
	report, err := l.Report(h)
	if err != nil {
		t.Fatal(err)
	}
	for name, got := range map[string]float64{
		"Smooth": float64(ad.Eval(l.Smooth(in)).Item()), "Total": float64(ad.Eval(l.Total(in)).Item()),
		"Report": report.Total, "Whole and Nodes": report.Whole[0].Total + report.Nodes[0].Total,
	} {
		if math.Abs(got-want) > 1e-5 {
			t.Errorf("%s is %v, want %v", name, got, want)
		}
	}
	for i, got := range ad.Eval(l.Grad(in)).Slice() {
		if want := 2*math.Exp(float64(x[i]))/sum + float64(x[i]); math.Abs(float64(got)-want) > 1e-5 {
			t.Errorf("entry %d of the gradient is %v, want %v", i, got, want)
		}
	}
	var none *energy.NoBound
	if _, err := l.Curvature(); !errors.As(err, &none) || none.Term != "LogTotal" || none.Number != 2 {
		t.Errorf("curvature: %v", err)
	}
	if !slices.Contains(l.Params(), scale) {
		t.Error("its parameter is missing")
	}
}
