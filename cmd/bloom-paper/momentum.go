package main

import (
	"context"
	"math"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/descent"
	"github.com/bloomgml/bloom/energy"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/task/node"
)

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

// stepsTo is after how many steps a curve is at or below a level; beyond its end where it never is.
func stepsTo(curve []float64, level float64) float64 {
	for i, y := range curve {
		if y <= level {
			return float64(i)
		}
	}
	return float64(len(curve))
}

// descents are the gaps of every algorithm: plain, averaged with β = ½ and 0.9, heavy ball with β = ½ and 0.9.
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
