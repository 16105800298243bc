package baseline

import (
	"math"
	"testing"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/input"
	"github.com/bloomgml/bloom/internal/testkit"
)

// TestGateLoss: Auxiliary is the cross-entropy of the gates, and costs no second forward pass.
func TestGateLoss(t *testing.T) {
	o := sized(Options{Layers: 2, Alpha: 0.7}, 5)
	m := newModel(t, "gbk", o, testGraph(t, "gbk", sameNames()))
	labels, train := []int32{0, 1, 0, 1, 1, 0, 2}, []int32{0, 1, 2, 3, 6}
	x := features(nodes, 5)
	f := input.Dense(x)
	got, err := m.(Auxiliary).Auxiliary(input.Evaluation(), f, labels, train)
	if err != nil {
		t.Fatal(err)
	}
	r := naive(m, o)
	want, h := 0.0, toTable(x)
	for _, name := range []string{"gbk.0", "gbk.1"} {
		sum, count, alpha := 0.0, 0.0, r.gate(name, h)
		for _, v := range train {
			for _, u := range train {
				if r.a[v][u] == 0 {
					continue
				}
				p := alpha[v][u]
				if labels[u] != labels[v] {
					p = 1 - p
				}
				sum, count = sum-math.Log(p), count+1
			}
		}
		want += 0.7 * sum / count
		h = r.gbkLayer(name, h).apply(relu)
	}
	compare(t, "loss", ad.Eval(got), table{{want}})
	if testkit.Double {
		checkGradient(t, m, got)
	}
	z := m.Forward(input.Evaluation(), f)
	alone, both := operations(t, z), operations(t, z, got)
	if both-alone > 20 {
		t.Errorf("%d operations with the loss, %d without", both, alone)
	}
}

func TestGateLossOfNothing(t *testing.T) {
	m := newModel(t, "gbk", sized(Options{}, 5), testGraph(t, "gbk", sameNames())).(Auxiliary)
	x := input.Dense(features(nodes, 5))
	if v, err := m.Auxiliary(input.Evaluation(), x, make([]int32, nodes), []int32{6}); err != nil ||
		ad.Eval(v).Item() != 0 {
		t.Errorf("without edges: %v, error %v", v, err)
	}
	if _, err := m.Auxiliary(input.Evaluation(), x, make([]int32, 3), nil); err == nil {
		t.Error("3 labels for 7 nodes were taken")
	}
	if _, err := m.Auxiliary(input.Evaluation(), x, make([]int32, nodes), []int32{7}); err == nil {
		t.Error("a training node that does not exist was taken")
	}
}

// operations is how many a program of vs runs.
func operations(t *testing.T, vs ...ad.Var) (n int) {
	t.Helper()
	costs, err := ad.Compile(vs...).Profile()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range costs {
		n += c.Calls
	}
	return n
}
