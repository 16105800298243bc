package descent_test

import (
	"maps"
	"reflect"
	"slices"
	"testing"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/descent"
	"github.com/bloomgml/bloom/energy"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/internal/testkit"
	"github.com/bloomgml/bloom/mat"
)

// isHeld reports whether a γ or σ is a constant to derivatives.
func isHeld(x any) bool {
	return x == descent.Held(descent.Degree) || x == descent.Held(descent.OneSided)
}

// trainable are energies with parameters that σ and γ depend on: λ, and C or C_r away from the identity.
func (w *world) trainable(d int) map[string]*energy.Lower {
	lambda := energy.Trained("λ", 0.3+w.Float64())
	matrix := func(n int) *ad.Param { return ad.NewParam("C", w.normal(n*d, d, 0.7)) }
	base := func(f energy.EdgeTerm) *energy.Lower {
		l := w.base(1, energy.LogCosh, w.nodes(d, 1))
		l.F = []energy.EdgeTerm{f}
		return l
	}
	typed := newWorld(w, w.seed, 9, func(s *graph.Spec) {
		s.Undirected, s.DropDuplicates, s.Relations = false, false, 2
		for i := range s.Triples {
			s.Triples[i].R = int32(i % 2)
		}
	})
	inverse, err := typed.g.WithInverse()
	if err != nil {
		w.Fatal(err)
	}
	halo := base(energy.Relational(energy.HalfSquared, lambda, matrix(inverse.NumRelations())))
	halo.On = energy.NewStructure(inverse)
	return map[string]*energy.Lower{
		"laplace":    base(energy.Laplace(lambda, graph.None)),
		"normalised": base(energy.Laplace(lambda, graph.Symmetric)),
		"difference": base(energy.Difference(energy.LogCosh, lambda)),
		"compat":     base(energy.Both(energy.Compat(energy.HalfSquared, lambda, matrix(1)))),
		"curved":     base(energy.Both(energy.Compat(energy.LogCosh, lambda, matrix(1)))),
		"relational": halo,
	}
}

// TestExactDerivatives: through three layers, to every parameter of the energy and of γ, for every σ and γ of the
// tables in turn and random graphs, against finite differences.
func TestExactDerivatives(t *testing.T) {
	if !testkit.Double {
		t.Skip("backtracking jumps within a step of single precision")
	}
	gammas := []descent.StepSize{descent.Trained("γ", 0.2)}
	for _, p := range descent.StepSizes.Parts {
		switch p.New {
		case descent.HeldStep(descent.Safe):
		case descent.Forced(2): // it explodes
			gammas = append(gammas, descent.Forced(0.2))
		default:
			gammas = append(gammas, p.New)
		}
	}
	for seed := range 40 {
		w := newWorld(t, 4000+uint64(seed), 9)
		energies := w.trainable(2)
		for i, name := range slices.Sorted(maps.Keys(energies)) {
			l := energies[name]
			l.Eta = []energy.Constraint{nil, energy.NonNegative}[seed%2]
			for j, p := range descent.Preconditioners.Parts {
				a := descent.Proximal(gammas[(seed+i+j)%len(gammas)], p.New)
				if isHeld(p.New) || descent.Check(a, l) != nil {
					continue
				}
				t.Run(name+" "+p.Name, func(t *testing.T) { exact(t, w, a, l) })
			}
		}
	}
}

// exact compares all derivatives of a on l.
func exact(t *testing.T, w *world, a descent.Algorithm, l *energy.Lower) {
	var xs []ad.Var
	var at []*mat.Dense
	for _, p := range append(l.Params(), descent.Params(a)...) {
		xs, at = append(xs, p.Var), append(at, p.Value())
	}
	y := descent.Run(a, l, ad.Input(w.nodes(2, 1)), 3).H.Dot(ad.Const(w.nodes(2, 1)))
	testkit.Gradient(t, y, ad.Grad(y, xs...), at...)
	if t.Failed() {
		gamma, _ := descent.Pace(a)
		t.Logf("seed %d: γ is %v", w.seed, reflect.TypeOf(gamma))
	}
}

// TestHeld: the same steps, with nothing passed back through γ and σ.
func TestHeld(t *testing.T) {
	w := newWorld(t, 4100, 9)
	for name, l := range w.trainable(2) {
		plain, held := descent.Degree.Sigma(l, l.Pi), descent.Held(descent.Degree).Sigma(l, l.Pi)
		step := descent.Safe.Gamma(l, plain, descent.State{})
		fixed := descent.HeldStep(descent.Safe).Gamma(l, held, descent.State{})
		theta := l.Params()[0].Var
		x := eval(t, plain, held, step, fixed, ad.Grad(plain.Sum(), theta)[0], ad.Grad(held.Sum(), theta)[0],
			ad.Grad(fixed, theta)[0])
		same(t, name+": σ", rowsOf(x[1]), rowsOf(x[0]), 0)
		same(t, name+": γ", rowsOf(x[3]), rowsOf(x[2]), 0)
		if x[4].Item() == 0 || x[5].Item() != 0 || x[6].Item() != 0 {
			t.Errorf("%s: ∂σ/∂θ is %v, held %v, and ∂γ/∂θ held %v", name, x[4].Item(), x[5].Item(), x[6].Item())
		}
	}
}
