// Package pair learns which nodes of a graph are joined: link prediction on any graph, with features or without, from
// the embeddings of a recipe for nodes. A pair scores
//
//	z = g(h_u ∘ h_v)        h = H⁽ᴸ⁾ of the recipe's descent on ℓ_low
//
// with a perceptron g, or ⟨h_u, h_v⟩ where model.after is 0. Columns of a pair may be added: what its
// neighbours have in common (pairs.common), and how alike features are (pairs.alike). Its probability is 1/(1 + e^−z),
// trained by binary cross-entropy against pairs that are not joined.
//
// Edges that choose and test are held out of the graph. Of the others an epoch predicts one part after another, by
// messages along the rest: no edge has a say in its own prediction.
//
//	result, err := pair.Run(ctx, cfg, data, train.Options{Dir: "runs/links"})
//	t, err := pair.Open("runs/links")
//	list, err := t.Recommend("ann", 10)
package pair
