package train

import (
	"math"
	"testing"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/mat"
)

func TestRates(t *testing.T) {
	for _, x := range []struct {
		schedule       string
		warmup, t      int
		want, distance float64
	}{
		{"constant", 0, 99, 2, 0}, {"constant", 4, 0, 0.5, 0}, {"constant", 4, 3, 2, 0},
		{"cosine", 0, 0, 2, 0}, {"cosine", 0, 50, 1, 1e-12}, {"linear", 0, 25, 1.5, 0}, {"linear", 0, 99, 0.02, 1e-12},
		{"step", 0, 66, 2, 0}, {"step", 0, 67, 0.2, 1e-12}, {"step", 0, 99, 0.2, 1e-12},
	} {
		c := config.Train{Rate: 2, Epochs: 100, Schedule: x.schedule, Warmup: x.warmup}
		if got := rateAt(c, x.t); math.Abs(got-x.want) > x.distance {
			t.Errorf("%s, warmup %d, epoch %d: %v, want %v", x.schedule, x.warmup, x.t, got, x.want)
		}
	}
}

// TestSteps compares three steps with the formulas, written for one number of each parameter: a weight, which decays, and a bias,
// which does not.
func TestSteps(t *testing.T) {
	const rate, decay, mu = 0.1, 0.3, 0.9
	grads := [][2]float64{{3, 4}, {-1, 2}, {0.6, 0.8}}
	for name, x := range map[string]struct {
		c    config.Train
		want func(w, decay float64, g []float64) float64
	}{
		"sgd":    {config.Train{Optimizer: "sgd", Momentum: mu}, naiveSGD(rate, mu)},
		"adam":   {config.Train{Optimizer: "adam"}, naiveAdam(rate, false)},
		"adamw":  {config.Train{Optimizer: "adamw"}, naiveAdam(rate, true)},
		"clip 1": {config.Train{Optimizer: "sgd", Clip: 1}, naiveSGD(rate, 0)},
	} {
		x.c.WeightDecay = decay
		w, b := ad.NewParam("pi.0.W", mat.Scalar(1)), ad.NewParam("pi.0.b", mat.Scalar(1))
		o := newOptimizer(x.c, []*ad.Param{w, b})
		var gw, gb []float64
		for i, g := range grads {
			o.step([]*mat.Dense{mat.Scalar(mat.Real(g[0])), mat.Scalar(mat.Real(g[1]))}, rate, i+1)
			scale := 1.0
			if x.c.Clip > 0 {
				scale = min(1, x.c.Clip/math.Hypot(g[0], g[1]))
			}
			gw, gb = append(gw, scale*g[0]), append(gb, scale*g[1])
		}
		for _, p := range []struct {
			name      string
			got, want float64
		}{{"weight", float64(w.Value().Item()), x.want(1, decay, gw)}, {"bias", float64(b.Value().Item()), x.want(1, 0, gb)}} {
			if math.Abs(p.got-p.want) > 2e-6 { // some roundings of numbers about 1
				t.Errorf("%s: %s %v, want %v", name, p.name, p.got, p.want)
			}
		}
	}
}

func naiveSGD(rate, mu float64) func(w, decay float64, g []float64) float64 {
	return func(w, decay float64, gs []float64) float64 {
		v := 0.0
		for _, g := range gs {
			v = mu*v + g + decay*w
			w -= rate * v
		}
		return w
	}
}

func naiveAdam(rate float64, decoupled bool) func(w, decay float64, g []float64) float64 {
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
