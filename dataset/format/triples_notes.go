package format

import (
	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/dataset/internal/build"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/internal/intern"
)

// noteUnseen counts the facts with an entity that no training fact has: one whose number is not
// below trained.
func noteUnseen(d *dataset.Dataset, split string, facts []graph.Triple, trained int) {
	n := 0
	for _, t := range facts {
		if int(t.U) >= trained || int(t.V) >= trained {
			n++
		}
	}
	if n > 0 {
		build.Note(d, "%d of %d %s triples have an entity that is in no training triple.", n, len(facts), split)
	}
}

// noteRepeats counts the facts that stand twice, in one file or in two of them.
func noteRepeats(d *dataset.Dataset, facts [3][]graph.Triple) {
	if graph.NewSet(false, facts[:]...).Len() == len(facts[0])+len(facts[1])+len(facts[2]) {
		return
	}
	split := [3]string{"train", "valid", "test"}
	for i, list := range facts {
		if n := len(list) - graph.NewSet(false, list).Len(); n > 0 {
			build.Note(d, "%d %s triples repeat one of the same file.", n, split[i])
		}
		for j, other := range facts[:i] {
			seen := graph.NewSet(false, other)
			n := 0
			for _, t := range list {
				if seen.Has(t) {
					n++
				}
			}
			if n > 0 {
				build.Note(d, "%d of %d %s triples are in %s too.", n, len(list), split[i], split[j])
			}
		}
	}
}

// noteShared counts the entities that are in both of two graphs which should have none in common.
func noteShared(d *dataset.Dataset, a, b *intern.Table) {
	n := 0
	for i := range b.Len() {
		if _, ok := a.Find(b.At(int32(i))); ok {
			n++
		}
	}
	if n > 0 {
		build.Note(d, "%d entities of the inductive twin are in the training graph too.", n)
	}
}
