// Package fact trains, keeps and asks models of knowledge graphs: what package node is for classes of nodes.
//
// Three kinds of models share a run folder, a result and a way to be asked, chosen by the recipe of the config:
// embeddings (package kg), trained with their relations or following from them by descent, models of paths and the
// RefactorGNN baseline (both package path).
//
//	c, err := config.Default("distmult", "fb15k-237")
//	d, err := catalogue.Open("fb15k-237")
//	r, err := fact.Run(ctx, *c, d, fact.Options{Dir: "runs/fb"})
//	fmt.Println(r.Ranking.MRR, r.Ranking.Hits10)
//
//	t, err := fact.Open("runs/fb")
//	answers, err := t.Ask(fact.Question{Head: "/m/027rn", Relation: "/location/country/form_of_government"}, 10)
//
// Facts are ranked filtered, for both of their ends; a Ranking has the realistic rank of ties, and the optimistic and
// the pessimistic one with it.
package fact
