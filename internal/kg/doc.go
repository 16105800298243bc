// Package kg embeds knowledge graphs: entities h and relations e such that the score s(h_u, e_r, h_v) is large for
// facts u –r→ v and small for other triples.
//
// The same model is trained in two ways. Ordinarily H and E are parameters, moved together batch by batch of facts.
// With Config.Bilevel the relations alone are parameters, and H follows by L steps of descent on the energy of the
// graph with false triples, G ∪ G⁻ (eq:BloomGML_kge_model): an implicit graph neural network. On large graphs entities
// descend block by block.
//
//	c, err := kg.FromConfig(cfg)
//	t, err := kg.NewTrainer(c, d.Graph)               // which package train takes through its epochs
//	r, err := t.Model().Evaluate(d, d.Test, metric.Candidates{})        // filtered ranks, both sides
//	a, err := t.Model().Answers(metric.Question{End: u, Of: 2 * r}, 10)
//	m, _, err := t.Model().Add(names, facts, kg.Settle{})      // entities that training has not seen
//
// A question about heads, (?, r, v), is one about tails under the inverse relation, (v, r⁻¹, ?); see
// energy.QueryModel. Every relation has therefore two rows of operands, of which question 2r is forward and 2r+1 back.
package kg
