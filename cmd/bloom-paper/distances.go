package main

import (
	"context"
	"math"
	"slices"

	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/energy"
	"github.com/bloomgml/bloom/metric"
	"github.com/bloomgml/bloom/recipe"
	"github.com/bloomgml/bloom/task/node"
)

// measureDistances trains with Huber edges, and once more with quadratic ones instead, and compares ‖h_u − h_v‖ over
// the edges whose ends have different labels. Distances are divided by the median over all edges, so that a network
// with larger numbers does not count as one that separates more.
//
// The numbers are the medians, and the rank statistic U/(n·m): the probability that an edge is further apart with Huber
// edges than an edge with quadratic ones.
//
// Chosen: the quadratic term has the λ with which both agree for small differences.
func measureDistances(ctx context.Context, j job) (Outcome, error) {
	huber, err := trained(ctx, j, j.config)
	if err != nil {
		return diverged(err)
	}
	square, err := trained(ctx, j, quadratic(j.config))
	if err != nil {
		return diverged(err)
	}
	a, err := labelChanging(node.Of(huber))
	if err != nil {
		return Outcome{}, err
	}
	b, err := labelChanging(node.Of(square))
	if err != nil {
		return Outcome{}, err
	}
	o := Outcome{Valid: 100 * huber.Valid.Mean, Numbers: map[string]float64{
		test: 100 * huber.Test.Mean, "quadratic test": 100 * square.Test.Mean,
		"median": median(a), "quadratic median": median(b),
		"rank": metric.AUC(slices.Concat(a, b), append(slices.Repeat([]bool{true}, len(a)), make([]bool, len(b))...)),
	}}
	o.Numbers["difference"] = o.Numbers["median"] - o.Numbers["quadratic median"]
	hi := math.Max(quantile(a, 0.99), quantile(b, 0.99))
	o.Curves = []Curve{density(j.cell.Data, "Huber edges", a, hi), density(j.cell.Data, "quadratic edges", b, hi)}
	return o, nil
}

// quadratic returns c with half-squared penalties instead of all others on edges.
func quadratic(c config.Config) config.Config {
	r := *c.Energy
	r.F = slices.Clone(r.F)
	for i, f := range r.F {
		r.F[i] = halfSquared{f}
	}
	c.Energy = &r
	return c
}

// halfSquared is an edge term with ½‖·‖² instead of its penalty.
type halfSquared struct{ recipe.Edge }

// Term returns the term of package energy.
func (t halfSquared) Term(p *recipe.Place) energy.EdgeTerm {
	f := t.Edge.Term(p)
	if d, ok := f.(interface {
		WithPenalty(energy.Penalty) energy.EdgeTerm
	}); ok {
		return d.WithPenalty(energy.HalfSquared)
	}
	return f
}

// labelChanging returns ‖h_u − h_v‖ over the edges with different labels, divided by the median over all edges.
func labelChanging(t *node.Task) ([]float64, error) {
	in, err := t.Inspect(0)
	if err != nil {
		return nil, err
	}
	return changing(t.Data, onHost(in.H), in.H.Cols()), nil
}

// changing returns the distances over label-changing edges, divided by the median over all edges; self loops are left
// out.
func changing(d *dataset.Dataset, h []float64, cols int) []float64 {
	var all, some []float64
	for _, e := range d.Graph.Triples() {
		if e.U == e.V {
			continue
		}
		sum := 0.0
		for k := range cols {
			z := h[int(e.U)*cols+k] - h[int(e.V)*cols+k]
			sum += z * z
		}
		all = append(all, math.Sqrt(sum))
		if a, b := d.Labels.Class[e.U], d.Labels.Class[e.V]; a >= 0 && b >= 0 && a != b {
			some = append(some, math.Sqrt(sum))
		}
	}
	middle := median(all)
	for i := range some {
		some[i] /= middle
	}
	return some
}

// median returns the middle value, the mean of two where their number is even; NaN of nothing.
func median(x []float64) float64 {
	if len(x) == 0 {
		return math.NaN()
	}
	s := slices.Sorted(slices.Values(x))
	return (s[(len(s)-1)/2] + s[len(s)/2]) / 2
}

// quantile returns the value below which a share q of x lies.
func quantile(x []float64, q float64) float64 {
	if len(x) == 0 {
		return math.NaN()
	}
	s := slices.Sorted(slices.Values(x))
	return s[int(q*float64(len(s)-1))]
}

// density returns a histogram of x on [0, hi], normalised to area one.
func density(panel, name string, x []float64, hi float64) Curve {
	const bins = 60
	c := Curve{Panel: panel, Name: name, X: make([]float64, bins), Y: make([]float64, bins)}
	for i := range bins {
		c.X[i] = (float64(i) + 0.5) * hi / bins
	}
	for _, v := range x {
		if i := int(v / hi * bins); i < bins {
			c.Y[i] += bins / (hi * float64(len(x)))
		}
	}
	return c
}
