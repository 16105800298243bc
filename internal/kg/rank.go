package kg

import (
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/internal/host"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/ranking"
)

// Rank ranks both ends of every fact among candidates. The result is in the order of facts.
func (m *Model) Rank(facts []graph.Triple, among ranking.Candidates) ([]ranking.Ranked, error) {
	out := ranking.Unranked(facts)
	s := newScorer(m)
	buffer := make([]mat.Real, s.block*s.n)
	asked := make([]ranking.Question, 0, s.block)
	for at := 0; at < 2*len(facts); at += s.block {
		to := min(at+s.block, 2*len(facts))
		asked = asked[:0]
		for i := at; i < to; i++ {
			q, _ := ranking.QuestionFor(facts[i/2], i%2)
			asked = append(asked, q)
		}
		if err := s.scores(buffer, asked); err != nil {
			return nil, err
		}
		each(to-at, func(j int) {
			i := at + j
			out[i/2].Set(i%2, among.Place(buffer[j*s.n:(j+1)*s.n], facts[i/2], i%2, i))
		})
	}
	return out, nil
}

// each calls f for 0, …, n−1 on all threads of the device.
func each(n int, f func(i int)) {
	var wait host.Group
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
