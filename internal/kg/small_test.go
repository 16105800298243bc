package kg

import (
	"fmt"
	"math"
	"testing"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/energy"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/metric"
	"github.com/bloomgml/bloom/optim"
)

// seed is what all random graphs here are drawn by.
const seed = 7

// models are all scores, with the dimension that the tests use.
var models = []energy.QueryModel{
	energy.DistMult, energy.ComplEx, energy.TransE(energy.NormSquared, 0), energy.TransE(energy.NormL2, 0.05),
	energy.RotatE(energy.NormSquared, 0), energy.RotatE(energy.NormL2, 0.05),
}

// smallGraph has n entities and m different facts of r relations.
func smallGraph(t testing.TB, n, r, m int) *graph.Graph {
	t.Helper()
	have := map[graph.Triple]bool{}
	var list []graph.Triple
	for i := uint64(0); len(list) < m; i++ {
		x := graph.Triple{U: int32(mat.Mix(seed, 3*i) % uint64(n)), R: int32(mat.Mix(seed, 3*i+1) % uint64(r)),
			V: int32(mat.Mix(seed, 3*i+2) % uint64(n))}
		if !have[x] {
			have[x] = true
			list = append(list, x)
		}
	}
	g, err := graph.Build(graph.Spec{Nodes: n, Relations: r, Triples: list})
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// smallData is smallGraph with named entities and relations, and some of its facts for validation and test.
func smallData(t testing.TB, n, r, m int) *dataset.Dataset {
	t.Helper()
	facts := smallGraph(t, n, r, m).Triples()
	k := m * 8 / 10
	g, err := graph.Build(graph.Spec{Nodes: n, Relations: r, Triples: facts[:k]})
	if err != nil {
		t.Fatal(err)
	}
	d := &dataset.Dataset{Name: "small", Graph: g, Valid: facts[k : k+m/10], Test: facts[k+m/10:], Metric: "mrr"}
	var names []string
	for v := range n {
		names = append(names, fmt.Sprintf("entity%02d", v))
	}
	d.IDs = dataset.NewIDs(names)
	for i := range r {
		d.Relations = append(d.Relations, fmt.Sprintf("relation%d", i))
	}
	return d
}

// naive is a model number by number in float64.
type naive struct {
	c    Config
	h, e []float64
}

func naiveOf(m *Model) naive {
	return naive{m.Config, floats(m.H.Value()), floats(m.E.Value())}
}

func floats(m *mat.Dense) []float64 {
	var out []float64
	for _, x := range m.Slice() {
		out = append(out, float64(x))
	}
	return out
}

// fact is the score of (u, r, v) by the formulas of the paper.
func (n naive) fact(u, r, v int32) float64 {
	d := n.c.Dim
	w := n.c.Model.Width(d)
	return n.score(n.h[int(u)*d:int(u+1)*d], n.e[int(r)*w:int(r+1)*w], n.h[int(v)*d:int(v+1)*d])
}

// answer is the score of an answer to a question.
func (n naive) answer(q metric.Question, x int32) float64 {
	if q.Of%2 == 0 {
		return n.fact(q.End, q.Of/2, x)
	}
	return n.fact(x, q.Of/2, q.End)
}

func (n naive) score(u, e, v []float64) float64 {
	k, s := len(u)/2, 0.0
	c := n.c.Model.Compare()
	switch energy.NameOf(n.c.Model) {
	case "DistMult":
		for i := range u {
			s += u[i] * e[i] * v[i]
		}
		return s + n.c.Margin
	case "ComplEx":
		for i := range k {
			z := complex(u[i], u[k+i]) * complex(e[i], e[k+i]) * complex(v[i], -v[k+i])
			s += real(z)
		}
		return s + n.c.Margin
	case "TransE":
		var squares []float64
		for i := range u {
			z := u[i] + e[i] - v[i]
			squares = append(squares, z*z)
		}
		return n.c.Margin - distance(squares, c.Norm, c.Eps)
	case "RotatE":
		var squares []float64
		for i := range k {
			z := complex(u[i], u[k+i])*complex(math.Cos(e[i]), math.Sin(e[i])) - complex(v[i], v[k+i])
			squares = append(squares, real(z)*real(z)+imag(z)*imag(z))
		}
		return n.c.Margin - distance(squares, c.Norm, c.Eps)
	}
	panic("no such model")
}

func distance(squares []float64, norm energy.Distance, eps float64) float64 {
	sum := 0.0
	for _, x := range squares {
		sum += x
	}
	if norm == energy.NormL2 {
		return math.Sqrt(sum + eps)
	}
	return sum
}

// compare checks a compiled loss and its derivatives to H and E against f. Tolerances allow for the rounding of
// float32; f is in double precision, where differences of 1e-5 are right to about 1e-9.
func compare(t *testing.T, m *Model, loss ad.Var, f func(naive) float64) {
	t.Helper()
	grads := ad.Grad(loss, m.H.Var, m.E.Var)
	prog := ad.Compile(append([]ad.Var{loss}, grads...)...)
	if err := prog.Run(); err != nil {
		t.Fatal(err)
	}
	n := naiveOf(m)
	got, want := float64(prog.Value(loss).Item()), f(n)
	if math.Abs(got-want) > 2e-5*(1+math.Abs(want)) {
		t.Fatalf("loss %v, want %v", got, want)
	}
	const h, tolerance = 1e-5, 2e-3
	for i, x := range [][]float64{n.h, n.e} {
		for j, got := range prog.Value(grads[i]).Slice() {
			at := x[j]
			x[j] = at + h
			up := f(n)
			x[j] = at - h
			want := (up - f(n)) / (2 * h)
			x[j] = at
			if math.Abs(float64(got)-want) > tolerance*(0.1+math.Abs(want)) {
				t.Fatalf("derivative %d to number %d is %v, want %v", i, j, got, want)
			}
		}
	}
}

// fit trains c on the graph of d, at a rate that falls from 0.05 to 0: by Adagrad where batches share false answers,
// else by Adam.
func fit(t testing.TB, c Config, d *dataset.Dataset, epochs int) *Model {
	t.Helper()
	tr, err := NewTrainer(c, d.Graph)
	if err != nil {
		t.Fatal(err)
	}
	how := optim.Config{Rate: 0.05, Schedule: "linear"}
	if c.Negatives.Shared > 0 {
		how.Rule = "adagrad"
	}
	o, err := optim.New(how, tr.Params(), tr.Rows())
	if err != nil {
		t.Fatal(err)
	}
	for epoch := range epochs {
		for i := range tr.Batches() {
			if err := tr.Batch(1+epoch, i); err != nil {
				t.Fatal(err)
			}
			o.Step(tr.Grads(), o.RateAt(float64(epoch)+float64(i)/float64(tr.Batches()), epochs))
		}
	}
	if err := tr.Embed(); err != nil {
		t.Fatal(err)
	}
	m := tr.Model()
	m.Entities, m.Relations = d.IDs, d.Relations
	return m
}
