package inspect

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/adjoint"
	"github.com/bloomgml/bloom/descent"
	"github.com/bloomgml/bloom/energy"
	"github.com/bloomgml/bloom/internal/testkit"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/recipe"
)

// algorithms is the table, with steps short enough for every energy, and quotients that finite differences can
// follow.
var algorithms = func() map[string]descent.Algorithm {
	all := map[string]descent.Algorithm{}
	for _, p := range descent.Algorithms.Parts {
		text := fmt.Sprintf("kappa: {anchor: squared}\ndescent: {algorithm: %s, gamma: {forced: 0.02}}", p.Name)
		if gamma, _ := descent.Pace(p.New); gamma == nil {
			text = strings.Replace(text, ", gamma: {forced: 0.02}", "", 1)
		}
		r, err := recipe.Read(p.Name, []byte(text))
		if err != nil {
			panic(err)
		}
		all[p.Name] = r.A
	}
	all["adagrad"] = descent.WithEps(descent.AdaGrad(descent.Forced(0.02), nil), 0.1)
	all["rmsprop"] = descent.WithEps(descent.RMSProp(descent.Forced(0.02), nil, 0.7), 0.1)
	all["adam"] = descent.WithEps(descent.Adam(descent.Forced(0.02), nil, 0.6, 0.7), 0.1)
	all["rectified"] = rectified
	return all
}()

// rectified has a shift that keeps it away from the kinks of the positive part.
var rectified = descent.Rectified(ad.NewParam("b", normal(1, Dim, 5)),
	ad.NewParam("s", mat.FromSlice(1, Dim, []mat.Real{0.1, 0.2, -0.1, 0.05})),
	ad.NewParam("t", mat.FromSlice(1, Dim, []mat.Real{0.7, 0.9, 0.8, 0.7})))

// trial is one recipe on a small graph with a loss on what its descent gives.
type trial struct {
	lower *energy.Lower
	start ad.Var
	vars  []ad.Var     // π and the parameters of the terms
	at    []*mat.Dense // their values
}

func newTrial(t *testing.T, r *recipe.Recipe) trial {
	t.Helper()
	w, err := newWorld(r, 7, 3)
	if err != nil {
		t.Fatal(err)
	}
	l, err := r.Lower(w.place)
	if err != nil {
		t.Fatal(err)
	}
	pi := normal(7, Dim, 11)
	x := trial{lower: l, start: w.start, vars: []ad.Var{ad.Input(pi)}, at: []*mat.Dense{pi}}
	if !l.Pi.IsZero() {
		if l.Pi == x.start {
			x.start = x.vars[0]
		}
		l.Pi = x.vars[0]
	}
	for _, p := range l.Params() {
		x.vars, x.at = append(x.vars, p.Var), append(x.at, p.Value())
	}
	return x
}

// outputs are the loss and its derivatives.
func (x trial) outputs(adj adjoint.Adjoint, a descent.Algorithm, layers int) []ad.Var {
	h := adj.Run(a, x.lower, x.start, layers)
	loss := h.Mul(ad.Const(normal(h.Rows(), h.Cols(), 12))).Sum().Add(h.Square().Sum().Scale(0.5))
	return append([]ad.Var{loss}, ad.Grad(loss, x.vars...)...)
}

func run(t *testing.T, outs []ad.Var) ([]float64, error) {
	t.Helper()
	prog := ad.Compile(outs...)
	if err := prog.Run(); err != nil {
		return nil, err
	}
	var all []float64
	for _, v := range outs {
		for _, y := range prog.Value(v).Slice() {
			all = append(all, float64(y))
		}
	}
	return all, nil
}

// distance is the largest difference relative to the largest number.
func distance(a, b []float64) float64 {
	scale, worst := 1.0, 0.0
	for i := range a {
		scale, worst = max(scale, math.Abs(a[i])), max(worst, math.Abs(a[i]-b[i]))
		if math.IsNaN(a[i] + b[i]) {
			return math.NaN()
		}
	}
	return worst / scale
}

// energies are the recipes without those that have the energy of an earlier one and differ in A, which the product
// replaces.
func energies() []*recipe.Recipe {
	var list []*recipe.Recipe
	seen := map[string]bool{}
	for _, r := range recipe.All() {
		formula, _ := Describe(r)
		if text := fmt.Sprintf("%+v", formula); !seen[text] {
			seen[text] = true
			list = append(list, r)
		}
	}
	return list
}

// TestProduct is every algorithm on the energy of every recipe, differentiated through its steps: against finite
// differences in double precision (those of float32 step over kinks), and the same with checkpoints.
func TestProduct(t *testing.T) {
	for _, r := range energies() {
		for name, a := range algorithms {
			t.Run(r.Name+" "+name, func(t *testing.T) {
				x := newTrial(t, r)
				var no *descent.Unsuitable
				if err := descent.Check(a, x.lower); errors.As(err, &no) {
					t.Skip(err)
				}
				outs := x.outputs(adjoint.Unrolled{}, a, 3)
				if testkit.Double {
					testkit.Gradient(t, outs[0], outs[1:], x.at...)
				}
				want, err := run(t, outs)
				if err != nil {
					t.Fatal(err)
				}
				got, err := run(t, x.outputs(adjoint.Checkpointed{Keep: 2}, a, 3))
				if err != nil {
					t.Fatal(err)
				}
				if d := distance(want, got); !(d <= 1e-5) { // the same sums, fused differently
					t.Errorf("checkpointed is %.1e from unrolled", d)
				}
			})
		}
	}
}

// convex are the recipes whose energy is strongly convex: κ is quadratic, f and η are convex.
var convex = []string{"base", "heterophily", "heterophily-edge", "lp", "lp-zhou", "halo", "gr-mlp"}

// plain are the algorithms for a constraint that couples nodes, which takes one step size for all.
var plain = map[string]descent.Algorithm{
	"proximal": descent.Proximal(descent.Safe, nil),
	"momentum": descent.Momentum(descent.Safe, nil, 0.3),
	"nesterov": descent.Nesterov(descent.Safe, nil, 0.3),
}

// TestImplicitProduct: where the energy is strongly convex, the implicit derivative equals that through the steps once
// they have converged, whichever algorithm took them.
func TestImplicitProduct(t *testing.T) {
	tolerance, layers := 1e-4, 150
	if testkit.Double {
		tolerance, layers = 1e-8, 250
	}
	for _, name := range convex {
		r, err := recipe.Find(name)
		if err != nil {
			t.Fatal(err)
		}
		for kind, a := range map[string]descent.Algorithm{
			"proximal": descent.Proximal(descent.Safe, descent.Degree),
			"momentum": descent.Momentum(descent.Safe, descent.Degree, 0.3),
			"nesterov": descent.Nesterov(descent.Safe, descent.Degree, 0.3),
		} {
			t.Run(name+" "+kind, func(t *testing.T) {
				x := newTrial(t, r)
				var no *descent.Unsuitable
				if err := descent.Check(a, x.lower); errors.As(err, &no) {
					a = plain[kind]
				} else if err != nil {
					t.Fatal(err)
				}
				want, err := run(t, x.outputs(adjoint.Unrolled{}, a, layers))
				if err != nil {
					t.Fatal(err)
				}
				got, err := run(t, x.outputs(adjoint.Implicit{}, a, layers))
				if err != nil {
					t.Fatal(err)
				}
				if d := distance(want, got); !(d <= tolerance) {
					t.Errorf("implicit is %.1e from unrolled", d)
				}
			})
		}
	}
}

// TestImplicitRefuses: adaptive steps, scores, paths and the norm penalty do not reach a fixed point in a few steps,
// and the error says so.
func TestImplicitRefuses(t *testing.T) {
	for name, a := range map[string]descent.Algorithm{
		"base": algorithms["adam"], "robust": algorithms["rmsprop"], "momentum": algorithms["adagrad"],
		"transe": algorithms["proximal"], "distmult": algorithms["proximal"], "complex": algorithms["proximal"],
		"rotate": algorithms["proximal"], "path": algorithms["proximal"], "unit-norm": algorithms["momentum"],
	} {
		t.Run(name, func(t *testing.T) {
			r, err := recipe.Find(name)
			if err != nil {
				t.Fatal(err)
			}
			var failed *adjoint.NotConverged
			if _, err := run(t, newTrial(t, r).outputs(adjoint.Implicit{}, a, 10)); !errors.As(err, &failed) {
				t.Errorf("error %v, want NotConverged", err)
			}
		})
	}
}
