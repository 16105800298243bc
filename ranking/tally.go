package ranking

import (
	"slices"

	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/mat"
)

// Tally is a Ranking while candidates are counted, some entities at a time: Own is told the scores of all of them, and
// then Count, in pieces of any size and order.
type Tally struct {
	Ranking
	answer int32
	own    mat.Real
	known  []int32 // no candidates, ascending
	drawn  []int32 // the only candidates of Sampled50
	some   bool    // they are drawn
}

// Tally begins to count for the question about one side of a fact, among n entities; for number see Place.
func (c Candidates) Tally(n int, fact graph.Triple, side, number int) Tally {
	q, answer := Ask(fact, side)
	t := Tally{answer: answer, some: c.Protocol == Sampled50}
	if t.some {
		t.drawn = c.draw(n, q, answer, mat.Mix(c.Seed, uint64(number)))
	} else {
		t.known = c.Known.of(q)
	}
	return t
}

// Own takes the score of the answer where it is among those of entities first, first + 1, ….
func (t *Tally) Own(first int32, scores []mat.Real) {
	if i := int(t.answer) - int(first); i >= 0 && i < len(scores) {
		t.own = scores[i]
	}
}

// Count counts those of entities first, first + 1, … that are candidates.
func (t *Tally) Count(first int32, scores []mat.Real) {
	if t.some {
		t.list(first, scores, t.drawn, 1)
		return
	}
	for _, x := range scores {
		t.count(x, t.own, 1)
	}
	t.Negatives += len(scores)
	t.list(first, scores, []int32{t.answer}, -1)
	from, _ := slices.BinarySearch(t.known, first)
	to, _ := slices.BinarySearch(t.known, first+int32(len(scores)))
	for _, v := range t.known[from:to] {
		if v != t.answer {
			t.list(first, scores, []int32{v}, -1)
		}
	}
}

// list adds by for each of some entities that scores are about.
func (t *Tally) list(first int32, scores []mat.Real, entities []int32, by int) {
	for _, v := range entities {
		if i := int(v) - int(first); i >= 0 && i < len(scores) {
			t.Negatives += by
			t.count(scores[i], t.own, by)
		}
	}
}
