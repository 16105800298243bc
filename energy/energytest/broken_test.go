package energytest

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/energy"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/mat"
)

// laplace is right.
var laplace = energy.Laplace(energy.Fixed(1), graph.None)

// broken are terms with one mistake each, and the check that has to find it.
var broken = map[string]struct {
	check string
	term  energy.EdgeTerm
}{
	"right": {"", laplace},
	"reads_one_end": {"fused", wrong{grad: func(on *energy.Structure, h ad.Var) ad.Var {
		return h.Gather(on.Target()).Sub(h.Gather(on.Source())).SegmentSum(on.Target())
	}}},
	"curvature_half": {"majorant", wrong{curvature: func(q ad.Var) ad.Var { return q.Scale(0.5) }}},
	"curvature_thin": {"majorant", wrong{curvature: func(q ad.Var) ad.Var { return q.Scale(0.98) }}},
	"curvature_less": {"descent", wrong{curvature: func(q ad.Var) ad.Var { return q.Scale(0.5) }}},
	"stops_derivative": {"hessian", wrong{edge: func(e energy.Edges) ad.Var {
		return e.U.Sub(ad.Stop(e.V)).Square().SumCols()
	}}},
	"looks_far": {"local", wrong{edge: func(e energy.Edges) ad.Var {
		return e.U.Sub(e.V).Square().SumCols().Mul(e.U.Sum())
	}}},
	"grows_infinite": {"finite", wrong{edge: func(e energy.Edges) ad.Var { return e.U.Exp().SumCols() }}},
	"one_number":     {"shape", wrong{edge: func(e energy.Edges) ad.Var { return e.U.Sub(e.V).Square().Sum() }}},
	"counts_edges":   {"order", wrong{edge: counted}},
}

// counted weighs edges by their position.
func counted(e energy.Edges) ad.Var {
	w := mat.New(e.U.Rows(), 1)
	mat.Uniform(w, 0, 1, 1)
	return e.U.Sub(e.V).Square().SumCols().Mul(ad.Const(w))
}

// wrong is Laplace with something replaced.
type wrong struct {
	edge      func(energy.Edges) ad.Var
	grad      func(*energy.Structure, ad.Var) ad.Var
	curvature func(q ad.Var) ad.Var
}

func (w wrong) Params() []*ad.Param { return nil }

func (w wrong) Edge(e energy.Edges) ad.Var {
	if w.edge != nil {
		return w.edge(e)
	}
	return laplace.Edge(e)
}

func (w wrong) EdgeGrad(on *energy.Structure, h ad.Var) ad.Var {
	if w.grad != nil {
		return w.grad(on, h)
	}
	return ad.Var{}
}

func (w wrong) EdgeCurvature(on *energy.Structure) ad.Var {
	q := laplace.(energy.MajorizedEdges).EdgeCurvature(on)
	if w.curvature != nil {
		return w.curvature(q)
	}
	return q.Scale(1e6)
}

// brokenConstraints have one mistake each too.
var brokenConstraints = map[string]struct {
	check string
	eta   energy.Constraint
}{
	"right_constraint":   {"", energy.NonNegative},
	"shrinks":            {"minimiser", badProx{func(h, _ ad.Var) ad.Var { return h.ReLU().Scale(0.9) }}},
	"shrinks_twice":      {"idempotent", badProx{func(h, _ ad.Var) ad.Var { return h.ReLU().Scale(0.9) }}},
	"leaves":             {"finite", badProx{func(h, _ ad.Var) ad.Var { return h }}},
	"wrong_derivative":   {"derivative", badProx{func(h, _ ad.Var) ad.Var { return ad.Stop(h.ReLU()) }}},
	"stretches":          {"firm", badProx{func(h, _ ad.Var) ad.Var { return h.ReLU().Scale(1.5) }}},
	"forgets_step_sizes": {"minimiser", halved{energy.L1(0.3)}},
	"right_simplex":      {"", energy.Simplex},
	"leaves_the_face":    {"derivative", loose{energy.Simplex}},
}

// badProx is NonNegative with another prox.
type badProx struct{ prox func(h, gamma ad.Var) ad.Var }

func (b badProx) Prox(h, gamma ad.Var) ad.Var { return b.prox(h, gamma) }
func (b badProx) Value(h *mat.Dense) float64  { return energy.NonNegative.Value(h) }
func (b badProx) Convex() bool                { return true }

// halved takes half the threshold that it should.
type halved struct{ energy.Constraint }

func (b halved) Prox(h, gamma ad.Var) ad.Var { return b.Constraint.Prox(h, gamma.Scale(0.5)) }

// loose is a constraint with the derivative of the identity.
type loose struct{ energy.Constraint }

func (b loose) Prox(h, gamma ad.Var) ad.Var {
	return h.Sub(ad.Stop(h.Sub(b.Constraint.Prox(h, gamma))))
}

// TestBroken runs them, in a process of its own, where failing is right.
func TestBroken(t *testing.T) {
	if os.Getenv("ENERGYTEST_BROKEN") == "" {
		t.Skip("run by TestFindsMistakes")
	}
	for name, b := range broken {
		EdgeTerm(t, name, func() energy.EdgeTerm { return b.term })
	}
	for name, b := range brokenConstraints {
		Constraint(t, name, func() energy.Constraint { return b.eta })
	}
}

// TestFindsMistakes: the suite finds every mistake, by the check that is meant for it, and finds none in
// what is right.
func TestFindsMistakes(t *testing.T) {
	cmd := exec.Command(os.Args[0], "-test.run=^TestBroken$", "-test.v")
	cmd.Env = append(os.Environ(), "ENERGYTEST_BROKEN=1")
	out, _ := cmd.CombinedOutput()
	failed := map[string]string{}
	for line := range strings.SplitSeq(string(out), "\n") {
		if _, path, ok := strings.Cut(line, "--- FAIL: TestBroken/"); ok {
			path, _, _ = strings.Cut(path, " ")
			name, _, _ := strings.Cut(path, "/")
			failed[name] += " " + path[strings.LastIndexByte(path, '/')+1:]
		}
	}
	expect := func(name, check string) {
		if got := failed[name]; check == "" && got != "" || check != "" && !strings.Contains(got+" ", " "+check+" ") {
			t.Errorf("%s: failed checks are [%s], want %q among them", name, got, check)
		}
	}
	for name, b := range broken {
		expect(name, b.check)
	}
	for name, b := range brokenConstraints {
		expect(name, b.check)
	}
	if t.Failed() {
		t.Logf("%s", out)
	}
}
