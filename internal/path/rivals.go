package path

import (
	"math"

	"github.com/bloomgml/bloom/mat"
)

// rivals finds what the right answer of a query is compared with where that is everything.
type rivals struct {
	*net
	known, kept marks
}

func newRivals(n *net) *rivals {
	return &rivals{net: n, known: newMarks(n.nodes), kept: newMarks(n.nodes)}
}

// absent is the logarithm of 0 entities; softmax would make NaN of −∞ less −∞.
const absent = -1e9

// list fills in the answers to q: the right one, the entities kept that are no right answers, and one entity that is
// not kept, for all such entities. counts are the logarithms of how many entities each answer stands for.
func (r *rivals) list(q query, kept, answers []int32, counts []mat.Real) {
	r.known.clear()
	right := 0
	for _, e := range r.out.edgesOf(q.head) {
		if v := r.target[e]; r.relation[e] == q.relation && !r.known.has(v) {
			r.known.add(v)
			right++
		}
	}
	r.kept.clear()
	for i := range answers {
		answers[i], counts[i] = q.answer, absent
	}
	counts[0] = 0
	at := 1
	for _, v := range kept {
		r.kept.add(v)
		if r.known.has(v) {
			right--
		} else {
			answers[at], counts[at] = v, 0
			at++
		}
	}
	others := r.nodes - len(kept) - right
	for v := int32(0); others > 0; v++ {
		if !r.kept.has(v) && !r.known.has(v) {
			answers[at], counts[at] = v, mat.Real(math.Log(float64(others)))
			return
		}
	}
}
