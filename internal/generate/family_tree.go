package generate

import (
	"math/rand/v2"

	"github.com/bloomgml/bloom/graph"
)

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
