package baseline

import (
	"math"
	"slices"
	"testing"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/input"
	"github.com/bloomgml/bloom/internal/testkit"
	"github.com/bloomgml/bloom/mat"
)

// tolerance is some units of rounding of sums of about a hundred numbers below ten.
var tolerance = map[bool]float64{false: 2e-4, true: 1e-11}[testkit.Double]

// variants are all models with everything that they can have. Widths grow and shrink from layer to layer.
var variants = []struct {
	label, name string
	Options
}{
	{"mlp", "mlp", Options{Layers: 3, Norm: input.LayerNorm, Residual: true}},
	{"mlp blocks", "mlp", Options{Blocks: true, Norm: input.LayerNorm}},
	{"gcn", "gcn", Options{}},
	{"gcn one layer", "gcn", Options{Layers: 1}},
	{"gcn norms", "gcn", Options{Layers: 3, Norm: input.LayerNorm, Residual: true}},
	{"gcn blocks", "gcn", Options{Blocks: true, Norm: input.LayerNorm}},
	{"gcn separate", "gcn", Options{Layers: 3, Separate: true, Norm: input.LayerNorm, Residual: true}},
	{"gcn separate blocks", "gcn", Options{Blocks: true, Separate: true, Norm: input.LayerNorm}},
	{"gat", "gat", Options{Layers: 3}},
	{"gat separate layers", "gat", Options{Layers: 3, Separate: true}},
	{"gat blocks", "gat", Options{Blocks: true, Layers: 1}},
	{"gat separate blocks", "gat", Options{Blocks: true, Separate: true, Layers: 2, Norm: input.LayerNorm}},
	{"sage", "sage", Options{}},
	{"sage blocks", "sage", Options{Blocks: true}},
	{"appnp", "appnp", Options{Hops: 3, Alpha: 0.2}},
	{"fagcn", "fagcn", Options{Alpha: 0.4, Layers: 3}},
	{"fsgnn", "fsgnn", Options{Hops: 2}},
	{"gbk", "gbk", Options{Layers: 3}},
	{"jacobi", "jacobi", Options{Hops: 4, Alpha: 1.5, Jacobi: &Jacobi{0.5, -0.5}}},
	{"jacobi legendre", "jacobi", Options{Hops: 3, Alpha: 1, Jacobi: &Jacobi{}}},
	{"rgcn", "rgcn", Options{}},
	{"rgcn bases", "rgcn", Options{Bases: 2}},
}

// typed are edges of two relations on seven nodes, with parallel edges and a self loop in the second; node 6 has
// none.
var typed = [][3]int{
	{0, 0, 1}, {1, 0, 2}, {2, 0, 0}, {3, 0, 2}, {3, 0, 4}, {4, 0, 5},
	{5, 1, 4}, {0, 1, 1}, {4, 1, 1}, {2, 1, 1}, {3, 1, 3},
}

const nodes = 7

// testGraph is the first relation of typed as an undirected graph, or all of it as a typed one; node v is called
// name[v].
func testGraph(t testing.TB, model string, name []int32) *graph.Graph {
	t.Helper()
	var list []graph.Triple
	for _, e := range typed {
		if model == "rgcn" || e[1] == 0 {
			list = append(list, graph.Triple{U: name[e[0]], R: int32(e[1]), V: name[e[2]]})
		}
	}
	return build(t, graph.Spec{Nodes: nodes, Relations: 2, Triples: list, Undirected: model != "rgcn"})
}

func build(t testing.TB, s graph.Spec) *graph.Graph {
	t.Helper()
	g, err := graph.Build(s)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func sameNames() []int32 { return []int32{0, 1, 2, 3, 4, 5, 6} }

// sized is o with the widths of the tests; a layer's product with the graph comes first or last by the width.
func sized(o Options, in int) Options {
	o.In, o.Hidden, o.Out, o.Heads, o.Seed = in, 4, 3, 2, 7
	return o.filled()
}

// newModel has parameters away from the zeros and ones that some start at.
func newModel(t testing.TB, name string, o Options, g *graph.Graph) Model {
	t.Helper()
	m, err := New(name, o, g)
	if err != nil {
		t.Fatal(err)
	}
	for i, p := range m.Params() {
		mat.Uniform(p.Value(), -0.9, 0.9, uint64(i+1))
	}
	return m
}

func features(rows, cols int) *mat.Dense {
	x := mat.New(rows, cols)
	mat.Uniform(x, -1, 1, 3)
	return x
}

func toTable(m *mat.Dense) table {
	s := m.Slice()
	return newTable(m.Shape().Rows, m.Shape().Cols).each(func(i, j int, _ float64) float64 {
		return float64(s[i*m.Shape().Cols+j])
	})
}

func naive(m Model, o Options) oracle {
	r := oracle{p: map[string]table{}, a: newTable(nodes, nodes), edges: typed, o: o}
	for _, p := range m.Params() {
		r.p[p.Name] = toTable(p.Value())
	}
	for _, e := range typed {
		if e[1] == 0 {
			r.a[e[0]][e[2]], r.a[e[2]][e[0]] = 1, 1
		}
	}
	return r
}

func compare(t *testing.T, what string, got *mat.Dense, want table) {
	t.Helper()
	within(t, tolerance, what, got, want)
}

func within(t *testing.T, tolerance float64, what string, got *mat.Dense, want table) {
	t.Helper()
	for i, row := range toTable(got) {
		for j, x := range row {
			if !(math.Abs(x-want[i][j]) <= tolerance) {
				t.Fatalf("%s: entry %d, %d is %v, want %v", what, i, j, x, want[i][j])
			}
		}
	}
}

// TestOracles: every model is what its formula says, on dense and on sparse features, narrower and wider than
// the layers.
func TestOracles(t *testing.T) {
	seen := map[string]bool{}
	for _, v := range variants {
		seen[v.name] = true
		for _, in := range []int{2, 5} {
			t.Run(v.label, func(t *testing.T) {
				o := sized(v.Options, in)
				m := newModel(t, v.name, o, testGraph(t, v.name, sameNames()))
				x := features(nodes, in)
				want := oracles[v.name](naive(m, o), toTable(x))
				compare(t, "dense", ad.Eval(m.Forward(input.Evaluation(), input.Dense(x))), want)
				compare(t, "sparse", ad.Eval(m.Forward(input.Evaluation(), everything(t, x))), want)
			})
		}
	}
	for _, name := range Names() {
		if !seen[name] {
			t.Errorf("%s is not compared with an oracle", name)
		}
	}
}

// everything is x as sparse features that list all entries.
func everything(t testing.TB, x *mat.Dense) input.Features {
	t.Helper()
	n, d := x.Shape().Rows, x.Shape().Cols
	ptr, idx := []int64{0}, []int32{}
	for range n {
		for j := range d {
			idx = append(idx, int32(j))
		}
		ptr = append(ptr, int64(len(idx)))
	}
	s, err := mat.NewSparse(n, d, ptr, idx)
	if err != nil {
		t.Fatal(err)
	}
	return input.Sparse(s, mat.FromSlice(n*d, 1, x.Slice()))
}

// TestFeatureless: without features rgcn is rgcn with one-hot features.
func TestFeatureless(t *testing.T) {
	for _, bases := range []int{0, 2} {
		o := sized(Options{Bases: bases}, 0)
		m := newModel(t, "rgcn", o, testGraph(t, "rgcn", sameNames()))
		want := oracles["rgcn"](naive(m, o), toTable(mat.Eye(nodes)))
		compare(t, "one-hot", ad.Eval(m.Forward(input.Evaluation(), input.None(nodes))), want)
	}
}

// TestDefaults: the numbers of the sources stand in for zeros.
func TestDefaults(t *testing.T) {
	for name, o := range map[string]Options{
		"appnp": {Hops: 10, Alpha: 0.1}, "fagcn": {Alpha: 0.3}, "fsgnn": {Hops: 3},
		"jacobi": {Hops: 10, Alpha: 1, Jacobi: &Jacobi{1, 1}},
	} {
		g, x := testGraph(t, name, sameNames()), features(nodes, 5)
		a := newModel(t, name, sized(Options{}, 5), g).Forward(input.Evaluation(), input.Dense(x))
		b := newModel(t, name, sized(o, 5), g).Forward(input.Evaluation(), input.Dense(x))
		if d := ad.Eval(a.Sub(b)).MaxAbs(); d != 0 {
			t.Errorf("%s: the defaults differ from %+v by %v", name, o, d)
		}
	}
}

// TestGradients: to all parameters, against differences of the formula in double precision.
func TestGradients(t *testing.T) {
	const step = 1e-6 // small compared with the distance to the kinks of ReLU
	for _, v := range variants {
		t.Run(v.label, func(t *testing.T) {
			o := sized(v.Options, 5)
			m := newModel(t, v.name, o, testGraph(t, v.name, sameNames()))
			x, weight := features(nodes, 5), toTable(features(nodes, 3))
			loss := func(r oracle) (sum float64) {
				oracles[v.name](r, toTable(x)).each(func(i, j int, z float64) float64 {
					sum += z * weight[i][j]
					return z
				})
				return sum
			}
			z := m.Forward(input.Evaluation(), input.Dense(x)).Dot(ad.Const(features(nodes, 3)))
			r := naive(m, o)
			for _, p := range m.Params() {
				at := r.p[p.Name]
				want := at.each(func(i, j int, x float64) float64 {
					at[i][j] = x + step
					high := loss(r)
					at[i][j] = x - step
					low := loss(r)
					at[i][j] = x
					return (high - low) / (2 * step)
				})
				// a difference of numbers of size 10 is off by their rounding over the step
				within(t, max(tolerance, 1e-8), "derivative to "+p.Name, ad.Eval(ad.Grad(z, p.Var)[0]), want)
			}
		})
	}
}

// TestDroppedGradients: to all parameters, with every dropout.
func TestDroppedGradients(t *testing.T) {
	if !testkit.Double {
		t.Skip("a difference in float32 steps over the kinks of ReLU; run with -tags f64")
	}
	for _, v := range variants {
		t.Run(v.label, func(t *testing.T) {
			o := sized(v.Options, 5)
			o.Dropout, o.InputDropout, o.EdgeDropout = 0.3, 0.2, 0.3
			m := newModel(t, v.name, o, testGraph(t, v.name, sameNames()))
			z := m.Forward(input.Training(&ad.Clock{Seed: 5, Epoch: 2}), input.Dense(features(nodes, 5)))
			checkGradient(t, m, z.Dot(ad.Const(features(nodes, 3))))
		})
	}
}

func checkGradient(t *testing.T, m Model, loss ad.Var) {
	t.Helper()
	var vars []ad.Var
	var values []*mat.Dense
	for _, p := range m.Params() {
		vars, values = append(vars, p.Var), append(values, p.Value())
	}
	testkit.Gradient(t, loss, ad.Grad(loss, vars...), values...)
}

// TestEquivariant: other names of the nodes, and another order of the edges, give the same rows at other places.
func TestEquivariant(t *testing.T) {
	name := []int32{3, 6, 0, 5, 1, 2, 4}
	for _, v := range variants {
		o := sized(v.Options, 5)
		x := features(nodes, 5)
		moved := mat.New(nodes, 5)
		mat.Gather(moved, x, mat.MustIndex(inverse(name), nodes))
		a := newModel(t, v.name, o, testGraph(t, v.name, sameNames())).Forward(input.Evaluation(), input.Dense(x))
		b := newModel(t, v.name, o, testGraph(t, v.name, name)).Forward(input.Evaluation(), input.Dense(moved))
		if d := float64(ad.Eval(a.Sub(b.Gather(mat.MustIndex(name, nodes)))).MaxAbs()); !(d <= tolerance) {
			t.Errorf("%s: renamed nodes differ by %v", v.label, d)
		}
	}
}

func inverse(name []int32) []int32 {
	back := make([]int32, len(name))
	for i, v := range name {
		back[v] = int32(i)
	}
	return back
}

// TestNoEdges: outputs and derivatives are numbers, and nodes are alone: equal features give equal rows.
func TestNoEdges(t *testing.T) {
	g := build(t, graph.Spec{Nodes: 4, Undirected: true})
	for _, v := range variants {
		for _, norm := range []input.Norm{v.Norm, input.BatchNorm} {
			o := sized(v.Options, 5)
			o.Norm = norm
			m := newModel(t, v.name, o, g)
			x := mat.New(4, 5)
			mat.Fill(x, 0.5)
			checkAlone(t, v.label, m, m.Forward(input.Training(&ad.Clock{}), input.Dense(x)))
		}
	}
}

// checkAlone: the rows of z are equal, and the derivatives of their squares finite.
func checkAlone(t *testing.T, label string, m Model, z ad.Var) {
	t.Helper()
	var vars []ad.Var
	for _, p := range m.Params() {
		vars = append(vars, p.Var)
	}
	grads := ad.Grad(z.Square().Sum(), vars...)
	prog := ad.Compile(append(grads, z)...)
	if err := prog.Run(); err != nil {
		t.Fatal(err)
	}
	rows := prog.Value(z).Slice()
	for i := z.Cols(); i < len(rows); i++ {
		if !(math.Abs(float64(rows[i]-rows[i-z.Cols()])) <= tolerance) {
			t.Fatalf("%s: rows of equal nodes are %v", label, rows)
		}
	}
	for i, p := range m.Params() {
		if d := float64(prog.Value(grads[i]).MaxAbs()); math.IsNaN(d) || math.IsInf(d, 0) {
			t.Errorf("%s: derivative to %s: %v", label, p.Name, d)
		}
	}
}

// TestLargeScores: the softmax of gat does not overflow where its exponents would, nor divides by 0.
func TestLargeScores(t *testing.T) {
	m := newModel(t, "gat", sized(Options{}, 5), testGraph(t, "gat", sameNames()))
	for _, p := range m.Params() {
		mat.Uniform(p.Value(), -300, 300, 1)
	}
	z := m.Forward(input.Evaluation(), input.Dense(features(nodes, 5)))
	for _, v := range append([]ad.Var{z}, ad.Grad(z.Sum(), m.Params()[0].Var)...) {
		if d := float64(ad.Eval(v).MaxAbs()); math.IsNaN(d) || math.IsInf(d, 0) {
			t.Errorf("largest number %v", d)
		}
	}
}

// TestDropout: training follows the epoch at every kind of place, evaluation has none.
func TestDropout(t *testing.T) {
	for _, v := range variants {
		for place, o := range map[string]Options{
			"input": {InputDropout: 0.5}, "hidden": {Dropout: 0.5}, "edges": {EdgeDropout: 0.5},
		} {
			if place == "edges" && !slices.Contains([]string{"gat", "appnp", "fagcn"}, v.name) {
				continue
			}
			if place == "hidden" && v.Layers == 1 && !v.Blocks {
				continue
			}
			with := sized(v.Options, 5)
			with.InputDropout, with.Dropout, with.EdgeDropout = o.InputDropout, o.Dropout, o.EdgeDropout
			m := newModel(t, v.name, with, testGraph(t, v.name, sameNames()))
			x, clock := input.Dense(features(nodes, 5)), &ad.Clock{Seed: 1}
			z := m.Forward(input.Training(clock), x)
			prog := ad.Compile(z)
			at := func(epoch uint64) []mat.Real {
				clock.Epoch = epoch
				if err := prog.Run(); err != nil {
					t.Fatal(err)
				}
				return prog.Value(z).Slice()
			}
			first, second, again := at(1), at(2), at(1)
			if slices.Equal(first, second) || !slices.Equal(first, again) {
				t.Errorf("%s: dropout at %s does not follow the epoch", v.label, place)
			}
		}
	}
}

// TestReplayAllocatesNothing, forwards and backwards.
func TestReplayAllocatesNothing(t *testing.T) {
	for _, v := range variants {
		o := sized(v.Options, 5)
		o.Dropout, o.InputDropout, o.EdgeDropout = 0.3, 0.2, 0.3
		m := newModel(t, v.name, o, testGraph(t, v.name, sameNames()))
		prog := program(m, input.Dense(features(nodes, 5)))
		for range 10 {
			if err := prog.Run(); err != nil {
				t.Fatal(err)
			}
		}
		if n := testing.AllocsPerRun(5, func() { _ = prog.Run() }); n != 0 {
			t.Errorf("%s: %v allocations a run", v.label, n)
		}
	}
}

// TestState: batch norm keeps running statistics, which are in no list of parameters.
func TestState(t *testing.T) {
	for _, name := range []string{"mlp", "gcn", "sage", "gat"} {
		for _, blocks := range []bool{false, true} {
			o := sized(Options{Norm: input.BatchNorm, Blocks: blocks}, 5)
			m := newModel(t, name, o, testGraph(t, name, sameNames()))
			c := input.Training(nil)
			m.Forward(c, input.Dense(features(nodes, 5)))
			want := map[bool]int{false: 2, true: 6}[blocks] // mean and variance of one norm, or of three
			if n := len(m.(input.Stateful).State()); n != want || len(c.Updates.Outputs()) != want {
				t.Errorf("%s, blocks %v: %d numbers and %d updates, want %d", name, blocks, n,
					len(c.Updates.Outputs()), want)
			}
		}
	}
}
