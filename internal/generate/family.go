package generate

import (
	"math/rand/v2"

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
// and child_of, grandchild_of, nephew_or_niece_of are the inverses; spouse_of, sibling_of and cousin_of are symmetric.
// The training graph has all facts about parents, children and spouses. Of the derived facts the share held is taken
// out, half of it to validate and half to test, always together with the inverse: each follows from the training graph
// by the rules, and none by turning a triple round. The twin has other families, other people and the same relations.
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

// makePeople makes a link set of the families first ≤ f < first+count. Every family has random numbers of its own.
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

// people are numbered from 0; couples have children.
type people struct {
	names   []string
	couples []couple
}

// couple is two people with their children.
type couple struct {
	adults   [2]int32
	children []int32
}

// grow adds family f. Of the children who are not of the last generation three in four marry.
func (p *people) grow(rng *rand.Rand, f, generations, most int) {
	given := rng.Perm(len(givenNames))
	born := 0
	add := func() int32 {
		p.names = append(p.names, personName(given, born, f))
		born++
		return int32(len(p.names) - 1)
	}
	marry := []int32{add()}
	for range generations - 1 {
		var next []int32
		for _, adult := range marry {
			c := couple{adults: [2]int32{adult, add()}}
			for range 2 + rng.IntN(most-1) {
				child := add()
				c.children = append(c.children, child)
				if rng.IntN(4) > 0 {
					next = append(next, child)
				}
			}
			p.couples = append(p.couples, c)
		}
		marry = next
	}
}

// told returns the facts that follow from no others: parents and spouses. Of a fact and its inverse
// one is listed, here and below.
func (p *people) told() []graph.Triple {
	var facts []graph.Triple
	for _, c := range p.couples {
		facts = append(facts, graph.Triple{U: c.adults[0], R: spouseOf, V: c.adults[1]})
		for _, child := range c.children {
			for _, adult := range c.adults {
				facts = append(facts, graph.Triple{U: adult, R: parentOf, V: child})
			}
		}
	}
	return facts
}

// derived returns the facts that follow from those about parents.
func (p *people) derived() []graph.Triple {
	children := make([][]int32, len(p.names))
	for _, c := range p.couples {
		children[c.adults[0]], children[c.adults[1]] = c.children, c.children
	}
	var facts []graph.Triple
	add := func(u, r, v int32) { facts = append(facts, graph.Triple{U: u, R: r, V: v}) }
	for _, c := range p.couples {
		for i, a := range c.children {
			for _, child := range children[a] {
				add(c.adults[0], grandparentOf, child)
				add(c.adults[1], grandparentOf, child)
			}
			for _, b := range c.children[i+1:] {
				add(a, siblingOf, b)
				for _, child := range children[b] {
					add(a, uncleOf, child)
				}
				for _, child := range children[a] {
					add(b, uncleOf, child)
					for _, other := range children[b] {
						add(child, cousinOf, other)
					}
				}
			}
		}
	}
	return facts
}

// personName returns the name of person i of family f, given being an order of the given names. No two
// people have the same: after the given names come initials, after the family names double ones.
func personName(given []int, i, f int) string {
	name := givenNames[given[i%len(given)]]
	if i >= len(given) {
		name += " " + string(rune('A'+i/len(given)-1)) + "."
	}
	s := len(familyNames)
	name += " " + familyNames[f%s]
	if f >= s {
		name += "-" + familyNames[f/s-1]
	}
	return name
}

var givenNames = []string{
	"Ada", "Ben", "Cleo", "Dan", "Eva", "Finn", "Gita", "Hugo", "Ines", "Jan", "Kira", "Leo", "Mina", "Noah", "Olga",
	"Paul", "Quinn", "Rosa", "Sven", "Tara", "Udo", "Vera", "Wim", "Xenia", "Yara", "Zeno", "Alma", "Boris", "Cora",
	"Dora", "Emil", "Flora", "Georg", "Hana", "Ivan", "Juna", "Karl", "Lena", "Max", "Nora", "Otto", "Pia", "Ruth",
	"Simon", "Tom", "Ursula", "Victor", "Wanda",
}

var familyNames = []string{
	"Archer", "Baker", "Carter", "Dyer", "Evers", "Fisher", "Gardner", "Hunter", "Ivory", "Joiner", "Keller", "Lamb",
	"Mason", "Naylor", "Ostler", "Potter", "Quarry", "Reeve", "Sawyer", "Tanner", "Usher", "Vintner", "Weaver",
	"Yeoman", "Abbott", "Brewer", "Cooper", "Draper", "Fletcher", "Glover", "Harper", "Ironside", "Kemp", "Miller",
	"Parker", "Ryder", "Skinner", "Thatcher", "Turner", "Wainwright",
}
