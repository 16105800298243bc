package certify

import (
	"math"
	"math/rand/v2"
	"testing"
)

// steepOf is ‖W_a − W_b‖ of the last layer times the Frobenius norms of those before it, √2 without layers.
func steepOf(m *Model) func(a, b int32) float64 {
	return func(a, b int32) float64 {
		if len(m.Layers) == 0 {
			return math.Sqrt2
		}
		last, factor := 0.0, 1.0
		for _, row := range m.Layers[len(m.Layers)-1].Weight {
			last += (row[a] - row[b]) * (row[a] - row[b])
		}
		for _, l := range m.Layers[:len(m.Layers)-1] {
			all := 0.0
			for _, row := range l.Weight {
				for _, x := range row {
					all += x * x
				}
			}
			factor *= math.Sqrt(all)
		}
		return factor * math.Sqrt(last)
	}
}

// pushed returns m after a move of the rows of some nodes by size in all: straight to class b if the move is to be the
// worst of a model without layers, at random otherwise.
func pushed(r *rand.Rand, m *Model, nodes []int32, size float64, a, b int32) *Model {
	out := *m
	out.Pi = make([][]float64, len(m.Pi))
	move := make([]float64, len(m.Pi)*len(nodes))
	total := 0.0
	for i := range move {
		switch move[i] = r.NormFloat64(); {
		case a < 0:
		case int32(i%len(m.Pi)) == b:
			move[i] = 1
		case int32(i%len(m.Pi)) == a:
			move[i] = -1
		default:
			move[i] = 0
		}
		total += move[i] * move[i]
	}
	for j, column := range m.Pi {
		out.Pi[j] = append([]float64(nil), column...)
		for i, v := range nodes {
			out.Pi[j][v] += move[i*len(m.Pi)+j] * size / math.Sqrt(total)
		}
	}
	return &out
}

// TestRadii: no random move within a radius changes a class, for every kind of step and of layers; where all is linear
// and there are no layers, a move straight to the nearest rival that is a little longer than Own does.
func TestRadii(t *testing.T) {
	kinds := map[string]step{"base": {lambda: 0.3}, "symmetric": {lambda: 0.4, symmetric: true},
		"huber": {lambda: 0.3, huber: 0.5}, "non-negative": {lambda: 0.3, nonNeg: true}}
	for name, s := range kinds {
		exact := 0
		for seed := range uint64(12) {
			r := rand.New(rand.NewPCG(seed, 8))
			on := randomMatrix(r, 7, 0.4)
			m, err := small(r, 7, 3+int(seed%3), 8, s, 4)
			if err != nil {
				t.Fatal(err)
			}
			m.Steep = steepOf(m)
			p, class := &Problem{Near: on.lists(), Budget: budgets(7, 0)}, s.plainly(m, on)
			list := p.Radii(m, class, []int32{0, 1, 2, 3, 4, 5, 6})
			for i, x := range list {
				v := int32(i)
				check := func(nodes []int32, radius float64) {
					for range 40 {
						if now := s.plainly(pushed(r, m, nodes, radius, -1, 0), on)[v]; now != class[v] {
							t.Fatalf("%s, seed %d: node %d becomes %d within its radius %v", name, seed, v, now, radius)
						}
					}
				}
				if check([]int32{v}, x.Own); len(p.Near[v]) > 0 {
					check(p.Near[v], x.Near)
				} else if !math.IsInf(x.Near, 1) {
					t.Errorf("%s, seed %d: node %d has no neighbours and the radius %v", name, seed, v, x.Near)
				}
				if name != "base" && name != "symmetric" || len(m.Layers) > 0 {
					continue
				}
				flips := false
				for b := range int32(3) {
					changed := pushed(r, m, []int32{v}, x.Own*1.001+1e-4, class[v], b)
					flips = flips || b != class[v] && s.plainly(changed, on)[v] != class[v]
				}
				if exact++; !flips {
					t.Errorf("%s, seed %d: node %d stays when its row moves by more than %v", name, seed, v, x.Own)
				}
			}
		}
		if exact == 0 && (name == "base" || name == "symmetric") {
			t.Errorf("%s: no exact radius was tested", name)
		}
	}
}

// TestRadiiFixed: a fixed point has the same radii as very many steps.
func TestRadiiFixed(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 9))
	s, on := step{lambda: 0.6}, randomMatrix(r, 8, 0.4)
	m, err := small(r, 8, 3, 9, s, 200)
	if err != nil {
		t.Fatal(err)
	}
	m.Steep = steepOf(m)
	p, class := &Problem{Near: on.lists(), Budget: budgets(8, 0)}, s.plainly(m, on)
	all := []int32{0, 1, 2, 3, 4, 5, 6, 7}
	steps := p.Radii(m, class, all)
	m.Steps = 0
	if m.Rule, err = Minimiser(s.local()); err != nil {
		t.Fatal(err)
	}
	for v, x := range p.Radii(m, class, all) {
		if math.Abs(x.Own-steps[v].Own) > 1e-6*x.Own || math.Abs(x.Near-steps[v].Near) > 1e-6*x.Near {
			t.Errorf("node %d: the radii are %v, after 200 steps %v", v, x, steps[v])
		}
	}
}
