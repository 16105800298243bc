package kg

import (
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/internal/host"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/metric"
)

// Rank ranks both ends of every fact among candidates. The result is in the order of facts.
func (m *Model) Rank(facts []graph.Triple, among metric.Candidates) ([]metric.Ranked, error) {
	out := metric.Unranked(facts)
	return out, m.Score(metric.Questions(facts), func(i int, scores []mat.Real) {
		out[i/2].Set(i%2, among.Place(scores, facts[i/2], i%2, i))
	})
}

// Score calls f with the scores of all entities as answers to every question, from many goroutines; scores are valid
// during the call.
func (m *Model) Score(asked []metric.Question, f func(i int, scores []mat.Real)) error {
	s := newScorer(m)
	buffer := make([]mat.Real, s.block*s.n)
	for at := 0; at < len(asked); at += s.block {
		some := asked[at:min(at+s.block, len(asked))]
		if err := s.scores(buffer, some); err != nil {
			return err
		}
		each(len(some), func(j int) { f(at+j, buffer[j*s.n:(j+1)*s.n]) })
	}
	return nil
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
