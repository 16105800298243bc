package node

import (
	"math"
	"testing"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/input"
	"github.com/bloomgml/bloom/train"
)

// TestLinearHead: F is what training minimises, finite differences confirm its derivatives, and from any weights
// Newton steps end within the bounds of each other.
func TestLinearHead(t *testing.T) {
	const ref = "csbm:nodes=200,features=4"
	d := made(t, ref)
	loaded, err := config.Load(config.Options{Recipe: "base", Data: ref, Set: []string{"model.before=0",
		"model.after=1", "model.norm=none", "train.weight_decay=0.01"}})
	if err != nil {
		t.Fatal(err)
	}
	c := *loaded
	var ends [][]float64
	var bounds []float64
	for seed := range uint64(3) {
		x, err := Build(c, d, train.Trial{Seed: seed}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		f, err := x.linearHead()
		if err != nil {
			t.Fatal(err)
		}
		loss, err := x.network.Loss(input.Evaluation())
		if err != nil {
			t.Fatal(err)
		}
		prog := ad.Compile(loss)
		if err := prog.Run(); err != nil {
			t.Fatal(err)
		}
		at := f.at()
		value, _, _ := f.gradient(at)
		for _, w := range at[:f.d*f.k] {
			value -= f.decay / 2 * w * w
		}
		if want := float64(prog.Value(loss).Item()); math.Abs(value-want) > 1e-5 { // of float32
			t.Errorf("seed %d: loss %v, want %v", seed, value, want)
		}
		checkSlopes(t, f)
		if _, err := f.minimise(); err != nil {
			t.Fatal(err)
		}
		ends, bounds = append(ends, f.at()[:f.d*f.k]), append(bounds, f.bound())
	}
	for i := range ends {
		far := 0.0
		for j, w := range ends[0] {
			far += (w - ends[i][j]) * (w - ends[i][j])
		}
		if math.Sqrt(far) > bounds[0]+bounds[i] || bounds[i] > 1e-4 { // weights are rounded to float32
			t.Errorf("seed %d: %v from seed 0, bounds %v and %v", i, math.Sqrt(far), bounds[0], bounds[i])
		}
	}
}

// checkSlopes compares derivatives with differences.
func checkSlopes(t *testing.T, f *linearHead) {
	t.Helper()
	at := f.at()
	_, g, p := f.gradient(at)
	hs, along := make([]float64, len(at)), make([]float64, len(at))
	for i := range along {
		along[i] = math.Sin(float64(i + 1))
	}
	f.hessian(hs, along, p)
	const step = 1e-5
	moved := func(share float64) (list []float64) {
		for i, v := range at {
			list = append(list, v+share*along[i])
		}
		return list
	}
	up, gUp, _ := f.gradient(moved(step))
	down, gDown, _ := f.gradient(moved(-step))
	slope := 0.0
	for i := range g {
		slope += g[i] * along[i]
		if want := (gUp[i] - gDown[i]) / (2 * step); math.Abs(hs[i]-want) > 1e-7 {
			t.Errorf("curvature %v of number %d, want %v", hs[i], i, want)
		}
	}
	if want := (up - down) / (2 * step); math.Abs(slope-want) > 1e-8 {
		t.Errorf("slope %v, want %v", slope, want)
	}
}

// TestTrainingRows: rows of training nodes equal rows of the whole descent, also where they are fewer than columns and
// come from a derivative, with and without normalisation.
func TestTrainingRows(t *testing.T) {
	for _, ref := range []string{"csbm:nodes=200,features=4", "csbm:nodes=200,features=90,train=0.2"} {
		for _, norm := range []string{"none", "symmetric"} {
			c, err := config.Load(config.Options{Recipe: "base", Data: ref, Set: []string{"model.before=0",
				"model.after=1", "model.norm=none", "train.weight_decay=0.01", "energy.f.norm=" + norm}})
			if err != nil {
				t.Fatal(err)
			}
			x, err := Build(*c, made(t, ref), train.Trial{}, Options{})
			if err != nil {
				t.Fatal(err)
			}
			f, err := x.linearHead()
			if err != nil {
				t.Fatal(err)
			}
			h, err := x.Stack.Embed(input.Evaluation(), x.On)
			if err != nil {
				t.Fatal(err)
			}
			all := ad.Eval(h).Slice()
			for i, v := range x.Split.Train {
				for j, got := range f.rows[i*f.d:][:f.d] {
					if want := float64(all[int(v)*f.d+j]); math.Abs(got-want) > 1e-5 {
						t.Fatalf("%s, norm %s: row %d, column %d is %v, want %v", ref, norm, v, j, got, want)
					}
				}
			}
		}
	}
}
