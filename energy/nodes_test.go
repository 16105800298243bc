package energy_test

import (
	"math"
	"testing"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/energy"
	"github.com/bloomgml/bloom/internal/testkit"
	"github.com/bloomgml/bloom/mat"
)

// drawn is a random rows×cols matrix in [lo, hi).
func drawn(rows, cols int, lo, hi mat.Real, seed uint64) *mat.Dense {
	m := mat.New(rows, cols)
	mat.Uniform(m, lo, hi, seed)
	return m
}

func listed(t testing.TB, bound int, ids ...int32) *mat.Index {
	t.Helper()
	x, err := mat.NewIndex(ids, bound)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// rounding is a relative error that sums of a few numbers stay below.
var rounding = func() float64 {
	if mat.New(1, 1).Bytes() == 8 {
		return 0x1p-48
	}
	return 0x1p-19
}()

func nearly(a, b, tolerance float64) bool {
	return math.Abs(a-b) <= tolerance*max(1, math.Abs(a), math.Abs(b))
}

func wantSlice(t *testing.T, what string, got *mat.Dense, want ...float64) {
	t.Helper()
	for i, x := range got.Slice() {
		if len(want) != got.Len() || !nearly(float64(x), want[i], rounding) {
			t.Errorf("%s is %v, want %v", what, got.Slice(), want)
			return
		}
	}
}

// nodeTerms are the node terms of this file as functions of h, a target and a weight, 5×3, 5×3 and 1×1.
func nodeTerms(t *testing.T) map[string]func(target, w ad.Var) energy.NodeTerm {
	labels := energy.Labels(listed(t, 3, 2, 0, 1, 1, 2), listed(t, 5, 4, 1))
	return map[string]func(target, w ad.Var) energy.NodeTerm{
		"target": func(target, w ad.Var) energy.NodeTerm {
			return energy.WeightedNodes(energy.ToTarget(energy.LogCosh, target), w.Scale(0.7))
		},
		"labels": func(target, w ad.Var) energy.NodeTerm {
			return energy.WeightedNodes(energy.ToTarget(energy.HalfSquared, labels), w)
		},
		"labelled": func(target, w ad.Var) energy.NodeTerm {
			mask := labels.SumCols()
			return energy.WeightedNodes(energy.WeightedNodes(energy.ToTarget(energy.Squared, labels), mask.Scale(2)), w)
		},
		"unit norm": func(target, w ad.Var) energy.NodeTerm {
			return energy.WeightedNodes(energy.UnitNormPenalty(energy.Fixed(0.3)), w)
		},
	}
}

func TestNodeTermDerivatives(t *testing.T) {
	h, target, w := drawn(5, 3, -0.6, 0.6, 1), drawn(5, 3, -0.4, 0.4, 2), drawn(1, 1, 0.5, 1, 3)
	for name, term := range nodeTerms(t) {
		t.Run(name, func(t *testing.T) {
			testkit.Derivatives(t, func(v []ad.Var) ad.Var {
				return term(v[1], v[2]).Node(energy.Nodes{H: v[0]})
			}, h, target, w)
			trained := energy.Trained("w", 0.8)
			testkit.Derivatives(t, func(v []ad.Var) ad.Var {
				return term(v[1], trained.Var()).Node(energy.Nodes{H: v[0]})
			}, h, target)
		})
	}
}

func TestNodeTermsByHand(t *testing.T) {
	h := ad.Input(mat.FromSlice(3, 2, []mat.Real{1, 0, 2, 1, -1, 3}))
	labels := energy.Labels(listed(t, 2, 0, 1, 1), listed(t, 3, 2))
	wantSlice(t, "Ȳ", ad.Eval(labels), 0, 0, 0, 0, 0, 1)
	nodes := energy.Nodes{H: h}
	curvature := func(t energy.NodeTerm) ad.Var { return t.(energy.MajorizedNodes).NodeCurvature(nil) }
	all := energy.ToTarget(energy.HalfSquared, labels)
	wantSlice(t, "κ", ad.Eval(all.Node(nodes)), 0.5, 2.5, 2.5)
	only := energy.WeightedNodes(all, labels.SumCols().Scale(4))
	wantSlice(t, "κ of labelled nodes", ad.Eval(only.Node(nodes)), 0, 0, 10)
	wantSlice(t, "its curvature", ad.Eval(curvature(only)), 0, 0, 4)
	target := energy.WeightedNodes(energy.ToTarget(energy.Squared, h), ad.Number(3))
	wantSlice(t, "κ at the target", ad.Eval(target.Node(nodes)), 0, 0, 0)
	wantSlice(t, "its curvature", ad.Eval(curvature(target)), 6)
	norm := energy.UnitNormPenalty(energy.Fixed(0.5))
	wantSlice(t, "norm penalty", ad.Eval(norm.Node(nodes)), 0, 8, 40.5)
	perNode := ad.Const(mat.FromSlice(3, 1, []mat.Real{0, 1, 2}))
	wantSlice(t, "weighted", ad.Eval(energy.WeightedNodes(all, perNode).Node(nodes)), 0, 2.5, 5)
}

// TestLabelsAreAnchors: with π = Ȳ, the anchor and the pull to labels are the same term.
func TestLabelsAreAnchors(t *testing.T) {
	labels := energy.Labels(listed(t, 3, 2, 0, 1, 1, 2), listed(t, 5, 0, 3))
	h := ad.Input(drawn(5, 3, -1, 1, 4))
	nodes := energy.Nodes{H: h, Pi: labels}
	a, b := energy.Anchor(energy.Huber(1)), energy.ToTarget(energy.Huber(1), labels)
	if d := ad.Eval(a.Node(nodes).Sub(b.Node(nodes))).MaxAbs(); d != 0 {
		t.Errorf("they differ by %v", d)
	}
}

// TestNodeCurvature: the Hessian of a term stays below its curvature, in random directions.
func TestNodeCurvature(t *testing.T) {
	target, w := ad.Const(drawn(5, 3, -1, 1, 5)), ad.Const(drawn(5, 1, 0, 2, 6))
	for name, make := range nodeTerms(t) {
		term, ok := make(target, w).(energy.MajorizedNodes)
		if name == "unit norm" {
			if ok && !term.NodeCurvature(nil).IsZero() {
				t.Error("the norm penalty has no bound, yet gives one")
			}
			continue
		}
		for seed := range uint64(20) {
			h, dir := ad.Input(drawn(5, 3, -3, 3, 10+seed)), ad.Const(drawn(5, 3, -1, 1, 50+seed))
			g := ad.Grad(term.Node(energy.Nodes{H: h}).Sum(), h)[0]
			curve := ad.Grad(g.Dot(dir), h)[0].RowDot(dir)
			room := dir.RowDot(dir).Mul(term.NodeCurvature(nil)).Sub(curve)
			for v, x := range ad.Eval(room).Slice() {
				if float64(x) < -rounding*10 {
					t.Errorf("%s, seed %d, node %d: curvature above the bound by %v", name, seed, v, -x)
				}
			}
		}
	}
}

func TestNodeTermParams(t *testing.T) {
	w := energy.Trained("w", 2)
	for _, term := range []energy.NodeTerm{
		energy.UnitNormPenalty(w),
		energy.WeightedNodes(energy.Anchor(energy.HalfSquared), w.Var(), w.Params()...),
	} {
		if ps := term.Params(); len(ps) != 1 || ps[0].Name != "w" {
			t.Errorf("%T has parameters %v", term, ps)
		}
	}
}
