package fact_test

import (
	"context"
	"fmt"

	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/dataset/catalogue"
	"github.com/bloomgml/bloom/task/fact"
)

// Four families are embedded, asked about, and given a child.
func ExampleRun() {
	const data = "family:families=4,twin=0"
	c, err := config.Default("distmult", data)
	if err != nil {
		fmt.Println(err)
		return
	}
	d, err := catalogue.Open(data)
	if err != nil {
		fmt.Println(err)
		return
	}
	r, err := fact.Run(context.Background(), *c, d, fact.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(r.Metric, "above one half:", r.Ranking.MRR > 0.5)

	_, err = fact.Of(r).Ask(fact.Question{Head: "Rosa Archr", Relation: "grandparent_of"}, 3, false)
	fmt.Println(err)

	t, added, err := fact.Of(r).Add([]fact.Fact{{Head: "Zoe", Relation: "child_of", Tail: "Rosa Archer"}},
		fact.Settle{})
	if err != nil {
		fmt.Println(err)
		return
	}
	list, err := fact.Of(r).Recommend("Rosa Archer", 2)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(len(list), "facts to look at")
	answers, err := t.Ask(fact.Question{Relation: "child_of", Tail: "Rosa Archer"}, 1, true)
	fmt.Println(len(added.Newcomers), "added; another child of Rosa Archer is", answers[0].Entity, err)
	// Output:
	// mrr above one half: true
	// no entity "Rosa Archr"; did you mean "Rosa Archer", "Dora Archer" or "Nora Archer"?
	// 2 facts to look at
	// 1 added; another child of Rosa Archer is Zoe <nil>
}
