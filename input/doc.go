// Package input holds the input models π(x; W), which turn the features of nodes into the embeddings that the lower
// level pulls at.
//
// A Model is built once, with its parameters, from a seed. Forward builds its expression, as often as needed: in
// training with dropout and the statistics of the batch, in evaluation without.
//
//	pi, err := input.NewMLP(input.MLP{Name: "pi", Sizes: []int{1433, 64}, Dropout: 0.5, Seed: 1})
//	train := input.Training(clock)
//	p := pi.Forward(train, input.Sparse(words, nil))    // sparse up to the first layer's gradient
//	test := pi.Forward(input.Evaluation(), input.Sparse(words, nil))
//
// A model has no side effects: the running statistics of batch norm are collected in train.Updates, and the caller
// applies them.
package input
