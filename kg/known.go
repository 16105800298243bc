package kg

import (
	"cmp"
	"slices"

	"github.com/bloomgml/bloom/graph"
)

// Known are facts by question: what a filtered rank does not count as mistakes. Make it once for many rankings.
type Known struct {
	asked   []question
	start   []int // the answers of asked[i] are answers[start[i]:start[i+1]]
	answers []int32
}

// NewKnown holds the facts of all lists.
func NewKnown(lists ...[]graph.Triple) *Known {
	type answered struct {
		question
		answer int32
	}
	var all []answered
	for _, list := range lists {
		for _, t := range list {
			tail, head := questions(t)
			all = append(all, answered{tail, t.V}, answered{head, t.U})
		}
	}
	slices.SortFunc(all, func(a, b answered) int {
		return cmp.Or(compareQuestions(a.question, b.question), cmp.Compare(a.answer, b.answer))
	})
	k := new(Known)
	for i, x := range slices.Compact(all) {
		if i == 0 || x.question != k.asked[len(k.asked)-1] {
			k.asked, k.start = append(k.asked, x.question), append(k.start, i)
		}
		k.answers = append(k.answers, x.answer)
	}
	k.start = append(k.start, len(k.answers))
	return k
}

func compareQuestions(a, b question) int {
	return cmp.Or(cmp.Compare(a.Of, b.Of), cmp.Compare(a.End, b.End))
}

// of are the answers of q, ascending.
func (k *Known) of(q question) []int32 {
	i, ok := slices.BinarySearchFunc(k.asked, q, compareQuestions)
	if !ok {
		return nil
	}
	return k.answers[k.start[i]:k.start[i+1]]
}
