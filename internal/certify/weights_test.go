package certify

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/bloomgml/bloom/descent"
)

// TestWeights compares rows of edges with weights with all subsets of them: in every step of a descent, whatever its
// step sizes and penalty, and for the minimiser.
func TestWeights(t *testing.T) {
	const n, b, steps, seed = 9, 2, 5, 3
	r := rand.New(rand.NewPCG(seed, 0))
	for round := range 20 {
		s := step{lambda: 0.1 + r.Float64()}
		if round%3 == 1 {
			s.huber = 0.3
		}
		l := s.local()
		if round%2 == 1 {
			l.Rate = func(float64) float64 { return 0.02 }
		}
		p := withWeights(r, &Problem{Near: randomMatrix(r, n, 0.5).lists(), Budget: budgets(n, b)})
		f, err := Descent(l, 4*n)
		if err != nil {
			t.Fatal(err)
		}
		x := numbers(r, n)
		check := func(name string, got *Worst, want []float64) {
			for v, y := range want {
				if math.Abs(got.Value[v]-y) > 1e-9 {
					t.Fatalf("seed %d, round %d: %s of node %d is %v, want %v", seed, round, name, v, got.Value[v], y)
				}
				if c := got.Row(int32(v)); len(c) > b {
					t.Fatalf("%d changes of node %d: %v", len(c), v, c)
				}
			}
		}
		plain := func(f Rule, from []float64, steps int) []float64 {
			now := from
			for range steps {
				next := make([]float64, n)
				for v := range next {
					next[v] = p.least(f, now, v, x[v])
				}
				now = next
			}
			return now
		}
		check("the bound", p.Steps(f, x, x, steps), plain(f, x, steps))
		if s.huber == 0 {
			f, err := Minimiser(descent.Local{Lambda: s.lambda, Weight: 1, Kind: l.Kind})
			if err != nil {
				t.Fatal(err)
			}
			check("the minimiser", p.Exact(f, x), plain(f, x, 500))
		}
	}
}

// withWeights draws weights, and an edge that stays.
func withWeights(r *rand.Rand, p *Problem) *Problem {
	for _, near := range p.Near {
		w := make([]float64, len(near))
		for i := range w {
			w[i] = 3 * r.Float64() * r.Float64()
		}
		p.Weight = append(p.Weight, w)
	}
	p.Keep = make([][]int32, len(p.Near))
	p.Keep[2] = p.Near[2][:min(1, len(p.Near[2]))]
	return p
}

// least tries every subset of a row that lacks no more edges than the budget.
func (p *Problem) least(f Rule, now []float64, v int, r float64) float64 {
	least := math.Inf(1)
	near, a := p.Near[v], adversary{Problem: p}
	for set := range 1 << len(near) {
		gone, d, sum := 0, 0.0, 0.0
		for i, u := range near {
			switch {
			case set>>i&1 == 0:
				d, sum = d+p.Weight[v][i], sum+p.Weight[v][i]*now[u]
			case a.stays(int32(v), u):
				gone += len(near)
			default:
				gone++
			}
		}
		if gone <= p.Budget[v] {
			least = min(least, f.Next(d, now[v], sum, r))
		}
	}
	return least
}
