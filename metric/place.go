package metric

import (
	"slices"

	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/mat"
)

// Protocol says which entities the true answer of a question is ranked among.
type Protocol string

// The protocols.
const (
	// Full is all entities that are not known to be answers.
	Full Protocol = "full"
	// Sampled50 is 49 entities drawn from those, without the question's own end (GraIL, Teru et al. 2020).
	Sampled50 Protocol = "grail_50"
)

// Candidates are the entities that true answers are ranked among. The zero value is all of them.
type Candidates struct {
	Protocol Protocol // "" means Full
	Seed     uint64   // of Sampled50
	Known    *Known   // answers that are not candidates; nil means none
	// Besides adds to the scores of all entities as answers to a question, in place, before they are ranked.
	Besides func(q Question, scores []mat.Real)
}

// Place counts the candidates above the answer and level with it to the question for one side of a fact. scores has one
// number for every entity. The draw of Sampled50 is a function of Seed and number, which tells questions apart.
//
// NaN counts against the model: a candidate whose score is NaN is above the answer, and all are above an answer whose
// score is.
func (c Candidates) Place(scores []mat.Real, fact graph.Triple, side, number int) Ranking {
	q, answer := QuestionFor(fact, side)
	if c.Besides != nil {
		c.Besides(q, scores)
	}
	own := scores[answer]
	var r Ranking
	if c.Protocol == Sampled50 {
		for _, v := range c.sample(len(scores), q, answer, mat.Mix(c.Seed, uint64(number))) {
			r.count(scores[v], own, 1)
		}
		return r
	}
	for _, x := range scores {
		r.count(x, own, 1)
	}
	r.count(own, own, -1)
	for _, v := range c.Known.AnswersTo(q) {
		if v != answer {
			r.count(scores[v], own, -1)
		}
	}
	return r
}

// count adds by candidates of the same score to the side of own that the score is on.
func (r *Ranking) count(score, own mat.Real, by int) {
	r.Negatives += by
	if score == own {
		r.Equal += by
	} else if !(score < own) { // also where one of them is NaN
		r.Greater += by
	}
}

// sample returns 49 different entities out of n that are neither known answers of q nor its own end; fewer if there are
// not enough.
func (c Candidates) sample(n int, q Question, answer int32, seed uint64) []int32 {
	const wanted = 49
	known := c.Known.AnswersTo(q)
	var list []int32
	add := func(v int32) {
		if _, is := slices.BinarySearch(known, v); !is && v != q.End && v != answer && !slices.Contains(list, v) {
			list = append(list, v)
		}
	}
	for try := uint64(0); try < 50*wanted && len(list) < wanted; try++ {
		add(int32((mat.Mix(seed, try) >> 32) * uint64(n) >> 32))
	}
	for v := int32(0); int(v) < n && len(list) < wanted; v++ {
		add(v)
	}
	return list
}
