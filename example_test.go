package bloom_test

import (
	"fmt"

	"github.com/bloomgml/bloom"
	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/descent"
	"github.com/bloomgml/bloom/energy"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/input"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/upper"
)

// Two triangles joined by an edge; one label in each, and features that say nothing but for the labelled nodes.
func Example() {
	g, err := graph.Build(graph.Spec{Nodes: 6, Undirected: true, Triples: []graph.Triple{
		{U: 0, V: 1}, {U: 1, V: 2}, {U: 0, V: 2}, {U: 3, V: 4}, {U: 4, V: 5}, {U: 3, V: 5}, {U: 2, V: 3}}})
	check(err)
	labels, err := mat.NewIndex([]int32{0, 0, 0, 1, 1, 1}, 2)
	check(err)
	known, err := mat.NewIndex([]int32{0, 5}, 6)
	check(err)
	x := mat.FromSlice(6, 2, []mat.Real{1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1})

	// f = log cosh(h_u − h_v), a term of our own; κ = ½‖h − π(x; W)‖²; A = proximal gradient; L = 8
	logcosh := energy.OnEdges(energy.LogCosh, func(e energy.Edges) ad.Var { return e.U.Sub(e.V) })
	m := &bloom.Model{
		Pi:    input.NewLinear("pi", 2, 4, 1),
		F:     []energy.EdgeTerm{energy.WeightedEdges(energy.Trained("λ", 1), logcosh)},
		Kappa: []energy.NodeTerm{energy.Anchor(energy.HalfSquared)},
		A:     descent.Proximal(descent.Fixed(0.2), nil), L: 8,
		Up: upper.Supervised{Head: upper.NewLinear("head", 4, 2, 2), Criterion: upper.CrossEntropy,
			Target: upper.Target{Class: labels, Pick: known}},
	}
	data := bloom.Data{On: energy.NewStructure(g), X: input.Dense(x)}
	fit(m, data, 100)

	y, err := m.Predict(input.Evaluation(), data)
	check(err)
	p := ad.Eval(y.Softmax()).Slice()
	for v := range 6 {
		fmt.Print(p[2*v] > p[2*v+1], " ")
	}
	// Output: true true true false false false
}

// fit minimises the loss by Adam.
func fit(m *bloom.Model, d bloom.Data, epochs int) {
	loss, err := m.Loss(input.Training(&ad.Clock{}), d)
	check(err)
	var vars []ad.Var
	var moments [][2]*mat.Dense
	for _, p := range m.Params() {
		vars = append(vars, p.Var)
		moments = append(moments, [2]*mat.Dense{mat.New(p.Rows(), p.Cols()), mat.New(p.Rows(), p.Cols())})
	}
	grads := ad.Grad(loss, vars...)
	prog := ad.Compile(append(grads, loss)...)
	for t := range epochs {
		check(prog.Run())
		for i, p := range m.Params() {
			mat.Adam(p.Value(), moments[i][0], moments[i][1], prog.Value(grads[i]),
				mat.AdamConfig{Rate: 0.05, Beta1: 0.9, Beta2: 0.999, Eps: 1e-8}, t+1)
		}
	}
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
