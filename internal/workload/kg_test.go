package workload

import (
	"math"
	"testing"

	"github.com/bloomgml/bloom/mat"
)

// The tests here write the models down once more, fact by fact and number by number in float64, and
// compare loss and derivatives.

// weights are the parameters of a workload, by name.
type weights map[string][]float64

func weightsOf(w *Workload) weights {
	values := weights{}
	for _, p := range w.params {
		for _, x := range p.Value().Slice() {
			values[p.Name] = append(values[p.Name], float64(x))
		}
	}
	return values
}

// tiny is model number i on a graph that finite differences can go through.
func tiny(i int) ID {
	k := KGs[i]
	k.Shape = Shape{Name: k.Name, Nodes: 9, Edges: 14, Hidden: 4, Steps: 2}
	k.Relations, k.Batch, k.Negatives = 2, 4, 3
	return ID{k.Shape, "", &k}
}

// compareWithNaive checks loss and derivatives of w's first batch against f. Tolerances are those of
// float32 in w; f is in double precision, and its differences of 1e-5 are right to about 1e-9.
func compareWithNaive(t *testing.T, w *Workload, f func(weights) float64) {
	t.Helper()
	w.clock.Epoch = 1
	loss := float64(w.evaluate())
	values := weightsOf(w)
	if want := f(values); math.Abs(loss-want) > 1e-5*math.Abs(want) {
		t.Fatalf("loss %v, want %v", loss, want)
	}
	const h, tolerance = 1e-5, 1e-3
	for i, p := range w.params {
		x := values[p.Name]
		for j, got := range w.prog.Value(w.grads[i]).Slice() {
			at := x[j]
			x[j] = at + h
			up := f(values)
			x[j] = at - h
			want := (up - f(values)) / (2 * h)
			x[j] = at
			if math.Abs(float64(got)-want) > tolerance*(0.1+math.Abs(want)) {
				t.Fatalf("derivative to %s[%d] is %v, want %v", p.Name, j, got, want)
			}
		}
	}
}

func softplus(x float64) float64 { return math.Log1p(math.Exp(x)) }

func TestDistMultIsItsDefinition(t *testing.T) {
	id := tiny(0)
	w, k := New(id), id.KG
	d := newDistMultBatch(k)
	d.draw(mat.Mix(seed, 1))
	compareWithNaive(t, w, func(v weights) float64 {
		score := func(h, q, t int32) float64 {
			s := 0.0
			for c := range k.Hidden {
				s += v["entities"][int(h)*k.Hidden+c] * v["relations"][int(q)*k.Hidden+c] * v["entities"][int(t)*k.Hidden+c]
			}
			return s
		}
		loss, b, wide := 0.0, k.Batch, 1+k.Negatives
		for i := range b {
			head, q, tail := d.end[i], d.relation[i], d.end[b+i]
			loss += softplus(-score(head, q, tail)) / float64(b)
			for c := 1; c < wide; c++ {
				loss += softplus(score(head, q, d.answer[i*wide+c])) / float64(b*k.Negatives)
				loss += softplus(score(d.answer[(b+i)*wide+c], q, tail)) / float64(b*k.Negatives)
			}
		}
		return loss
	})
}
