// Package path completes knowledge graphs by the paths between entities: it is trained on one graph
// and answers queries (head, relation, ?) about another that shares relations and no entity with it.
//
// The state of a query at node v stands for all paths from the head to v. Layer by layer, and with the
// same weights in every layer,
//
//	h ← h + relu(norm([h, a] W + b)),  a = aggregate of the messages of all edges (u, r, v) and of x_v
//
// where x is the query's own embedding at the head and 0 elsewhere, a message is h_u∘e_r (DistMult),
// h_u + e_r (TransE) or h_u turned by e_r (RotatE), and e_r is a vector per relation, free or a linear
// function of the query. Every edge comes with its inverse, whose relation has an embedding of its own,
// so that (?, relation, tail) is a query too. A tail's score is a network of its state and the query.
//
//	m, err := path.Train(ctx, path.Config{}, data, nil)
//	r, err := m.Evaluate(ctx, data.Twin, data.Twin.Test, metric.Candidates{})
//	fmt.Println(metric.SampledHits(metric.Rankings(r), 10, 49, metric.Pessimistic))
//	answers, err := m.Query(data.Twin, "Ada Weaver", "grandparent_of", 10)
//
// The layer is the proximal gradient step of the paper's appendix in form: ReLU is the prox of h ≥ 0, W
// stands for Φ and Ψ. Norm, residual and PNA are those of NBFNet, with weights shared between layers.
//
// Source: NBFNet (Zhu et al. 2021), for everything that the paper does not say.
package path
