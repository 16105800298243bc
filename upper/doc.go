// Package upper holds the upper level: heads g(h; Θ), which turn embeddings into predictions, and the losses
// ℓ_up that training minimises (eq:BloomGML).
//
//	up := upper.Supervised{
//		Head:      upper.NewLinear("head", 64, 7, seed),
//		Criterion: upper.CrossEntropy,
//		Target:    upper.Target{Class: y, Pick: train},
//	}
//	loss := up.Loss(input.Training(clock), h)
//	logits := up.Head.Predict(input.Evaluation(), h)
//
// Supervised is a loss of a head's predictions for nodes.
package upper
