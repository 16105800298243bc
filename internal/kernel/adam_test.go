package kernel

import (
	"fmt"
	"math"
	"testing"
)

func TestAdam(t *testing.T) {
	rng := entryRand()
	eachLevel(t, func(t *testing.T) {
		for _, n := range entrySizes() {
			for _, c := range []AdamConfig{
				{Rate: 0.01, Beta1: 0.9, Beta2: 0.999, Eps: 1e-8},
				{Rate: 0.01, Beta1: 0.9, Beta2: 0.999, Eps: 1e-8, Decay: 0.05},
				{Rate: 0.01, Beta1: 0.9, Beta2: 0.99, Eps: 1e-6, Decay: 0.05, Decoupled: true},
			} {
				w, m, v := copyGuarded(normals(rng, n)), newGuarded(n), newGuarded(n)
				Fill(m.x, 0)
				Fill(v.x, 0)
				o := newNaiveAdam(w.x, c)
				for step := 1; step <= 4; step++ {
					grad := copyGuarded(normals(rng, n))
					Adam(w.x, m.x, v.x, grad.x, c, step)
					o.step(grad.x, step)
				}
				what := fmt.Sprintf("%d numbers, %+v", n, c)
				// Four steps of about eight roundings each; moments are of size 1 and more.
				near(t, what+" w", w.x, o.w, 40*roundoff, func(i int) float64 { return 1 + math.Abs(o.w[i]) })
				near(t, what+" m", m.x, o.m, 40*roundoff, func(i int) float64 { return 1 + math.Abs(o.m[i]) })
				near(t, what+" v", v.x, o.v, 40*roundoff, func(i int) float64 { return math.Abs(o.v[i]) + 1 })
				for _, b := range []guarded{w, m, v} {
					b.check(t, what)
				}
			}
		}
	})
}

// naiveAdam is the textbook, in float64.
type naiveAdam struct {
	w, m, v []float64
	c       AdamConfig
}

func newNaiveAdam(w []Real, c AdamConfig) *naiveAdam {
	o := &naiveAdam{make([]float64, len(w)), make([]float64, len(w)), make([]float64, len(w)), c}
	for i := range w {
		o.w[i] = float64(w[i])
	}
	return o
}

func (o *naiveAdam) step(grad []Real, t int) {
	b1, b2, rate, decay := float64(o.c.Beta1), float64(o.c.Beta2), float64(o.c.Rate), float64(o.c.Decay)
	for i := range o.w {
		d := float64(grad[i])
		if !o.c.Decoupled {
			d += decay * o.w[i]
		}
		o.m[i] = b1*o.m[i] + (1-b1)*d
		o.v[i] = b2*o.v[i] + (1-b2)*d*d
		mHat, vHat := o.m[i]/(1-math.Pow(b1, float64(t))), o.v[i]/(1-math.Pow(b2, float64(t)))
		if o.c.Decoupled {
			o.w[i] -= rate * decay * o.w[i]
		}
		o.w[i] -= rate * mHat / (math.Sqrt(vHat) + float64(o.c.Eps))
	}
}
