package fit

import (
	"math"
	"slices"
	"testing"
)

// TestInfluence: the change that Each and Without name is the change of the answers if the regressions of the same
// channels are solved again from the labels that are left, in the primal and in the dual form.
func TestInfluence(t *testing.T) {
	for _, n := range []int{30, 300} { // 10 labels, fewer than columns, and 100
		for _, kind := range []Kind{Classes, Sets, Numbers} {
			p, _ := planted(t, kind, n)
			l, err := NewLinear(p)
			if err != nil {
				t.Fatal(err)
			}
			weight := []float64{2, -1}[:p.Outputs]
			for _, v := range []int32{0, int32(n - 1)} { // with a label of its own, and without
				in := l.Influence(v, weight)
				each := in.Each()
				for _, gone := range [][]int{{0}, {5}, {1, 4, 7}} {
					want := again(t, l, gone, v, weight)
					got := in.Without(gone)
					if math.Abs(got-want) > 1e-5*(1+math.Abs(want)) { // answers are float32
						t.Errorf("%s of %d nodes: without %v node %d changes by %v, want %v", kind, n, gone, v, got,
							want)
					}
					if len(gone) == 1 && math.Abs(each[gone[0]]-got) > 1e-9 {
						t.Errorf("%s of %d nodes: %v alone, and %v as a group of one", kind, n, each[gone[0]], got)
					}
				}
			}
		}
	}
}

// again returns how Σ_c weight_c f_c of node v changes if the regressions are solved without some labels.
func again(t *testing.T, l *Linear, gone []int, v int32, weight []float64) (change float64) {
	p, k, y := l.Problem, l.Problem.Outputs, []float64{}
	p.Rows = nil
	for j, row := range l.Problem.Rows {
		if !slices.Contains(gone, j) {
			p.Rows, y = append(p.Rows, row), append(y, l.Problem.Y[j*k:(j+1)*k]...)
		}
	}
	p.Y = y
	s, err := newSolver(p)
	if err != nil {
		t.Fatal(err)
	}
	s.learn(y)
	for _, m := range l.members {
		m.ridge = s.regress(m.channel, s.sample(len(p.Rows)))
		s.members = append(s.members, m)
	}
	before, after := l.answers(), s.answers()
	for c, w := range weight {
		change += w * (after[int(v)*k+c] - before[int(v)*k+c])
	}
	return change
}
