package main

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/dataset/catalogue"
	"github.com/bloomgml/bloom/descent"
	"github.com/bloomgml/bloom/energy"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/mat"
)

// small is a job on a generated graph.
func small(t *testing.T, cell string) job {
	t.Helper()
	d, err := catalogue.Open("csbm:nodes=60,seed=3")
	if err != nil {
		t.Fatal(err)
	}
	c, err := Parse("cells/x/x-csbm.yaml", []byte("row: x\ndata: csbm\nabout: a\nseeds: 1\nbudget: none\n"+cell))
	if err != nil {
		t.Fatal(err)
	}
	cfg, err := c.Config()
	if err != nil {
		t.Fatal(err)
	}
	return job{c, *cfg, d, 0, &bases{of: map[place]*mat.Dense{}}}
}

const oneNumber = "numbers: [{name: test, published: {none: a test}}]\n"

// TestWideIsPropagation: with as many orthonormal features as nodes, steps on W are steps of label propagation, to
// rounding.
func TestWideIsPropagation(t *testing.T) {
	const settings = "settings: {recipe: lp-free, energy: {f: {norm: symmetric, lambda: 7}, descent: {gamma: safe, " +
		"sigma: none}}}\n"
	plain := small(t, settings+"trace: {steps: 60}\n"+oneNumber)
	wide := small(t, settings+"trace: {steps: 60, pad: true}\n"+oneNumber)
	a, err := propagation(plain)
	if err != nil {
		t.Fatal(err)
	}
	b, err := propagation(wide)
	if err != nil {
		t.Fatal(err)
	}
	if w, ok := b.a.(weights); !ok || w.x.Shape() != (mat.Shape{Rows: 60, Cols: 60}) {
		t.Fatalf("padded: %+v, want steps on W for 60 columns", b.a)
	}
	var h [2][]float64
	for i, s := range []solver{a, b} {
		err := trace(context.Background(), s.a, s.l, mat.New(60, s.l.Pi.Cols()), 60, func(_ int, m *mat.Dense) error {
			h[i] = onHost(m)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	// The basis is orthonormal to some units of rounding a product of 60 terms; 60 contracting steps add up.
	unit := math.Nextafter32(1, 2) - 1
	for i := range h[0] {
		if diff := math.Abs(h[0][i] - h[1][i]); diff > 200*float64(unit) {
			t.Fatalf("entry %d: %v and %v", i, h[0][i], h[1][i])
		}
	}
	if math.Sqrt(dot(h[0], h[0])) < 0.1 {
		t.Error("H is still 0: the comparison compares nothing")
	}
}

// TestCurvature: power iteration against the Rayleigh quotient of a dense matrix, written out.
func TestCurvature(t *testing.T) {
	j := small(t, "settings: {recipe: gr-mlp-weights}\ntrace: {steps: 5}\n"+oneNumber)
	s, err := propagation(j)
	if err != nil {
		t.Fatal(err)
	}
	got, err := curvature(s.l, s.task.On.X, 1)
	if err != nil {
		t.Fatal(err)
	}
	x, n, k := onHost(ad.Eval(s.l.X)), s.l.X.Rows(), s.l.X.Cols()
	m := newLaplacian(s.l.On.Graph, graph.None, 1, 1)
	w, y, z := make([]float64, k), make([]float64, n), make([]float64, n)
	for i := range w {
		w[i] = 1 + float64(i%3)
	}
	want := 0.0
	for range 2000 {
		size := math.Sqrt(dot(w, w))
		clear(y)
		for v := range n {
			for c := range k {
				y[v] += x[v*k+c] * w[c] / size
			}
		}
		m.mul(z, y)
		clear(w)
		for v := range n {
			for c := range k {
				w[c] += x[v*k+c] * z[v]
			}
		}
		want = math.Sqrt(dot(w, w))
	}
	if math.Abs(got-want) > 0.02*want {
		t.Errorf("curvature %v, want %v", got, want)
	}
}

// TestWeights: a step with features that stay sparse equals one of descent.Weights, up to rounding.
func TestWeights(t *testing.T) {
	s, err := propagation(small(t, "settings: {recipe: gr-mlp-weights}\ntrace: {steps: 5}\n"+oneNumber))
	if err != nil {
		t.Fatal(err)
	}
	a := s.a.(weights)
	h := ad.Const(ad.Eval(s.l.Pi))
	got := onHost(ad.Eval(a.Step(s.l, descent.State{H: h}).H))
	want := onHost(ad.Eval(descent.Weights(descent.Forced(a.gamma)).Step(s.l, descent.State{H: h}).H))
	for i := range want {
		if math.Abs(got[i]-want[i]) > 1e-5 {
			t.Fatalf("entry %d: %v, want %v", i, got[i], want[i])
		}
	}
}

// TestProjected: the minimum by conjugate gradients is where steps on W end.
func TestProjected(t *testing.T) {
	s, err := propagation(small(t, "settings: {recipe: gr-mlp-weights, energy: {f: {lambda: 2}}}\ntrace: "+
		"{steps: 5}\n"+oneNumber))
	if err != nil {
		t.Fatal(err)
	}
	var far []float64
	err = trace(context.Background(), s.a, s.l, mat.New(60, s.l.Pi.Cols()), 5000, func(_ int, h *mat.Dense) error {
		far = onHost(h)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range onHost(projected(s)) {
		if math.Abs(far[i]-want) > 1e-3 {
			t.Fatalf("entry %d: %v after 5000 steps, %v at the minimum", i, far[i], want)
		}
	}
}

// TestLaplacian holds the double precision energy of the figures against the engine's, and its minimum against random
// points.
func TestLaplacian(t *testing.T) {
	d, err := catalogue.Open("csbm:nodes=50,seed=1")
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(7, 7))
	n, cols := d.Graph.NumNodes(), 3
	random := func() *mat.Dense {
		x := make([]mat.Real, n*cols)
		for i := range x {
			x[i] = mat.Real(rng.NormFloat64())
		}
		return mat.FromSlice(n, cols, x)
	}
	for _, norm := range []graph.Norm{graph.None, graph.Symmetric} {
		p, h := random(), random()
		l := &energy.Lower{On: energy.NewStructure(d.Graph), Pi: ad.Const(p),
			Kappa: []energy.NodeTerm{energy.Anchor(energy.HalfSquared)},
			F:     []energy.EdgeTerm{energy.Laplace(energy.Fixed(1.5), norm)}}
		m := newLaplacian(d.Graph, norm, 1.5, cols)
		want, got := float64(ad.Eval(l.Smooth(ad.Const(h))).Item()), m.energy(onHost(h), onHost(p))
		if math.Abs(got-want) > 1e-4*want {
			t.Errorf("norm %v: energy %v, the engine says %v", norm, got, want)
		}
		best := m.solve(onHost(p))
		if gap, want := m.gap(onHost(h), best), m.energy(onHost(h), onHost(p))-m.energy(best, onHost(p)); gap <= 0 ||
			math.Abs(gap-want) > 1e-9*want {
			t.Errorf("norm %v: gap %v, the difference of the energies is %v", norm, gap, want)
		}
	}
}

// TestTrace: steps one by one are the steps of descent.Run.
func TestTrace(t *testing.T) {
	d, err := catalogue.Open("karate")
	if err != nil {
		t.Fatal(err)
	}
	p := mat.New(d.Graph.NumNodes(), 2)
	mat.Normal(p, 0, 1, 5)
	l := &energy.Lower{On: energy.NewStructure(d.Graph), Pi: ad.Const(p),
		Kappa: []energy.NodeTerm{energy.Anchor(energy.HalfSquared)},
		F:     []energy.EdgeTerm{energy.Laplace(energy.Fixed(1), graph.None)}}
	for _, a := range []descent.Algorithm{descent.Proximal(nil, descent.Degree),
		descent.Momentum(nil, descent.Degree, 0.4),
		descent.HeavyBall(descent.Fixed(0.5), descent.Degree, 0.4)} {
		seen := 0
		err := trace(context.Background(), a, l, p, 6, func(step int, h *mat.Dense) error {
			want := onHost(ad.Eval(descent.Run(a, l, l.Pi, step).H))
			for i, v := range onHost(h) {
				if math.Abs(v-want[i]) > 1e-5 {
					return fmt.Errorf("%T: step %d, entry %d: %v, want %v", a, step, i, v, want[i])
				}
			}
			seen++
			return nil
		})
		if err != nil || seen != 7 {
			t.Errorf("saw %d states, error %v", seen, err)
		}
	}
}

// measureCase is a measurement of a small graph.
type measureCase struct {
	name, cell string
	measure    func(context.Context, job) (Outcome, error)
	check      func(Outcome) string
}

// TestMeasures runs every kind of measurement on a small graph, with what must be true of any.
func TestMeasures(t *testing.T) {
	const model = "model: {hidden: 8, before: 1, after: 1, norm: none}, train: {epochs: 20, rate: 0.05, patience: 0}"
	numbers := func(names ...string) string {
		text := "numbers:\n"
		for _, n := range names {
			text += "  - {name: " + n + ", published: {none: a test}}\n"
		}
		return text
	}
	cases := []measureCase{
		{"noise", "settings: {recipe: robust, data: {corrupt: rows=0.2}, " + model + "}\n" +
			numbers("test", "detect", "ten splits"), measureTraining,
			func(o Outcome) string {
				return atLeast(o, map[string]float64{"test": 30, "detect": 20, "ten splits": 30})
			}},
		{"lp", "settings: {recipe: gr-mlp-weights}\ntrace: {steps: 30, stop: validation}\n" +
			numbers("test", "converged"), measurePropagation,
			func(o Outcome) string { return atLeast(o, map[string]float64{"test": 30, "converged": 30}) }},
		{"energy", "settings: {recipe: base, " + model + "}\ntrace: {gamma: 0.1, steps: 60}\n" +
			numbers("jacobi steps", "normalised steps"), measureEnergy,
			func(o Outcome) string {
				if s := o.Numbers["jacobi steps"]; !(s > 5 && s < 40) {
					return fmt.Sprintf("heavy ball takes %v steps for 50 plain ones", s)
				}
				return ""
			}},
		{"unit norm", "settings: {recipe: base, " + model + "}\ntrace: {steps: 40}\n" + numbers("projection plateau"),
			measureUnitNorm,
			func(o Outcome) string {
				if o.Numbers["projection deviation"] > 1e-5 || o.Numbers["penalty deviation"] < 1e-3 {
					return fmt.Sprintf("deviations %v", o.Numbers)
				}
				return atLeast(o, map[string]float64{"projection plateau": 1, "penalty plateau": 1})
			}},
		{"distances", "settings: {recipe: heterophily-edge, " + model + "}\n" + numbers("median", "rank"),
			measureDistances,
			func(o Outcome) string {
				if r := o.Numbers["rank"]; !(r >= 0 && r <= 1) {
					return fmt.Sprintf("rank %v", r)
				}
				return atLeast(o, map[string]float64{"median": 0.5, "quadratic median": 0.5})
			}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			o, err := c.measure(context.Background(), small(t, c.cell))
			if err != nil {
				t.Fatal(err)
			}
			if problem := c.check(o); problem != "" {
				t.Error(problem)
			}
		})
	}
}

// atLeast is what is wrong with the numbers of an outcome, which must not be below some.
func atLeast(o Outcome, want map[string]float64) string {
	for name, v := range want {
		if got, ok := o.Numbers[name]; !ok || !(got >= v) {
			return fmt.Sprintf("%s is %v, want %v or more", name, got, v)
		}
	}
	return ""
}

func TestCurveNumbers(t *testing.T) {
	if got := plateau([]float64{100, 50, 1.5, 1.2, 1, 1}); got != 2 {
		t.Errorf("plateau at %v, want 2", got)
	}
	if got := stepsTo([]float64{5, 4, 2, 1}, 2); got != 2 {
		t.Errorf("steps to 2 are %v, want 2", got)
	}
	if got := stepsTo([]float64{5, 4}, 2); got != 2 {
		t.Errorf("steps to a level never reached are %v, want beyond the end, 2", got)
	}
	if got := median([]float64{4, 1, 3, 2}); got != 2.5 {
		t.Errorf("median %v, want 2.5", got)
	}
	area := 0.0
	c := density("p", "n", []float64{0.1, 0.2, 0.9, 1.9}, 2)
	for _, y := range c.Y {
		area += y * 2 / float64(len(c.Y))
	}
	if math.Abs(area-1) > 1e-12 {
		t.Errorf("area %v, want 1", area)
	}
	if got := largest([]float64{1, 3, 3}); got != 1 {
		t.Errorf("largest at %d, want 1", got)
	}
}

// TestFigure: a figure is SVG with its ticks, and replaces its own file alone.
func TestFigure(t *testing.T) {
	f := Figure{Name: "x", Title: "t", X: "steps", Y: "gap", Log: true,
		Curves: []Curve{{Name: "a", X: []float64{0, 1, 2}, Y: []float64{1, 1e-4, 0}}}}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "x.svg"), []byte("a photo"), 0o666); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if _, err := f.Save(dir, false); err == nil {
			t.Error("a photo is replaced")
		}
	}
	if _, err := f.Save(dir, true); err != nil {
		t.Fatal(err)
	}
	file, err := f.Save(dir, false) // its own
	if err != nil {
		t.Fatal(err)
	}
	svg, err := os.ReadFile(file)
	if err != nil || !strings.Contains(string(svg), "<svg") || !strings.Contains(string(svg), "1e-4") {
		t.Errorf("no SVG with a tick at 1e-4, error %v", err)
	}
}
