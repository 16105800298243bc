package descent_test

import (
	"errors"
	"fmt"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/descent"
	"github.com/bloomgml/bloom/energy"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/mat"
)

// Sign is a new algorithm: every entry moves by γ against the sign of its averaged gradient (Lion).
//
//	H ← prox( H − γ sign(βs + (1−β)∇) )        s ← βs + (1−β)∇
type Sign struct{ Gamma, Beta float64 }

func (a Sign) Start(h0 ad.Var) descent.State {
	return descent.State{H: h0, S: []ad.Var{ad.Fill(h0.Shape(), 0)}}
}

func (a Sign) Step(l *energy.Lower, s descent.State) descent.State {
	m := s.S[0].Scale(a.Beta).Add(l.Grad(s.H).Scale(1 - a.Beta))
	sign := ad.Grad(m.Map("abs", 0).Sum(), m)[0]
	h := l.Prox(s.H.Sub(sign.Scale(a.Gamma)), ad.Number(a.Gamma))
	return descent.State{H: h, S: []ad.Var{m}, Layer: s.Layer + 1}
}

// A new algorithm has a Start and a Step; gradients come from the energy, and derivatives through its layers from
// package ad.
func ExampleAlgorithm() {
	g, _ := graph.Build(graph.Spec{Nodes: 3, Undirected: true, Triples: []graph.Triple{{U: 0, V: 1}, {U: 1, V: 2}}})
	pi := ad.Input(mat.FromSlice(3, 1, []mat.Real{0, 3, 6}))
	l := &energy.Lower{On: energy.NewStructure(g), Pi: pi,
		F:     []energy.EdgeTerm{energy.Laplace(energy.Fixed(1), graph.None)},
		Kappa: []energy.NodeTerm{energy.Anchor(energy.HalfSquared)}}
	for _, layers := range []int{0, 4, 8} {
		h := descent.Run(Sign{Gamma: 0.25}, l, pi, layers).H
		fmt.Printf("%d layers: H = %v, energy %v\n", layers, ad.Eval(h).Slice(), ad.Eval(l.Smooth(h)).Item())
	}
	// Output:
	// 0 layers: H = [0 3 6], energy 9
	// 4 layers: H = [1 3 5], energy 5
	// 8 layers: H = [1.5 3 4.5], energy 4.5
}

// With Safe steps and Jacobi's preconditioner the energy falls at every layer, whatever λ and the degrees are.
func ExampleProximal() {
	g, _ := graph.Build(graph.Spec{Nodes: 4, Undirected: true,
		Triples: []graph.Triple{{U: 0, V: 1}, {U: 0, V: 2}, {U: 0, V: 3}}})
	pi := ad.Input(mat.FromSlice(4, 1, []mat.Real{8, 0, 0, 4}))
	l := &energy.Lower{On: energy.NewStructure(g), Pi: pi,
		F:     []energy.EdgeTerm{energy.Laplace(energy.Fixed(1), graph.None)},
		Kappa: []energy.NodeTerm{energy.Anchor(energy.HalfSquared)}}
	a := descent.Proximal(descent.Safe, descent.Degree)
	if err := descent.Check(a, l); err != nil {
		fmt.Println(err)
	}
	for layers := range 4 {
		h := descent.Run(a, l, pi, layers).H
		fmt.Printf("layer %d: energy %.3f\n", layers, ad.Eval(l.Smooth(h)).Item())
	}
	// A step that is too long is refused before anything runs.
	var long *descent.StepTooLong
	fmt.Println(errors.As(descent.Check(descent.Proximal(descent.Fixed(0.5), nil), l), &long))
	fmt.Printf("%.4f is beyond %.4f\n", long.Gamma, long.Limit)
	// Output:
	// layer 0: energy 72.000
	// layer 1: energy 18.122
	// layer 2: energy 16.890
	// layer 3: energy 16.500
	// true
	// 0.5000 is beyond 0.2857
}

// An algorithm says what a node does, with the prox of η around it.
func ExampleTextOf() {
	a := descent.Momentum(descent.Fixed(0.5), descent.Degree, 0.9)
	text := descent.TextOf(a, "max(0, %s)")
	fmt.Println(text.Name, text.Lines)
	gamma, sigma := descent.Pace(a)
	fmt.Println(gamma, sigma == descent.Degree, descent.Certified(a))
	fmt.Println(descent.TextOf(descent.Sign(descent.Safe, nil), "").Lines)
	// Output:
	// momentum [s_v ← β s_v + (1−β) σ_v g_v h_v ← max(0, h_v − γ s_v)]
	// 0.5 true true
	// [h_v ← h_v − γ sign(g_v)]
}

// Held passes nothing back: λ is trained as if σ = 1/(1 + λd), here 1/3, did not depend on it.
func ExampleHeld() {
	g, _ := graph.Build(graph.Spec{Nodes: 2, Undirected: true, Triples: []graph.Triple{{U: 0, V: 1}}})
	lambda := energy.Trained("λ", 2)
	l := &energy.Lower{On: energy.NewStructure(g),
		F:     []energy.EdgeTerm{energy.Laplace(lambda, graph.None)},
		Kappa: []energy.NodeTerm{energy.Anchor(energy.HalfSquared)}}
	for _, sigma := range []descent.Preconditioner{descent.Degree, descent.Held(descent.Degree)} {
		s := sigma.Sigma(l, ad.Var{})
		fmt.Printf("%.3f %.3f\n", ad.Eval(s).Slice(), ad.Eval(ad.Grad(s.Sum(), lambda.Params()[0].Var)[0]).Item())
	}
	gamma := descent.HeldStep(descent.Safe).Gamma(l, ad.Number(1), descent.State{})
	fmt.Printf("%.3f %.3f\n", ad.Eval(gamma).Item(), ad.Eval(ad.Grad(gamma, lambda.Params()[0].Var)[0]).Item())
	// Output:
	// [0.333 0.333] -0.192
	// [0.333 0.333] 0.000
	// 0.200 0.000
}

// The first step of AdaGrad has the length γ whatever the gradient, here 3; a large ε makes it shorter.
func ExampleWithEps() {
	g, _ := graph.Build(graph.Spec{Nodes: 1})
	pi := ad.Const(mat.FromSlice(1, 1, []mat.Real{3}))
	l := &energy.Lower{On: energy.NewStructure(g), Pi: pi, Kappa: []energy.NodeTerm{energy.Anchor(energy.HalfSquared)}}
	plain := descent.AdaGrad(descent.Fixed(0.5), nil)
	for _, a := range []descent.Algorithm{plain, descent.WithEps(plain, 1)} {
		alone, _ := descent.Looks(a)
		fmt.Printf("%.3f %v\n", ad.Eval(descent.Run(a, l, ad.Number(0), 1).H).Item(), alone)
	}
	// Output:
	// 0.500 true
	// 0.375 true
}

// A step of path models adds the positive part of the normalised gradient.
func ExampleRectify() {
	h, downhill := mat.FromSlice(1, 2, []mat.Real{5, 5}), mat.FromSlice(1, 2, []mat.Real{-300, 300})
	fmt.Printf("%.3f\n", ad.Eval(descent.Rectify(ad.Const(h), ad.Const(downhill), nil, nil, nil)).Slice())
	// Output: [5.000 6.000]
}
