package generate

import (
	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/internal/random"
)

// family is a knowledge graph of families that keep to rules. Every family descends from one
// couple; most children marry somebody from outside and have children of their own. A triple reads
// from left to right: (Ada Weaver, parent_of, Tom Weaver). With x –r→ y for the fact,
//
//	x –sibling_of→ y        where x ≠ y and some p –parent_of→ x, p –parent_of→ y
//	x –grandparent_of→ y    where x –parent_of→ p –parent_of→ y
//	x –uncle_or_aunt_of→ y  where x –sibling_of→ p –parent_of→ y
//	x –cousin_of→ y         where x –child_of→ p –sibling_of→ q –parent_of→ y
//
// and child_of, grandchild_of, nephew_or_niece_of are the inverses; spouse_of, sibling_of and
// cousin_of are symmetric. The training graph has all facts about parents, children and spouses. Of
// the derived facts the share held is taken out, half of it to validate and half to test, always
// together with the inverse: each follows from the training graph by the rules, and none by turning
// a triple round. The twin has other families, other people and the same relations.
var family = Generator{
	Name:  "family",
	About: "a knowledge graph of families with kinship rules, and a second one of other people",
	Keys: []key{
		{"families", 20, 1, 1000, true, "families of the training graph"},
		{"twin", 10, 0, 500, true, "families of the inductive twin; 0 for none"},
		{"generations", 4, 3, 5, true, "generations of a family"},
		{"children", 3, 2, 5, true, "largest number of children of a couple; the smallest is two"},
		{"held", 0.3, 0, 0.9, false, "share of the derived facts held out"},
		seedKey,
	},
	make: makeFamilies,
}

// The relations of family, in this order.
const (
	parentOf int32 = iota
	childOf
	spouseOf
	siblingOf
	grandparentOf
	grandchildOf
	uncleOf
	nephewOf
	cousinOf
)

var kinship = []string{
	"parent_of", "child_of", "spouse_of", "sibling_of", "grandparent_of", "grandchild_of",
	"uncle_or_aunt_of", "nephew_or_niece_of", "cousin_of",
}

// kinInverse is the relation that says the same with the ends exchanged.
var kinInverse = []int32{childOf, parentOf, spouseOf, siblingOf, grandchildOf, grandparentOf, nephewOf, uncleOf,
	cousinOf}

func makeFamilies(v values) (*dataset.Dataset, error) {
	d, err := makePeople(v, 0, v.whole("families"))
	if err != nil || v.whole("twin") == 0 {
		return d, err
	}
	if d.Twin, err = makePeople(v, v.whole("families"), v.whole("twin")); err != nil {
		return nil, err
	}
	d.Twin.Name = "twin"
	return d, nil
}

// makePeople makes a link set of the families first ≤ f < first+count. Every family has random
// numbers of its own.
func makePeople(v values, first, count int) (*dataset.Dataset, error) {
	var all people
	for f := first; f < first+count; f++ {
		rng := random.At(v.seed(), random.Graph, f)
		all.grow(rng, f, v.whole("generations"), v.whole("children"))
	}
	derived := all.derived()
	random.Shuffle(random.At(v.seed(), random.Splits, first), derived)
	half := share(v["held"]/2, len(derived))
	train := bothWays(append(all.told(), derived[2*half:]...))
	g, err := graph.Build(graph.Spec{Nodes: len(all.names), Relations: len(kinship), Triples: train})
	if err != nil {
		return nil, err
	}
	return &dataset.Dataset{
		Graph: g, IDs: dataset.NewIDs(all.names), Relations: kinship, Metric: "hits@10_50",
		Valid: bothWays(derived[:half]), Test: bothWays(derived[half : 2*half]),
	}, nil
}

// bothWays joins every fact by its inverse.
func bothWays(facts []graph.Triple) []graph.Triple {
	both := make([]graph.Triple, 0, 2*len(facts))
	for _, f := range facts {
		both = append(both, f, graph.Triple{U: f.V, R: kinInverse[f.R], V: f.U})
	}
	return both
}
