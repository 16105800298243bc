package live

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestParts: the parts of all nodes, edges counting half at both ends, are the energy of the world; at the minimum
// their forces cancel in every node, where η does not hold against them.
func TestParts(t *testing.T) {
	for name, f := range forms() {
		t.Run(name, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(7, 7))
			s, w := start(t, f, rng, 30, true)
			h, sum := make([][]float64, s.Nodes()), 0.0
			for v := range int32(s.Nodes()) {
				for _, x := range s.Row(v) {
					h[v] = append(h[v], float64(x))
				}
				own := s.Own(v, s.Pi(v))
				sum += own.Energy
				force := own.Force
				for _, u := range s.Neighbours(v) {
					e := s.Edge(v, u)
					sum += e.Energy / 2
					for j := range force {
						force[j] += e.Force[j]
					}
				}
				if f.steps == 0 && !f.Kind.NonNeg {
					for j, x := range force {
						if math.Abs(x) > 1e-4 { // the tolerance of start, and rounding
							t.Fatalf("node %d, column %d: the forces leave %g", v, j, x)
						}
					}
				}
			}
			if want := w.energy(h); math.Abs(sum-want) > 1e-5*want {
				t.Errorf("the parts add up to %g, want %g", sum, want)
			}
		})
	}
}

// TestSettleWatching: the energy of a node begins with what edits made of it, or with π, and ends with what is.
func TestSettleWatching(t *testing.T) {
	for name, f := range forms() {
		t.Run(name, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(8, 8))
			s, _ := start(t, f, rng, 30, false)
			p, _ := randomRow(rng)
			for j := range p {
				p[j] *= 5
			}
			s.Move(3, p)
			seen, err := s.SettleWatching(t.Context(), 3)
			if err != nil {
				t.Fatal(err)
			}
			last := s.Own(3, s.Pi(3)).Energy
			for _, u := range s.Neighbours(3) {
				last += s.Edge(3, u).Energy
			}
			if n := len(seen); f.steps > 0 && n != f.steps+1 || n < 2 || n > watched+1 || seen[n-1] != last {
				t.Errorf("%v, then %g", seen, last)
			}
			if f.steps == 0 && !(seen[0] > last) {
				t.Errorf("it did not fall: %v", seen)
			}
			if again, _ := s.SettleWatching(t.Context(), 3); s.Visited() != 0 || again[len(again)-1] != last {
				t.Errorf("again: %d rows, %v", s.Visited(), again)
			}
		})
	}
}
