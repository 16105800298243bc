package kg

import (
	"slices"
	"sync"

	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/metric"
)

// Protocol is what the true answer is ranked among.
type Protocol string

// The protocols.
const (
	// Full is all entities that are not known to be answers.
	Full Protocol = "full"
	// Sampled50 is that of GraIL (Teru et al. 2020): 49 entities drawn from those, without the question's own end.
	Sampled50 Protocol = "grail_50"
)

// Ranked is how one fact stood: as the answer to the question for its tail and for its head.
type Ranked struct {
	Fact       graph.Triple
	Tail, Head metric.Ranking
}

// Rank ranks both ends of every fact, filtered: known answers other than the fact's own are no candidates. seed is that of
// Sampled50. The order is that of facts.
func (m *Model) Rank(facts []graph.Triple, known *Known, p Protocol, seed uint64) ([]Ranked, error) {
	out := make([]Ranked, len(facts))
	for i, f := range facts {
		out[i].Fact = f
	}
	s := newScorer(m)
	buffer := make([]mat.Real, s.block*s.n)
	asked := make([]question, 0, s.block)
	for at := 0; at < 2*len(facts); at += s.block {
		to := min(at+s.block, 2*len(facts))
		asked = asked[:0]
		for i := at; i < to; i++ {
			asked = append(asked, sideOf(facts[i/2], i%2))
		}
		if err := s.scores(buffer, asked); err != nil {
			return nil, err
		}
		each(to-at, func(j int) {
			i := at + j
			row := buffer[j*s.n : (j+1)*s.n]
			r := place(row, asked[j], answerOf(facts[i/2], i%2), known, p, mat.Mix(seed, uint64(i)))
			if i%2 == 0 {
				out[i/2].Tail = r
			} else {
				out[i/2].Head = r
			}
		})
	}
	return out, nil
}

// sideOf is the question for the tail (0) or the head (1) of a fact.
func sideOf(t graph.Triple, side int) question {
	tail, head := questions(t)
	if side == 0 {
		return tail
	}
	return head
}

// answerOf is the answer to that question.
func answerOf(t graph.Triple, side int) int32 {
	if side == 0 {
		return t.V
	}
	return t.U
}

// each calls f for 0, …, n−1 on all threads of the device.
func each(n int, f func(i int)) {
	var wait sync.WaitGroup
	threads := mat.Threads()
	for t := range threads {
		wait.Go(func() {
			for i := n * t / threads; i < n*(t+1)/threads; i++ {
				f(i)
			}
		})
	}
	wait.Wait()
}

// place counts the candidates beside and above the true answer of q.
func place(scores []mat.Real, q question, answer int32, known *Known, p Protocol, seed uint64) metric.Ranking {
	if p == Sampled50 {
		return placeAmong(scores, drawCandidates(len(scores), q, answer, known, seed), answer)
	}
	r := metric.Ranking{Negatives: len(scores) - 1}
	own := scores[answer]
	for _, x := range scores {
		if x > own {
			r.Greater++
		} else if x == own {
			r.Equal++
		}
	}
	r.Equal-- // itself
	for _, y := range known.of(q) {
		if y == answer {
			continue
		}
		r.Negatives--
		if x := scores[y]; x > own {
			r.Greater--
		} else if x == own {
			r.Equal--
		}
	}
	return r
}

// placeAmong counts among some candidates.
func placeAmong(scores []mat.Real, candidates []int32, answer int32) metric.Ranking {
	r := metric.Ranking{Negatives: len(candidates)}
	own := scores[answer]
	for _, c := range candidates {
		if x := scores[c]; x > own {
			r.Greater++
		} else if x == own {
			r.Equal++
		}
	}
	return r
}

// drawCandidates are 49 different entities out of n that are no known answer of q, nor its own end; fewer where there are
// no more.
func drawCandidates(n int, q question, answer int32, known *Known, seed uint64) []int32 {
	const wanted = 49
	yes := known.of(q)
	free := func(v int32) bool {
		_, is := slices.BinarySearch(yes, v)
		return !is && v != q.End && v != answer
	}
	var list []int32
	for try := uint64(0); try < 50*wanted && len(list) < wanted; try++ {
		v := int32((mat.Mix(seed, try) >> 32) * uint64(n) >> 32)
		if free(v) && !slices.Contains(list, v) {
			list = append(list, v)
		}
	}
	for v := int32(0); int(v) < n && len(list) < wanted; v++ {
		if free(v) && !slices.Contains(list, v) {
			list = append(list, v)
		}
	}
	return list
}
