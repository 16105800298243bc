package main

import (
	"context"
	"math"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/descent"
	"github.com/bloomgml/bloom/energy"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/input"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/task/node"
)

// lowerOf returns the lower level of a task in evaluation mode, with π(X; W) computed once.
func lowerOf(t *node.Task) *energy.Lower {
	l := t.Stack.Levels[0].Lower(input.Evaluation(), t.On)
	if !l.Pi.IsZero() {
		l.Pi = ad.Const(ad.Eval(l.Pi))
	}
	return l
}

// trace takes steps of a on l from h0, n×d, and shows H before the first and after every one. One step is compiled and
// replayed, so a thousand steps take no extra memory. The algorithm must not look at the number of the layer: not
// Adam, not FISTA.
func trace(ctx context.Context, a descent.Algorithm, l *energy.Lower, h0 *mat.Dense, steps int,
	see func(step int, h *mat.Dense) error) error {
	h := mat.New(h0.Rows(), h0.Cols())
	mat.Copy(h, h0)
	from := descent.State{H: ad.Input(h)}
	memory := []*mat.Dense{h}
	for _, s := range a.Start(from.H).S {
		m := mat.New(s.Shape().Rows, s.Shape().Cols) // at rest
		memory, from.S = append(memory, m), append(from.S, ad.Input(m))
	}
	to := descent.Guard(l, from, a.Step(l, from))
	next := append([]ad.Var{to.H}, to.S...)
	prog := ad.Compile(next...)
	for step := range steps + 1 {
		if err := see(step, h); err != nil || step == steps {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := prog.Run(); err != nil {
			return err
		}
		for i, m := range memory {
			mat.Copy(m, prog.Value(next[i]))
		}
	}
	return nil
}

// onHost copies a matrix to the host, row by row.
func onHost(m *mat.Dense) []float64 {
	buf := make([]mat.Real, m.Len())
	m.Read(buf)
	out := make([]float64, len(buf))
	for i, v := range buf {
		out[i] = float64(v)
	}
	return out
}

// form is a form of the base energy and its step.
type form struct {
	name  string
	norm  graph.Norm
	sigma descent.Preconditioner
}

var forms = []form{
	{"jacobi", graph.None, descent.Degree},
	{"normalised", graph.Symmetric, nil},
}

// reference is after how many plain steps the gap is taken that momentum is held against.
const reference = 50

// measureEnergy trains the base model and then descends on its energy, by plain steps and with momentum of both kinds,
// all of one γ, in both forms of the step, and measures the gap to the exact minimum. The numbers are the steps that
// heavy ball with β = ½ takes to the gap of 50 plain ones.
//
// Chosen: the gap is divided by the energy at the minimum; λ is 1 in both forms, as in training.
func measureEnergy(ctx context.Context, j job) (Outcome, error) {
	r, err := trained(ctx, j, j.config)
	if err != nil {
		return Outcome{}, err
	}
	o := Outcome{Valid: 100 * r.Valid.Mean, Numbers: map[string]float64{}}
	for _, f := range forms {
		curves, err := f.descents(ctx, node.Of(r), j.cell.Trace)
		if err != nil {
			return o, err
		}
		for i := range curves {
			curves[i].Panel = j.cell.Data + ", " + f.name
		}
		o.Curves = append(o.Curves, curves...)
		o.Numbers[f.name+" steps"] = stepsTo(curves[3].Y, curves[0].Y[min(reference, j.cell.Trace.Steps)])
	}
	return o, nil
}

// stepsTo returns the number of steps after which a curve is at or below a level; its length if it never is.
func stepsTo(curve []float64, level float64) float64 {
	for i, y := range curve {
		if y <= level {
			return float64(i)
		}
	}
	return float64(len(curve))
}

// descents returns the gaps of every algorithm: plain, averaged with β = ½ and 0.9, heavy ball with β = ½ and 0.9.
func (f form) descents(ctx context.Context, t *node.Task, tr Trace) ([]Curve, error) {
	gamma := descent.Forced(tr.Gamma)
	algorithms := []struct {
		name string
		a    descent.Algorithm
	}{
		{"plain", descent.Proximal(gamma, f.sigma)},
		{"averaged, β = 0.5", descent.Momentum(gamma, f.sigma, 0.5)},
		{"averaged, β = 0.9", descent.Momentum(gamma, f.sigma, 0.9)},
		{"heavy ball, β = 0.5", descent.HeavyBall(gamma, f.sigma, 0.5)},
		{"heavy ball, β = 0.9", descent.HeavyBall(gamma, f.sigma, 0.9)},
	}
	const lambda = 1
	l := lowerOf(t)
	l.F = []energy.EdgeTerm{energy.Laplace(energy.Fixed(lambda), f.norm)}
	pi := ad.Eval(l.Pi)
	exact := newLaplacian(l.On.Graph, f.norm, lambda, pi.Cols())
	p := onHost(pi)
	minimum := exact.solve(p)
	lowest := exact.energy(minimum, p)
	var curves []Curve
	for _, x := range algorithms {
		c := Curve{Name: x.name}
		err := trace(ctx, x.a, l, pi, tr.Steps, func(step int, h *mat.Dense) error {
			c.X, c.Y = append(c.X, float64(step)), append(c.Y, exact.gap(onHost(h), minimum)/math.Abs(lowest))
			return nil
		})
		if err != nil {
			return nil, err
		}
		curves = append(curves, c)
	}
	return curves, nil
}

// given is σ as numbers.
type given struct{ sigma ad.Var }

var _ descent.Preconditioner = given{}

// Sigma returns the given σ.
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

// sphereCurve is, after every step, the energy that is descended on, the base energy at the normalised rows, and the
// largest deviation of a norm from one.
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

// plateau returns the first step after which a curve differs from its last value by at most 1 % of its total decrease.
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
