package generate

import (
	"math"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/internal/build"
	"github.com/bloomgml/bloom/internal/random"
	"github.com/bloomgml/bloom/internal/solve"
	"github.com/bloomgml/bloom/mat"
)

// smooth has a number per node that is the minimum of an energy, with noise:
//
//	y = h + noise·z,   h = argmin Σ_(u,v)∈E λ/2 (h_u − h_v)² + Σ_v ½ (h_v − ⟨x_v, w⟩)² = (I + λ(D − A))⁻¹ X w
//
// with x_v, z_v and w drawn from N(0, 1), and h divided by its deviation. Nobody can predict y better than h does, with
// the noise as the error; the same ref with noise=0 gives h itself.
var smooth = Generator{
	Name:  "smooth",
	About: "numbers of nodes that minimise a known energy, with unpredictable noise",
	Keys: []key{
		{"nodes", 2000, 4, 1e7, true, "number of nodes"},
		{"degree", 6, 0, 1000, false, "mean degree"},
		{"features", 8, 1, 10000, true, "number of features"},
		{"lambda", 1, 0, 1e6, false, "λ: how much neighbours agree"},
		{"noise", 0.5, 0, 1e6, false, "deviation of the noise; that of h is 1"},
		{"train", 0.4, 0, 0.5, false, "share of the nodes to train on; half of that validates"},
		seedKey,
	},
	make: makeSmooth,
}

func makeSmooth(v values) (*dataset.Dataset, error) {
	n, seed := v.whole("nodes"), v.seed()
	class, m := make([]int32, n), share(v["degree"]/2, n)
	b := joining(random.New(seed, random.Graph), class, m)
	if err := b.drawEdges(build.Range(0, n), m, 0); err != nil {
		return nil, err
	}
	g, err := graph.Build(graph.Spec{Nodes: n, Triples: b.edges, Undirected: true})
	if err != nil {
		return nil, err
	}
	splits, err := stratified(class, seed, v["train"], v["train"]/2, 1-1.5*v["train"])
	if err != nil {
		return nil, err
	}
	x := classFeatures(class, 1, v.whole("features"), 0, 1, seed)
	y := smoothValues(b.edges, x, v["lambda"], seed)
	rng := random.At(seed, random.Features, 2)
	values := make([]mat.Real, n)
	for i := range values {
		values[i] = mat.Real(y[i] + float64(v["noise"]*rng.NormFloat64()))
	}
	return &dataset.Dataset{Graph: g, IDs: dataset.NewIDs(numbered("n", n)), Features: []dataset.Matrix{x},
		Splits: splits, Labels: dataset.Labels{Class: class, Names: []string{"y"}, Task: dataset.Numbers,
			Values: values}, Metric: "rmse"}, nil
}

// smoothValues returns h of the formula, scaled to deviation 1.
func smoothValues(edges []graph.Triple, x dataset.Matrix, lambda float64, seed uint64) []float64 {
	rng := random.At(seed, random.Features, 1)
	w := make([]float64, x.Cols)
	for j := range w {
		w[j] = rng.NormFloat64()
	}
	b := make([]float64, x.Rows)
	for v := range b {
		for j := range w {
			b[v] += float64(w[j] * float64(x.Values[v*x.Cols+j]))
		}
	}
	times := func(q, p []float64) error { // q = (I + λ(D − A)) p
		copy(q, p)
		for _, e := range edges {
			pull := lambda * (p[e.U] - p[e.V])
			q[e.U] += pull
			q[e.V] -= pull
		}
		return nil
	}
	h := make([]float64, len(b))
	// times does not fail, and I + λ(D − A) is positive
	_, _ = solve.NewFloats(len(b), times).Solve(h, b, 1e-12, math.MaxInt)
	mean, square := 0.0, 0.0
	for _, a := range h {
		mean += a / float64(len(h))
	}
	for _, a := range h {
		square += float64((a - mean) * (a - mean))
	}
	sd := math.Sqrt(square / float64(len(h)))
	for v := range h {
		h[v] /= sd
	}
	return h
}
