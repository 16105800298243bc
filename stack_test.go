package bloom_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/bloomgml/bloom"
	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/energy"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/input"
	"github.com/bloomgml/bloom/mat"
)

// tower is a stack of three levels of bundles, six columns wide, with everything that stands between levels.
func tower(t *testing.T, n int) *bloom.Stack {
	t.Helper()
	s := &bloom.Stack{In: input.NewLinear("in", 5, 6, 1), Up: model(t, n, energy.HalfSquared).Up}
	for k := range uint64(3) {
		name := fmt.Sprintf("level.%d.", k+1)
		angles := energy.Rotations(input.Glorot(name+"W", 6, 3, k), input.Glorot(name+"N", 6, 3, k),
			ad.NewParam(name+"b", mat.FromSlice(1, 3, []mat.Real{0.3, 0.3, 0.3})))
		out, err := input.NewMLP(input.MLP{Name: name + "out", Sizes: []int{6, 6}, Lead: true, Norm: input.BatchNorm})
		if err != nil {
			t.Fatal(err)
		}
		s.Levels = append(s.Levels, bloom.Level{Norm: input.NewNorm(input.LayerNorm, name+"norm", 6), Out: out,
			Residual: true, Model: bloom.Model{Pi: input.NewLinear(name+"pi", 6, 6, k), L: int(k) + 1,
				F:     []energy.EdgeTerm{energy.Bundle(energy.Trained(name+"λ", 0.8), graph.Symmetric, angles)},
				Kappa: []energy.NodeTerm{energy.Anchor(energy.HalfSquared)}}})
	}
	return s
}

// outputs are the values of predictions, loss and gradients.
func outputs(t *testing.T, of interface {
	Predict(input.Context, bloom.Data) (ad.Var, error)
	Loss(input.Context, bloom.Data) (ad.Var, error)
	Params() []*ad.Param
}, d bloom.Data) (all []mat.Real) {
	t.Helper()
	z, err1 := of.Predict(input.Evaluation(), d)
	loss, err2 := of.Loss(input.Training(&ad.Clock{}), d)
	if err1 != nil || err2 != nil {
		t.Fatal(err1, err2)
	}
	list := []ad.Var{z, loss}
	var xs []ad.Var
	for _, p := range of.Params() {
		xs = append(xs, p.Var)
	}
	list = append(list, ad.Grad(loss, xs...)...)
	prog := ad.Compile(list...)
	if err := prog.Run(); err != nil {
		t.Fatal(err)
	}
	for _, v := range list {
		all = append(all, prog.Value(v).Slice()...)
	}
	return all
}

// TestAlone: the stack of one level is the model, to the bit, with evidence and newcomers.
func TestAlone(t *testing.T) {
	for _, rho := range []energy.Penalty{energy.HalfSquared, energy.Huber(0.3)} {
		m, d := model(t, 9, rho), ring(t, 9, 5)
		s := m.Alone()
		if !slices.Equal(outputs(t, m, d), outputs(t, s, d)) {
			t.Error("predictions, loss or gradients differ")
		}
		one, err1 := m.Evidence(d)
		all, err2 := s.Evidence(d)
		if err1 != nil || err2 != nil || len(all) != 1 || !slices.Equal(one.Energy, all[0].Energy) {
			t.Errorf("evidence %v, want %v; %v, %v", all, one, err1, err2)
		}
	}
}

// TestStackByHand: a stack is its levels one after the other.
func TestStackByHand(t *testing.T) {
	s, d, c := tower(t, 9), ring(t, 9, 5), input.Evaluation()
	h := s.In.Forward(c, d.X)
	for _, l := range s.Levels {
		y, err := l.Embed(c, bloom.Data{On: d.On, X: input.Of(l.Norm.Forward(c, h))})
		if err != nil {
			t.Fatal(err)
		}
		h = h.Add(l.Out.Forward(c, input.Of(y)))
	}
	got, err := s.Predict(c, d)
	if err != nil {
		t.Fatal(err)
	}
	if e := float64(ad.Eval(got.Sub(s.Head(c, h))).MaxAbs()); e != 0 {
		t.Errorf("logits differ by %v", e)
	}
	if n := len(s.State()); n != 6 {
		t.Errorf("%d running statistics, want a mean and a variance of three levels", n)
	}
	var names []string
	for _, p := range s.Params() {
		names = append(names, p.Name)
	}
	if slices.Sort(names); len(slices.Compact(names)) != 2+3*(2+2+1+3+2+2)+2 {
		t.Errorf("parameters %v", names)
	}
}

// TestPlace: every level as a model of its own has the predictions of the stack, falling energies, and energies that
// add up to Totals.
func TestPlace(t *testing.T) {
	s, d, c := tower(t, 9), ring(t, 9, 5), input.Evaluation()
	want, err := s.Predict(c, d)
	if err != nil {
		t.Fatal(err)
	}
	levels, err := s.Place(d)
	if err != nil {
		t.Fatal(err)
	}
	start, end, err := s.Totals(c, d)
	if err != nil {
		t.Fatal(err)
	}
	from, to := float64(ad.Eval(start).Item()), float64(ad.Eval(end).Item())
	for k, l := range levels {
		in, err := l.Inspect(l.On)
		if err != nil {
			t.Fatal(err)
		}
		if e := float64(ad.Eval(ad.Const(in.Logits).Sub(want)).MaxAbs()); e > 1e-5 { // the same, compiled apart
			t.Errorf("level %d: logits differ by %v", k+1, e)
		}
		e := in.Evidence.Energy
		for i := 1; i < len(e); i++ {
			if e[i] > e[i-1]*(1+1e-6) {
				t.Errorf("level %d: energies %v", k+1, e)
			}
		}
		from, to = from-e[0], to-e[len(e)-1]
	}
	if math.Abs(from)+math.Abs(to) > 1e-4 {
		t.Errorf("totals are off by %v and %v", from, to)
	}
}
