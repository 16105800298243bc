// Package path completes knowledge graphs by the paths between entities: it is trained on one graph
// and answers queries (head, relation, ?) about another that shares relations and no entity with it.
//
// A model is the descent of an energy. For the query (head, relation, ?), it sets x, the query's own embedding at the
// head and 0 elsewhere, and every node goes down its own part of the energy while what it receives is held
// (energy.Received),
//
//	f(h_u, h_v; r) = −⟨h_v, m(h̄_u, e_r) Φ⟩      κ(h_v; x_v) = −⟨h_v, x_v Φ⟩ − ⟨h_v, h̄_v Ψ⟩      η = 0
//
// by steps of one algorithm (descent.Rectified) from H⁽⁰⁾ = x, which are the layers, with the same weights in all of
// them:
//
//	h ← h + relu(norm(b − ∇)),  −∇ = a Φ + h Ψ,  a = sum, or PNA, of the messages m(h_u, e_r) and of x_v
//
// The state of node v represents all paths from the head to v. A message is h_u∘e_r (DistMult), h_u + e_r (TransE) or
// h_u turned by e_r (RotatE), and e_r is a vector per relation, free or a linear function of the query. Every edge
// comes with its inverse, whose relation has an embedding of its own, so that (?, relation, tail) is a query too. A
// tail's score is a network of its state and the query.
//
// The field −∇ is the gradient of each node's own part, a game, and not of one function. It is one where Φ and Ψ are
// symmetric and messages of TransE are summed: there it is the paper's (eq: energy_nbf_phi, energy.Path). Model.Lower
// and Model.Algorithm are this definition; what trains and answers is a fused form of it (see pass).
//
//	m, err := path.New(path.Config{}, data.Relations)
//	t, err := path.NewTrainer(m, data.Graph)
//	err = t.Batch(1, 0) // t.Loss, and t.Grads for an optimiser
//	r, err := m.Evaluate(ctx, data.Twin, data.Twin.Test, metric.Candidates{})
//	fmt.Println(metric.MRR(metric.Rankings(r), metric.Pessimistic))
//	answers, err := m.Answers(data.Twin, ranking.Question{End: head, Of: 2 * relation}, 10, 5)
//
// Norm, residual and PNA come from NBFNet; weights that all layers share are the paper's.
//
// Source: NBFNet (Zhu et al. 2021), for everything that the paper does not say.
package path
