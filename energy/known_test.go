package energy_test

import (
	"math"
	"slices"
	"testing"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/energy"
	"github.com/bloomgml/bloom/internal/testkit"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/part"
)

// TestKnownPenalties compares every penalty with its formula, with two thresholds where it has one.
func TestKnownPenalties(t *testing.T) {
	testkit.Known(t, energy.Penalties, map[string][]func(z, t float64) float64{
		"squared":      {func(z, _ float64) float64 { return z * z }},
		"half-squared": {func(z, _ float64) float64 { return z * z / 2 }},
		"log-cosh":     {func(z, _ float64) float64 { return math.Log(math.Cosh(z)) }},
		"huber": {func(z, t float64) float64 {
			if z = math.Abs(z); z < t {
				return z * z / 2
			}
			return t*z - t*t/2
		}},
		"smooth-l1": {func(z, t float64) float64 {
			if z = math.Abs(z); z < t {
				return z * z / (2 * t)
			}
			return z - t/2
		}},
		"charbonnier": {func(z, t float64) float64 { return math.Hypot(z, t) - t }},
		"welsch":      {func(z, t float64) float64 { return t * t / 2 * (1 - math.Exp(-z*z/(t*t))) }},
		"cauchy":      {func(z, t float64) float64 { return t * t / 2 * math.Log(1+z*z/(t*t)) }},
	}, func(t *testing.T, p part.Part[energy.Penalty], formula func(z, t float64) float64) {
		list := []energy.Penalty{p.New}
		if p.Make != nil {
			list = append(list, p.Make(energy.Penalty{T: 0.6}))
		}
		for _, rho := range list {
			z := ramp()
			for i, got := range ad.Eval(rho.Rho(ad.Input(z))).Slice() {
				x := float64(z.Slice()[i])
				if want := formula(x, rho.T); !nearly(float64(got), want, 4*rounding) {
					t.Fatalf("%v at %v is %v, want %v", rho, x, got, want)
				}
			}
		}
	})
}

// proxed is a row with its prox at γ = 1/2, by hand.
type proxed struct{ h, prox []float64 }

// TestKnownConstraints compares every constraint with its definition, and its prox with rows that were worked out.
func TestKnownConstraints(t *testing.T) {
	type values struct {
		eta   energy.Constraint // nil for that of the table
		value func(h []float64) float64
		rows  []proxed
	}
	testkit.Known(t, energy.Constraints, map[string][]values{
		"nonnegative": {{nil, outside(func(h []float64) float64 { return -slices.Min(h) }),
			[]proxed{{[]float64{3, -4, 0}, []float64{3, 0, 0}}}}},
		"unit-sphere": {{nil, outside(func(h []float64) float64 { return math.Abs(norm(h) - 1) }),
			[]proxed{{[]float64{3, -4}, []float64{0.6, -0.8}}, {[]float64{0.03, 0.04}, []float64{0.6, 0.8}}}}},
		"ball": {
			{nil, outside(func(h []float64) float64 { return norm(h) - 1 }),
				[]proxed{{[]float64{3, -4}, []float64{0.6, -0.8}}, {[]float64{0.3, 0.4}, []float64{0.3, 0.4}}}},
			{energy.Ball(2.5), outside(func(h []float64) float64 { return norm(h) - 2.5 }),
				[]proxed{{[]float64{3, -4}, []float64{1.5, -2}}, {[]float64{1, 2}, []float64{1, 2}}}}},
		"box": {
			{nil, outside(func(h []float64) float64 { return max(-slices.Min(h), slices.Max(h)-1) }),
				[]proxed{{[]float64{-1, 0.5, 3}, []float64{0, 0.5, 1}}}},
			{energy.Box(-0.25, math.Inf(1)), outside(func(h []float64) float64 { return -0.25 - slices.Min(h) }),
				[]proxed{{[]float64{-1, 0.5, 3}, []float64{-0.25, 0.5, 3}}}}},
		"l1": {
			{nil, func(h []float64) float64 { return 0.1 * (math.Abs(h[0]) + math.Abs(h[1]) + math.Abs(h[2])) },
				[]proxed{{[]float64{3, -4, 0.04}, []float64{2.95, -3.95, 0}}}},
			{energy.L1(2), func(h []float64) float64 { return 2 * (math.Abs(h[0]) + math.Abs(h[1])) },
				[]proxed{{[]float64{3, -0.9}, []float64{2, 0}}}}},
		"simplex": {{nil, outside(func(h []float64) float64 {
			return max(-slices.Min(h), math.Abs(h[0]+h[1]+h[2]-1))
		}), []proxed{{[]float64{0.5, 0.4, 0.4}, []float64{0.4, 0.3, 0.3}},
			{[]float64{0.6, 0.8, 0}, []float64{0.4, 0.6, 0}}, {[]float64{0.5, 0.5, 2}, []float64{0, 0, 1}}}}},
	}, func(t *testing.T, p part.Part[energy.Constraint], v values) {
		eta := v.eta
		if eta == nil {
			eta = p.New
		}
		for _, r := range v.rows {
			got := rowOf(ad.Eval(eta.Prox(ad.Input(dense(r.h)), ad.Number(0.5))), 0)
			for i := range got {
				if !nearly(got[i], r.prox[i], 4*rounding) {
					t.Errorf("%v has the prox %v, want %v", r.h, got, r.prox)
					break
				}
			}
			for seed := range uint64(8) { // around the row and its prox, and anywhere
				near := rowOf(drawn(1, len(r.h), -1, 1, seed), 0)
				for i := range near {
					near[i] = r.prox[i] + near[i]*[]float64{0, 0.5, 3}[seed%3]
				}
				got, want := eta.Value(dense(near)), v.value(near)
				if got != want && !nearly(got, want, 4*rounding) {
					t.Errorf("η of %v is %v, want %v", near, got, want)
				}
			}
		}
	})
}

// outside is +Inf where a row is further than rounding outside a set, and 0 inside it.
func outside(far func(h []float64) float64) func([]float64) float64 {
	return func(h []float64) float64 {
		if far(h) > 1e-3 {
			return math.Inf(1)
		}
		return 0
	}
}

func norm(h []float64) (sum float64) {
	for _, x := range h {
		sum = math.Hypot(sum, x)
	}
	return sum
}

// dense is a matrix of one row.
func dense(h []float64) *mat.Dense {
	row := make([]mat.Real, len(h))
	for i, x := range h {
		row[i] = mat.Real(x)
	}
	return mat.FromSlice(1, len(row), row)
}
