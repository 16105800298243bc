package main

import (
	"context"
	"math"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/descent"
	"github.com/bloomgml/bloom/energy"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/task/node"
)

// given is σ as numbers.
type given struct{ sigma ad.Var }

var _ descent.Preconditioner = given{}

// Sigma is what was given.
func (g given) Sigma(*energy.Lower, ad.Var) ad.Var { return g.sigma }

// measureUnitNorm trains the base model and then descends on its energy with rows of norm one in two ways: projected to
// the sphere after every step, and by the penalty α(‖h‖² − 1)², α = 1. Both start at π(X; W) with rows of norm one.
//
// Chosen: both have the preconditioner of the base energy. The projection has γ = ½, the longest that is certified; the
// penalty has the longest of ½, ¼, … with which the energy falls, step by step, as its curvature has no bound; and, for
// comparison, both have one tenth of ½ once more. A curve is at its plateau when it has come within 1 % of all its fall
// of its last value, and stays there.
func measureUnitNorm(ctx context.Context, j job) (Outcome, error) {
	r, err := trained(ctx, j, j.config)
	if err != nil {
		return Outcome{}, err
	}
	base := lowerOf(node.Of(r))
	base.Eta = nil
	sphere, penalty := *base, *base
	sphere.Eta = energy.UnitSphere
	penalty.Kappa = append(base.Kappa[:len(base.Kappa):len(base.Kappa)], energy.UnitNormPenalty(energy.Fixed(1)))
	sigma := given{ad.Const(ad.Eval(descent.Degree.Sigma(base, base.Pi)))}
	h0 := ad.Eval(energy.UnitSphere.Prox(base.Pi, ad.Number(1)))
	const long, short = 0.5, 0.05
	s := &sphereRun{ctx: ctx, base: base, start: h0, steps: j.cell.Trace.Steps, data: j.cell.Data}
	prox := s.run("projection, γ = 0.5", &sphere, descent.Proximal(descent.Forced(long), sigma))
	soft := s.run("penalty, γ by backtracking", &penalty, descent.Proximal(descent.Backtracking(long, 0, 0), sigma))
	s.run("projection, γ = 0.05", &sphere, descent.Proximal(descent.Forced(short), sigma))
	s.run("penalty, γ = 0.05", &penalty, descent.Proximal(descent.Forced(short), sigma))
	o := Outcome{Valid: 100 * r.Valid.Mean, Curves: s.curves, Numbers: map[string]float64{
		"projection plateau": plateau(prox.energy), "penalty plateau": plateau(soft.energy),
		"projection deviation": prox.deviation[len(prox.deviation)-1],
		"penalty deviation":    soft.deviation[len(soft.deviation)-1],
	}}
	return o, s.err
}

// sphereRun runs descents from one start and collects their curves.
type sphereRun struct {
	ctx    context.Context
	base   *energy.Lower
	start  *mat.Dense
	steps  int
	data   string
	curves []Curve
	err    error
}

// sphereCurve is, after every step, the energy that is descended on, that of the base energy at the rows normalised,
// and the largest deviation of a norm from one.
type sphereCurve struct{ energy, normalised, deviation []float64 }

func (s *sphereRun) run(name string, l *energy.Lower, a descent.Algorithm) (c sphereCurve) {
	h := mat.New(s.start.Rows(), s.start.Cols())
	in := ad.Input(h)
	total, flat := l.Smooth(in), s.base.Smooth(energy.UnitSphere.Prox(in, ad.Number(1)))
	prog := ad.Compile(total, flat)
	var steps []float64
	err := trace(s.ctx, a, l, s.start, s.steps, func(step int, now *mat.Dense) error {
		mat.Copy(h, now)
		if err := prog.Run(); err != nil {
			return err
		}
		steps = append(steps, float64(step))
		c.energy = append(c.energy, float64(prog.Value(total).Item()))
		c.normalised = append(c.normalised, float64(prog.Value(flat).Item()))
		c.deviation = append(c.deviation, deviation(onHost(now), now.Cols()))
		return nil
	})
	if err != nil && s.err == nil {
		s.err = err
	}
	s.curves = append(s.curves, Curve{s.data + ", energy", name, steps, c.energy},
		Curve{s.data + ", deviation", name, steps, c.deviation})
	if l.Eta == nil {
		s.curves = append(s.curves, Curve{s.data + ", energy", name + ", rows normalised", steps, c.normalised})
	}
	return c
}

// deviation is max_v |‖h_v‖ − 1|.
func deviation(h []float64, cols int) float64 {
	worst := 0.0
	for i := 0; i < len(h); i += cols {
		row := h[i : i+cols]
		worst = math.Max(worst, math.Abs(math.Sqrt(dot(row, row))-1))
	}
	return worst
}

// plateau is the first step from which on a curve stays within 1 % of its fall of its last value.
func plateau(curve []float64) float64 {
	if len(curve) == 0 {
		return math.Inf(1)
	}
	last := curve[len(curve)-1]
	near := 0.01 * math.Abs(curve[0]-last)
	at := len(curve) - 1
	for at > 0 && math.Abs(curve[at-1]-last) <= near {
		at--
	}
	return float64(at)
}
