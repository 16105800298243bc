package metric

import (
	"cmp"
	"slices"

	"github.com/bloomgml/bloom/graph"
)

// Question asks for the other end of a fact u –r→ v: (End, Of, ?). Of is 2r for the tail, (u, r, ?), and 2r+1 for the
// head, (v, r⁻¹, ?).
type Question struct{ End, Of int32 }

// QuestionFor returns the question for the tail (side 0) or the head (side 1) of a fact, and its answer.
func QuestionFor(t graph.Triple, side int) (q Question, answer int32) {
	if side == 0 {
		return Question{t.U, 2 * t.R}, t.V
	}
	return Question{t.V, 2*t.R + 1}, t.U
}

// Questions returns the questions for the tail and for the head of every fact, one after the other.
func Questions(facts []graph.Triple) []Question {
	list := make([]Question, 2*len(facts))
	for i := range list {
		list[i], _ = QuestionFor(facts[i/2], i%2)
	}
	return list
}

// Known holds facts by question: answers that a filtered rank does not count as mistakes. It does not change, and may
// be read by many at once.
type Known struct {
	asked   []Question
	start   []int // the answers of asked[i] are answers[start[i]:start[i+1]]
	answers []int32
}

// NewKnown returns the facts of all lists, which may have duplicates.
func NewKnown(lists ...[]graph.Triple) *Known {
	type answered struct {
		Question
		answer int32
	}
	var all []answered
	for _, list := range lists {
		for _, t := range list {
			for side := range 2 {
				q, answer := QuestionFor(t, side)
				all = append(all, answered{q, answer})
			}
		}
	}
	slices.SortFunc(all, func(a, b answered) int {
		return cmp.Or(compareQuestions(a.Question, b.Question), cmp.Compare(a.answer, b.answer))
	})
	k := new(Known)
	for i, x := range slices.Compact(all) {
		if i == 0 || x.Question != k.asked[len(k.asked)-1] {
			k.asked, k.start = append(k.asked, x.Question), append(k.start, i)
		}
		k.answers = append(k.answers, x.answer)
	}
	k.start = append(k.start, len(k.answers))
	return k
}

func compareQuestions(a, b Question) int {
	return cmp.Or(cmp.Compare(a.Of, b.Of), cmp.Compare(a.End, b.End))
}

// AnswersTo returns the known answers of q, ascending. A nil Known has none.
func (k *Known) AnswersTo(q Question) []int32 {
	if k == nil {
		return nil
	}
	i, ok := slices.BinarySearchFunc(k.asked, q, compareQuestions)
	if !ok {
		return nil
	}
	return k.answers[k.start[i]:k.start[i+1]]
}
