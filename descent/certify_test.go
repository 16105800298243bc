package descent_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/descent"
	"github.com/bloomgml/bloom/energy"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/mat"
)

// star is a node with three neighbours under λ/2 Σ ‖h_u − h_v‖² + ½ ‖h − π‖²: its curvature is at most 1 + 6λ.
func star(lambda energy.Weight) *energy.Lower {
	g, err := graph.Build(graph.Spec{Nodes: 4, Undirected: true,
		Triples: []graph.Triple{{U: 0, V: 1}, {U: 0, V: 2}, {U: 0, V: 3}}})
	if err != nil {
		panic(err)
	}
	return &energy.Lower{On: energy.NewStructure(g), Pi: ad.Input(mat.FromSlice(4, 1, []mat.Real{8, 0, 0, 4})),
		F:     []energy.EdgeTerm{energy.Laplace(lambda, graph.None)},
		Kappa: []energy.NodeTerm{energy.Anchor(energy.HalfSquared)}}
}

// Training moves λ, and with it the longest step that is certified.
func ExampleCertify() {
	lambda := energy.Trained("λ", 1)
	certified := descent.Certify(descent.Proximal(descent.Fixed(0.25), nil), star(lambda))
	fmt.Println(certified())
	mat.Fill(lambda.Params()[0].Value(), 2) // λ = softplus(2) = 2.13
	var long *descent.StepTooLong
	fmt.Println(errors.As(certified(), &long))
	fmt.Printf("%.3f is beyond %.3f\n", long.Gamma, long.Limit)
	// Output:
	// <nil>
	// true
	// 0.250 is beyond 0.145
}

// TestCertify: what follows the bound, or is not held to one, stays certified whatever λ becomes; a number does
// not, unless σ follows the bound and γ is at most half of what it may be.
func TestCertify(t *testing.T) {
	for _, x := range []struct {
		a  descent.Algorithm
		ok bool
	}{
		{descent.Proximal(descent.Fixed(0.25), nil), false},
		{descent.Momentum(descent.Fixed(0.25), nil, 0.3), false},
		{descent.HeavyBall(descent.Fixed(0.25), nil, 0.3), false},
		{descent.Nesterov(descent.Fixed(0.14), nil, 0), false},
		{descent.Proximal(descent.Fixed(0.25), descent.InverseDegree), false},
		{descent.Proximal(nil, descent.Degree), true},
		{descent.Proximal(descent.Fixed(1), descent.Held(descent.Degree)), true},
		{descent.Proximal(descent.Fixed(1.05), descent.Degree), false},
		{descent.Nesterov(descent.Fixed(0.55), descent.Degree, 0), false},
		{descent.Proximal(descent.Safe, nil), true},
		{descent.Proximal(descent.Forced(5), nil), true},
		{descent.Adam(descent.Fixed(5), nil, 0.9, 0.999), true},
	} {
		lambda := energy.Trained("λ", 1)
		l := star(lambda)
		if err := descent.Check(x.a, l); err != nil {
			t.Errorf("%+v: %v", x.a, err)
		}
		certified := descent.Certify(x.a, l)
		if certified == nil {
			if !x.ok {
				t.Errorf("%+v is never asked", x.a)
			}
			continue
		}
		for _, theta := range []mat.Real{-3, 30} {
			mat.Fill(lambda.Params()[0].Value(), theta)
			err := certified()
			if long := (*descent.StepTooLong)(nil); errors.As(err, &long) != (!x.ok && theta > 0) {
				t.Errorf("%+v, θ = %g: %v", x.a, theta, err)
			}
		}
	}
}
