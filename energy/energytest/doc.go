// Package energytest proves a term of an energy with one call:
//
//	func TestMine(t *testing.T) {
//		energytest.EdgeTerm(t, "mine", func() energy.EdgeTerm { return Mine{...} })
//	}
//
// It runs the term on small graphs with everything that breaks terms (self loops, parallel edges, isolated
// nodes, weights, some of them 0, false edges, relations without edges, inverse relations), all with Nodes nodes,
// Relations relations, Features features an edge, and rows of Dim numbers. For an energy it shows that
//
//   - every energy and gradient is finite, for small and large H;
//   - gradient, Hessian product and the derivatives to parameters agree with finite differences, to 1e-7 in
//     the f64 build and loosely in float32;
//   - the Hessian is symmetric, unless nodes hold what they receive (energy.Receiver): then the gradient is compared
//     with
//     differences of each node's own part;
//   - the order of the edges does not matter;
//   - the fused gradient equals the plain one, and so do its derivatives to H and to the parameters;
//   - a term that is a function of the features is the same before and after it is given them;
//   - the curvature it claims is above its Hessian, in the worst direction that a power iteration finds;
//   - steps as long as that curvature allows do not raise the energy;
//   - row v of the gradient depends on v and its neighbours alone.
//
// Parameters are moved away from their initial values, so an identity or a zero hides nothing.
package energytest
