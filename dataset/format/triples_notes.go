package format

import (
	"github.com/bloomgml/bloom/graph"
)

// noteUnseen counts the facts with an entity that no training fact has: its number is at least trained.
func (n *names) noteUnseen(split string, facts []graph.Triple, trained int) {
	count := 0
	for _, t := range facts {
		if int(t.U) >= trained || int(t.V) >= trained {
			count++
		}
	}
	if count > 0 {
		n.Note("%d of %d %s triples have an entity that is in no training triple.", count, len(facts), split)
	}
}

// noteRepeats counts duplicate facts, in one file or across files.
func (n *names) noteRepeats(facts [3][]graph.Triple) {
	if graph.NewTripleSet(false, facts[:]...).Len() == len(facts[0])+len(facts[1])+len(facts[2]) {
		return
	}
	split := [3]string{"train", "valid", "test"}
	for i, list := range facts {
		if count := len(list) - graph.NewTripleSet(false, list).Len(); count > 0 {
			n.Note("%d %s triples repeat one of the same file.", count, split[i])
		}
		for j, other := range facts[:i] {
			seen := graph.NewTripleSet(false, other)
			count := 0
			for _, t := range list {
				if seen.Has(t) {
					count++
				}
			}
			if count > 0 {
				n.Note("%d of %d %s triples are in %s too.", count, len(list), split[i], split[j])
			}
		}
	}
}

// noteShared counts the entities that also occur in a twin, which should have none in common.
func (n *names) noteShared(twin *names) {
	shared := 0
	for i := range twin.entities.Len() {
		if _, ok := n.entities.Find(twin.entities.At(int32(i))); ok {
			shared++
		}
	}
	if shared > 0 {
		n.Note("%d entities of the inductive twin are in the training graph too.", shared)
	}
}
