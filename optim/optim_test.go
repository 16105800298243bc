package optim

import (
	"math"
	"testing"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/mat"
)

func TestRates(t *testing.T) {
	for _, x := range []struct {
		schedule       string
		warmup         int
		t              float64
		want, distance float64
	}{
		{constant, 0, 99, 2, 0}, {constant, 4, 0, 0.5, 0}, {constant, 4, 3, 2, 0},
		{cosine, 0, 0, 2, 0}, {cosine, 0, 50, 1, 1e-12}, {linear, 0, 25, 1.5, 0}, {linear, 0, 99, 0.02, 1e-12},
		{linear, 0, 0.5, 1.99, 1e-12}, {linear, 0, 101, 0, 0},
		{step, 0, 66, 2, 0}, {step, 0, 67, 0.2, 1e-12}, {step, 0, 99, 0.2, 1e-12},
	} {
		c := Config{Rate: 2, Schedule: x.schedule, Warmup: x.warmup}
		if got := c.RateAt(x.t, 100); math.Abs(got-x.want) > x.distance {
			t.Errorf("%s, warmup %d, epoch %v: %v, want %v", x.schedule, x.warmup, x.t, got, x.want)
		}
	}
}

const rate, decay, mu = 0.1, 0.3, 0.9

// rules are the formulas written for one number.
var rules = map[string]struct {
	Config
	want func(w, decay float64, g []float64) float64
}{
	"sgd":              {Config{Rule: ruleSGD, Momentum: mu}, naiveSGD(mu)},
	"sgd, clip 1":      {Config{Rule: ruleSGD, Clip: 1}, naiveSGD(0)},
	"adam":             {Config{Rule: ruleAdam}, naiveAdam(false)},
	"adam, clip 1":     {Config{Rule: ruleAdam, Clip: 1}, naiveAdam(false)},
	"adamw":            {Config{Rule: ruleAdamW}, naiveAdam(true)},
	"adagrad":          {Config{Rule: ruleAdagrad}, naiveAdagrad},
	"adagrad, clip 1":  {Config{Rule: ruleAdagrad, Clip: 1}, naiveAdagrad},
	"adam, by default": {Config{}, naiveAdam(false)},
}

// TestSteps compares three steps with the formulas, for a weight, which decays, and a bias, which does not.
func TestSteps(t *testing.T) {
	grads := [][2]float64{{3, 4}, {-1, 2}, {0.6, 0.8}}
	for name, x := range rules {
		x.Decay = decay
		w, b := ad.NewParam("pi.0.W", mat.Scalar(1)), ad.NewParam("pi.0.b", mat.Scalar(1))
		o, err := New(x.Config, []*ad.Param{w, b}, nil)
		if err != nil {
			t.Fatal(err)
		}
		var gw, gb []float64
		for _, g := range grads {
			o.Step([]*mat.Dense{mat.Scalar(mat.Real(g[0])), mat.Scalar(mat.Real(g[1]))}, rate)
			scale := 1.0
			if x.Clip > 0 {
				scale = min(1, x.Clip/math.Hypot(g[0], g[1]))
			}
			gw, gb = append(gw, scale*g[0]), append(gb, scale*g[1])
		}
		for _, p := range []struct {
			name      string
			got, want float64
		}{
			{"weight", float64(w.Value().Item()), x.want(1, decay, gw)},
			{"bias", float64(b.Value().Item()), x.want(1, 0, gb)},
		} {
			if math.Abs(p.got-p.want) > 2e-6 { // some roundings of numbers about 1
				t.Errorf("%s: %s %v, want %v", name, p.name, p.got, p.want)
			}
		}
	}
}

func naiveSGD(mu float64) func(w, decay float64, g []float64) float64 {
	return func(w, decay float64, gs []float64) float64 {
		v := 0.0
		for _, g := range gs {
			v = mu*v + g + decay*w
			w -= rate * v
		}
		return w
	}
}

func naiveAdam(decoupled bool) func(w, decay float64, g []float64) float64 {
	return func(w, decay float64, gs []float64) float64 {
		m, v := 0.0, 0.0
		for i, g := range gs {
			if decoupled {
				w -= rate * decay * w
			} else {
				g += decay * w
			}
			m, v = 0.9*m+0.1*g, 0.999*v+0.001*g*g
			n := float64(i + 1)
			w -= rate * m / (1 - math.Pow(0.9, n)) / (math.Sqrt(v/(1-math.Pow(0.999, n))) + 1e-8)
		}
		return w
	}
}

func naiveAdagrad(w, decay float64, gs []float64) float64 {
	s := 0.0
	for _, g := range gs {
		g += decay * w
		s += g * g
		w -= rate * g / math.Sqrt(s)
	}
	return w
}

// TestPartial moves two rows of four and compares them with a parameter of these rows alone; the others stay.
func TestPartial(t *testing.T) {
	for name, x := range rules {
		all := ad.NewParam("entities", mat.FromSlice(4, 1, []mat.Real{1, 2, 3, 4}))
		two := ad.NewParam("entities", mat.FromSlice(2, 1, []mat.Real{4, 2}))
		rows, err := mat.NewIndex([]int32{3, 1}, 4)
		if err != nil {
			t.Fatal(err)
		}
		partial, err := New(x.Config, []*ad.Param{all}, rows)
		if err != nil {
			t.Fatal(err)
		}
		whole, err := New(x.Config, []*ad.Param{two}, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, g := range [][]mat.Real{{1, -2}, {0.5, 3}} {
			partial.Step([]*mat.Dense{mat.FromSlice(2, 1, g)}, rate)
			whole.Step([]*mat.Dense{mat.FromSlice(2, 1, g)}, rate)
		}
		got, want := all.Value().Slice(), two.Value().Slice()
		if got[0] != 1 || got[2] != 3 || got[3] != want[0] || got[1] != want[1] {
			t.Errorf("%s: rows %v, want %v in rows 3 and 1 and the others as they were", name, got, want)
		}
	}
}

func TestUnknownWords(t *testing.T) {
	for _, c := range []Config{{Rule: "adm"}, {Schedule: "cosin"}} {
		if _, err := New(c, nil, nil); err == nil {
			t.Errorf("%+v is taken", c)
		}
	}
}

func TestStepsAllocateNothing(t *testing.T) {
	for name, x := range rules {
		p := ad.NewParam("w", mat.New(4, 3))
		o, err := New(x.Config, []*ad.Param{p}, nil)
		if err != nil {
			t.Fatal(err)
		}
		grads := []*mat.Dense{mat.New(4, 3)}
		if n := testing.AllocsPerRun(10, func() { o.Step(grads, rate) }); n != 0 {
			t.Errorf("%s: %v allocations a step", name, n)
		}
	}
}
