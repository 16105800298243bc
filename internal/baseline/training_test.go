package baseline

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/input"
	"github.com/bloomgml/bloom/mat"
)

// TestTraining: on a planted partition every model finds the classes of nodes that it was not trained on, most of
// them from features alone and nearly all with the graph.
func TestTraining(t *testing.T) {
	const n, classes = 90, 3
	rng := rand.New(rand.NewPCG(4, 2))
	var list []graph.Triple
	for range 4 * n {
		u := rng.Int32N(n)
		v := u%classes + classes*rng.Int32N(n/classes)
		if rng.Float64() < 0.1 {
			v = rng.Int32N(n)
		}
		list = append(list, graph.Triple{U: u, V: v, R: int32(rng.IntN(2))})
	}
	x := mat.New(n, 6)
	mat.Normal(x, 0, 0.4, 1)
	rows := x.Slice()
	y, train := make([]int32, n), []int32{}
	for v := range y {
		y[v] = int32(v) % classes
		rows[v*6+v%classes]++
		if v%2 == 0 {
			train = append(train, int32(v))
		}
	}
	x.Write(rows)
	for _, v := range variants {
		o := v.Options
		o.In, o.Hidden, o.Out, o.Seed = 6, 16, classes, 1
		spec := graph.Spec{
			Nodes: n, Relations: 2, Triples: list, Undirected: v.name != "rgcn",
			DropDuplicates: true, Loops: graph.DropLoops,
		}
		m, err := New(v.name, o, build(t, spec))
		if err != nil {
			t.Fatal(err)
		}
		want := 0.9
		if v.name == "mlp" {
			want = 0.7
		}
		a := fit(t, m, input.Dense(x), y, train)
		t.Logf("%s: %.2f", v.label, a)
		if a < want {
			t.Errorf("%s: %.2f of the other nodes are right, want %v", v.label, a, want)
		}
	}
}

// fit trains m for some epochs and returns its accuracy on the nodes that are not in train.
func fit(t *testing.T, m Model, x input.Features, y, train []int32) float64 {
	t.Helper()
	c := input.Training(&ad.Clock{})
	loss := m.Forward(c, x).CrossEntropy(mat.MustIndex(y, 3), mat.MustIndex(train, len(y)))
	if a, ok := m.(Auxiliary); ok {
		extra, err := a.Auxiliary(c, x, y, train)
		if err != nil {
			t.Fatal(err)
		}
		loss = loss.Add(extra)
	}
	var vars []ad.Var
	var moments [][2]*mat.Dense
	for _, p := range m.Params() {
		vars = append(vars, p.Var)
		moments = append(moments, [2]*mat.Dense{mat.New(p.Rows(), p.Cols()), mat.New(p.Rows(), p.Cols())})
	}
	grads := ad.Grad(loss, vars...)
	prog := ad.Compile(append(grads, loss)...)
	adam := mat.AdamConfig{Rate: 0.02, Beta1: 0.9, Beta2: 0.999, Eps: 1e-8}
	for epoch := 1; epoch <= 100; epoch++ {
		if err := prog.Run(); err != nil {
			t.Fatal(err)
		}
		for i, p := range m.Params() {
			mat.Adam(p.Value(), moments[i][0], moments[i][1], prog.Value(grads[i]), adam, epoch)
		}
	}
	right, total := 0.0, 0.0
	for v, row := range toTable(ad.Eval(m.Forward(input.Evaluation(), x))) {
		if slices.Contains(train, int32(v)) {
			continue
		}
		total++
		if slices.Index(row, slices.Max(row)) == int(y[v]) {
			right++
		}
	}
	return right / total
}
