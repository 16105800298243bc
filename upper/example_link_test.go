package upper_test

import (
	"fmt"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/input"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/upper"
)

// Pairs of nodes are scored by their states.
func ExampleNewPairs() {
	h := ad.Const(mat.FromSlice(3, 2, []mat.Real{1, 0, 0, 1, 1, 1}))
	pairs, err := upper.NewPairs([]graph.Triple{{U: 0, V: 2}, {U: 0, V: 1}}, 3)
	if err != nil {
		panic(err)
	}
	score := upper.NewBilinear("m", 2).Score(input.Evaluation(), h.Gather(pairs.U), h.Gather(pairs.V))
	net, err := upper.NewPairMLP(input.MLP{Name: "score", Sizes: []int{2, 4, 1}, Seed: 1})
	if err != nil {
		panic(err)
	}
	fmt.Println(ad.Eval(score).Slice(), net.Score(input.Evaluation(), h.Gather(pairs.U), h.Gather(pairs.V)).Shape())
	// Output: [1 0] 2×1
}

// Facts (u, r, v); an end that is not there is an error.
func ExampleNewTriples() {
	facts, err := upper.NewTriples([]graph.Triple{{U: 0, R: 1, V: 2}}, 3, 2)
	fmt.Println(facts.U.Len(), err)
	_, err = upper.NewTriples([]graph.Triple{{U: 0, R: 2, V: 2}}, 3, 2)
	fmt.Println(err)
	// Output:
	// 1 <nil>
	// upper: relation of triple: position 0: id 2 is not in [0, 2)
}

// A head may be a perceptron, which a descent cannot be exchanged with.
func ExampleNewMLP() {
	head, err := upper.NewMLP(input.MLP{Name: "head", Sizes: []int{4, 8, 3}, Seed: 1})
	if err != nil {
		panic(err)
	}
	_, affine := head.Affine()
	fmt.Println(head.Predict(input.Evaluation(), ad.Const(mat.New(5, 4))).Shape(), affine)
	// Output: 5×3 false
}
