package descent_test

import (
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

// TestAnnounced: algorithms, step sizes and preconditioners that are in no table fail.
func TestAnnounced(t *testing.T) {
	testkit.Announced(t, descent.Algorithms,
		map[string]string{"hidden": "is a scheme, of functions; others are cases of it"}, "Start", "Step")
	testkit.Announced(t, descent.StepSizes, map[string]string{"trained": "holds a parameter"}, "Gamma")
	testkit.Announced(t, descent.Preconditioners, map[string]string{"gram": "bounds the steps of Weights"}, "Sigma")
}

// variants has an algorithm for every algorithm and every preconditioner of the tables, with step sizes gamma.
func variants(gamma descent.StepSize) map[string]descent.Algorithm {
	all := map[string]descent.Algorithm{}
	for _, p := range descent.Algorithms.Parts {
		all[p.Name] = paced(p.New, gamma)
	}
	for _, p := range descent.Preconditioners.Parts {
		if p.New != nil {
			all["sigma "+p.Name] = descent.Proximal(gamma, p.New)
		}
	}
	all["nesterov with beta and sigma"] = descent.Nesterov(gamma, descent.Degree, 0.7)
	all["reweighted with cut"] = descent.Attention(descent.Proximal(gamma, nil), 1, 1, 0.2, 3)
	return all
}

// paced is a with another step size; what it does from a step on, it does from step 1 on.
func paced(a descent.Algorithm, gamma descent.StepSize) descent.Algorithm {
	v := reflect.New(reflect.TypeOf(a)).Elem()
	v.Set(reflect.ValueOf(a))
	if inner := v.FieldByName("A"); inner.IsValid() {
		inner.Set(reflect.ValueOf(paced(inner.Interface().(descent.Algorithm), gamma)))
		v.FieldByName("At").SetInt(1)
	} else if to := v.FieldByName("Gamma"); to.IsValid() {
		to.Set(reflect.ValueOf(gamma))
	}
	return v.Interface().(descent.Algorithm)
}

// suited is an energy on w that a can work on, with λ; a fails t if there is no such energy.
func suited(t *testing.T, w *world, a descent.Algorithm, lambda energy.Weight, pi *mat.Dense) *energy.Lower {
	t.Helper()
	d := pi.Cols()
	matrix := energy.Both(energy.Compat(energy.HalfSquared, lambda, ad.NewParam("C", mat.Eye(d))))
	var err error
	for _, f := range []energy.EdgeTerm{energy.Laplace(lambda, graph.None), matrix} {
		for _, rho := range []energy.Penalty{energy.LogCosh, energy.HalfSquared} {
			l := w.base(1, rho, pi)
			l.F, l.X = []energy.EdgeTerm{f}, ad.Const(w.nodes(d+1, 0.2))
			if err = descent.Check(a, l); err == nil {
				return l
			}
		}
	}
	t.Fatal(err)
	return nil
}

// TestParts is the suite of algorithms and preconditioners: every one of the tables passes it.
func TestParts(t *testing.T) {
	for name, a := range variants(descent.Fixed(0.05)) {
		t.Run(name, func(t *testing.T) {
			t.Run("derivatives", func(t *testing.T) { derivatives(t, a) })
			t.Run("trained", func(t *testing.T) { trained(t, a) })
			t.Run("plain", func(t *testing.T) { plainForm(t, a) })
			t.Run("names", func(t *testing.T) { otherNames(t, a) })
			t.Run("local", func(t *testing.T) { local(t, a, name) })
			t.Run("rest", func(t *testing.T) { atRest(t, a, name) })
			t.Run("falls", func(t *testing.T) { falls(t, a, name) })
		})
	}
}

// derivatives: through three layers, to π and to what the energy trains, against finite differences. To what σ holds
// there is none.
func derivatives(t *testing.T, a descent.Algorithm) {
	w := newWorld(t, 600, 6)
	p, h0 := w.nodes(2, 1), w.nodes(2, 1)
	l := suited(t, w, a, energy.Trained("λ", 0.5), p)
	xs, at := []ad.Var{l.Pi}, []*mat.Dense{p}
	if _, sigma := descent.Pace(a); !isHeld(sigma) {
		for _, p := range l.Params() {
			xs, at = append(xs, p.Var), append(at, p.Value())
		}
	}
	y := descent.Run(a, l, ad.Input(h0), 3).H.Square().Sum()
	testkit.Gradient(t, y, ad.Grad(y, xs...), at...)
}

// trained: the only parameter is γ, and its derivative is right.
func trained(t *testing.T, a descent.Algorithm) {
	w := newWorld(t, 610, 6)
	if gamma, _ := descent.Pace(a); gamma == nil {
		t.Skip("has no γ")
	}
	a = paced(a, descent.Trained("γ", 0.1))
	l := suited(t, w, a, energy.Fixed(0.5), w.nodes(2, 1))
	ps := descent.Params(a)
	if len(ps) != 1 {
		t.Fatalf("%d parameters, want γ", len(ps))
	}
	y := descent.Run(a, l, ad.Input(w.nodes(2, 1)), 3).H.Square().Sum()
	testkit.Gradient(t, y, ad.Grad(y, ps[0].Var), ps[0].Value())
}

// plainForm: an algorithm sees an energy by its values and derivatives alone, so that a term by its definition and by
// its fast form give the same layer.
func plainForm(t *testing.T, a descent.Algorithm) {
	w := newWorld(t, 620, 12)
	l := suited(t, w, a, energy.Fixed(0.5), w.nodes(3, 1))
	plain := *l
	f := l.F[0]
	plain.F = []energy.EdgeTerm{energy.EdgeFunc(f.Edge, f.Params()...)}
	if err := descent.Check(a, &plain); err != nil {
		t.Skipf("asks for terms that it knows: %v", err)
	}
	h0 := w.nodes(3, 1)
	same(t, "plain terms", after(t, a, &plain, h0, 3), after(t, a, l, h0, 3), tolerance())
}

// otherNames: nodes by other numbers have the same embeddings.
func otherNames(t *testing.T, a descent.Algorithm) {
	w := newWorld(t, 630, 10)
	n := w.g.NumNodes()
	to := w.Perm(n)
	v := newWorld(t, 630, n, func(s *graph.Spec) {
		s.Triples = nil
		for _, e := range w.g.Triples() {
			s.Triples = append(s.Triples, graph.Triple{U: int32(to[e.U]), V: int32(to[e.V])})
		}
	})
	moved := func(m *mat.Dense) *mat.Dense {
		x := rowsOf(m)
		y := make(table, n)
		for i := range x {
			y[to[i]] = x[i]
		}
		return denseOf(y)
	}
	p, h0 := w.nodes(3, 1), w.nodes(3, 1)
	l := suited(t, w, a, energy.Fixed(0.5), p)
	m := suited(t, v, a, energy.Fixed(0.5), moved(p))
	m.X = ad.Const(moved(ad.Eval(l.X)))
	got, want := after(t, a, m, moved(h0), 3), after(t, a, l, h0, 3)
	same(t, "other names", got, rowsOf(moved(denseOf(want))), tolerance())
}

// outer is an algorithm of another package, with what is optional.
type outer struct{ gamma descent.StepSize }

func (outer) Start(h0 ad.Var) descent.State { return descent.State{H: h0} }
func (o outer) Step(l *energy.Lower, s descent.State) descent.State {
	return descent.Proximal(o.gamma, nil).Step(l, s)
}
func (o outer) Pace() (descent.StepSize, descent.Preconditioner) { return o.gamma, nil }
func (outer) Text(string) descent.Text {
	return descent.Text{Name: "outer", Lines: []string{"h_v ← h_v − γ g_v"}}
}

// TestOutside: an algorithm of another package is asked for its parameters, and explained, as those of this one.
func TestOutside(t *testing.T) {
	a := outer{descent.Trained("γ", 0.1)}
	if got := descent.TextOf(a, "max(0, %s)"); len(descent.Params(a)) != 1 || got.Name != "outer" ||
		!slices.Equal(got.Lines, []string{"h_v ← max(0, h_v − γ g_v)"}) ||
		!slices.Equal(got.Where, []string{"γ trained"}) {
		t.Errorf("%+v with parameters %v", got, descent.Params(a))
	}
}

// coupled are the algorithms whose layers are no message passing.
var coupled = map[string]string{"weights": "X Xᵀ couples all nodes"}

// local: row v of a layer depends on v and N_v alone, to the last bit.
func local(t *testing.T, a descent.Algorithm, name string) {
	if why := coupled[name]; why != "" {
		t.Skip(why)
	}
	w := newWorld(t, 640, 30)
	h0 := w.nodes(3, 1)
	l, near := suited(t, w, a, energy.Fixed(0.5), w.nodes(3, 1)), w.neighbours()
	before := after(t, a, l, h0, 1)
	moved := h0.Slice()
	for j := range 3 {
		moved[7*3+j]++
	}
	h0.Write(moved)
	touched := map[int]bool{7: true}
	for _, u := range near[7] {
		touched[u] = true
	}
	for v, row := range after(t, a, l, h0, 1) {
		if distance(table{row}, before[v:v+1]) != 0 && !touched[v] {
			t.Errorf("node %d moved with node 7, which is no neighbour", v)
		}
	}
}

// restless are the algorithms that leave a minimum.
var restless = map[string]string{"twirls": "is no descent on its energy", "weights": "starts at W = 0",
	"rectified": "adds positive parts alone"}

// atRest: where the gradient is 0, nothing moves.
func atRest(t *testing.T, a descent.Algorithm, name string) {
	if why := restless[name]; why != "" {
		t.Skip(why)
	}
	w := newWorld(t, 650, 9)
	h0 := mat.New(w.g.NumNodes(), 2)
	mat.Fill(h0, 0.5)
	same(t, "a minimum", after(t, a, suited(t, w, a, energy.Fixed(0.5), h0), h0, 5), rowsOf(h0), tolerance())
}

// falls: forty short steps take energy away.
func falls(t *testing.T, a descent.Algorithm, name string) {
	if restless[name] != "" && name != "weights" {
		t.Skip(restless[name])
	}
	w := newWorld(t, 660, 15)
	l := suited(t, w, a, energy.Fixed(0.5), w.nodes(3, 1))
	s := a.Start(ad.Input(w.nodes(3, 2)))
	start := l.Smooth(s.H)
	for range 40 {
		s = a.Step(l, s)
	}
	x := eval(t, start, l.Smooth(s.H))
	if from, to := float64(x[0].Item()), float64(x[1].Item()); !(to < from) {
		t.Errorf("energy %v at the start and %v after 40 steps", from, to)
	}
}

// TestStepSizes is the suite of step sizes: every one of the table lets the energy fall, and is differentiated.
func TestStepSizes(t *testing.T) {
	for _, p := range descent.StepSizes.Parts {
		t.Run(reflect.TypeOf(p.New).Name(), func(t *testing.T) {
			w := newWorld(t, 670, 8)
			l := w.base(0.2, energy.LogCosh, w.nodes(2, 1))
			a := descent.Proximal(p.New, descent.Degree)
			if err := descent.Check(a, l); err != nil {
				t.Fatal(err)
			}
			h := ad.Input(w.nodes(2, 1))
			end := descent.Run(a, l, h, 3).H
			x := eval(t, l.Smooth(h), l.Smooth(end), ad.Grad(end.Sum(), l.Pi)[0])
			if from, to := float64(x[0].Item()), float64(x[1].Item()); !(to < from) {
				t.Errorf("energy %v at the start and %v after 3 steps", from, to)
			}
			if err := x[2].CheckFinite(); err != nil {
				t.Error(err)
			}
		})
	}
}
