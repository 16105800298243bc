package dataset

import (
	"fmt"

	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/internal/intern"
)

// note adds a sentence about what was dropped, filled or odd.
func (d *Dataset) note(format string, args ...any) {
	d.Notes = append(d.Notes, fmt.Sprintf(format, args...))
}

// noteUnseen counts the facts with an entity that no training fact has: one whose number is not
// below trained.
func (d *Dataset) noteUnseen(split string, facts []graph.Triple, trained int) {
	n := 0
	for _, t := range facts {
		if int(t.U) >= trained || int(t.V) >= trained {
			n++
		}
	}
	if n > 0 {
		d.note("%d of %d %s triples have an entity that is in no training triple.", n, len(facts), split)
	}
}

// noteRepeats counts the facts that stand twice, in one file or in two of them.
func (d *Dataset) noteRepeats(facts [3][]graph.Triple) {
	if graph.NewSet(false, facts[:]...).Len() == len(facts[0])+len(facts[1])+len(facts[2]) {
		return
	}
	split := [3]string{"train", "valid", "test"}
	for i, list := range facts {
		if n := len(list) - graph.NewSet(false, list).Len(); n > 0 {
			d.note("%d %s triples repeat one of the same file.", n, split[i])
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
				d.note("%d of %d %s triples are in %s too.", n, len(list), split[i], split[j])
			}
		}
	}
}

// noteShared counts the entities that are in both of two graphs which should have none in common.
func (d *Dataset) noteShared(a, b *intern.Table) {
	n := 0
	for i := range b.Len() {
		if _, ok := a.Find(b.At(int32(i))); ok {
			n++
		}
	}
	if n > 0 {
		d.note("%d entities of the inductive twin are in the training graph too.", n)
	}
}
