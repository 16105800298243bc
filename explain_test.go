package bloom_test

import (
	"math"
	"testing"

	"github.com/bloomgml/bloom/energy"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/upper"
)

// TestExplanationsAddUp: the parts of a node add up to its total, an edge's energy is shared by its two ends, and over
// all nodes the parts are the energy that the report gives, edges counting at both ends.
func TestExplanationsAddUp(t *testing.T) {
	m, d := model(t, 9, energy.Huber(0.3)), ring(t, 9, 5)
	in, err := m.Inspect(d)
	if err != nil {
		t.Fatal(err)
	}
	var own, edges float64
	for v := range int32(9) {
		x := in.Node(v)
		sum := x.Own
		for _, e := range x.Edges {
			sum += e.Energy
			edges += e.Energy / 2
			if want := laplace(in.H, v, e.Other, 0.8); math.Abs(e.Energy-want) > 1e-5*want {
				t.Errorf("edge %d–%d has energy %v, want %v", v, e.Other, e.Energy, want)
			}
		}
		own += x.Own
		if math.Abs(sum-x.Total) > 1e-6*math.Abs(x.Total) || len(x.Edges) != 2 {
			t.Errorf("node %d: %d edges, parts add up to %v of %v", v, len(x.Edges), sum, x.Total)
		}
	}
	if total := in.Report.Total; math.Abs(own+edges-total) > 1e-5*total {
		t.Errorf("nodes %v and edges %v, report has %v", own, edges, total)
	}
}

// laplace is λ/2 ‖h_u − h_v‖².
func laplace(h *mat.Dense, u, v int32, lambda float64) float64 {
	z := make([]mat.Real, h.Len())
	h.Read(z)
	sum := 0.0
	for j := range h.Cols() {
		diff := float64(z[int(u)*h.Cols()+j] - z[int(v)*h.Cols()+j])
		sum += diff * diff
	}
	return lambda / 2 * sum
}

// TestPullsBalance: at the minimum the pulls on a node add up to zero, though none of them is.
func TestPullsBalance(t *testing.T) {
	m, d := model(t, 9, energy.LogCosh), ring(t, 9, 5)
	m.L = 400
	in, err := m.Inspect(d)
	if err != nil {
		t.Fatal(err)
	}
	if in.Evidence.Residual >= 1e-5 || in.Evidence.Drop() <= 0 {
		t.Fatalf("after %d steps: residual %v, drop %v", m.L, in.Evidence.Residual, in.Evidence.Drop())
	}
	for v := range int32(9) {
		x := in.Node(v)
		sum, size := x.OwnPull, math.Abs(x.OwnPull)
		for _, e := range x.Edges {
			sum += e.Pull
			size += math.Abs(e.Pull)
		}
		if size == 0 || math.Abs(sum) > 1e-3*size { // h is a float32 away from the minimum
			t.Errorf("node %d: pulls of size %v add up to %v", v, size, sum)
		}
	}
}

// TestAbout: pulls about the predicted class are those that are told unasked; those about the second of two are the
// opposite; of classes that do not exclude each other they are about one logit. Own of π itself is what Node has.
func TestAbout(t *testing.T) {
	m, d := model(t, 9, energy.Huber(0.3)), ring(t, 9, 5)
	in, err := m.Inspect(d)
	if err != nil {
		t.Fatal(err)
	}
	for v := range int32(9) {
		x := in.Node(v)
		for _, c := range []int{x.Class, x.Second} {
			other, err := in.About(v, c)
			if err != nil {
				t.Fatal(err)
			}
			y, sign := other.Node(v), 1.0
			if c == x.Second {
				sign = -1
			}
			if y.Class != c || math.Abs(y.OwnPull-sign*x.OwnPull) > 1e-6 || y.Second+y.Class != x.Second+x.Class {
				t.Errorf("node %d about %d: %+v, want %v times %+v", v, c, y, sign, x)
			}
		}
		pi := in.Pi.Slice()[int(v)*in.Pi.Cols():][:in.Pi.Cols()]
		costs, pulls, err := in.Own(v, mat.FromSlice(1, len(pi), pi))
		if err != nil || math.Abs(costs[0]-x.Own) > 1e-6 || math.Abs(pulls[0]-x.OwnPull) > 1e-6 {
			t.Errorf("node %d: %v, %v, %v, want %v and %v", v, costs, pulls, err, x.Own, x.OwnPull)
		}
	}
	for _, at := range [][2]int{{0, in.Logits.Cols()}, {0, -2}, {9, 0}, {-1, 0}} {
		if _, err := in.About(int32(at[0]), at[1]); err == nil {
			t.Errorf("class %d of node %d, which is not there, is taken", at[1], at[0])
		}
	}
	up := m.Up.(upper.Supervised)
	up.Criterion = upper.Binary
	m.Up = up
	if in, err = m.Inspect(d); err != nil || in.Node(3).Second != -1 {
		t.Errorf("of sets: %+v, %v", in.Node(3), err)
	}
}
