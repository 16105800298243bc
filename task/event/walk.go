package event

import (
	"time"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/metric"
)

// advance learns events until the history has the first n, from the start if it has more.
func (m *model) advance(e *dataset.Events, n int) {
	if m.learnt > n {
		m.history, m.learnt = newHistory(len(m.nodes), m.clock), 0
	}
	for ; m.learnt < n; m.learnt++ {
		m.learn(e.Source[m.learnt], e.Target[m.learnt], e.Time[m.learnt])
	}
}

// judge is a way to score all targets of a source at a time.
type judge func(z []mat.Real, source int32, t float64)

// walk ranks the true targets of the events first to last − 1 among all targets, by every judge. Judges know the events
// before the batch of an event alone. took is the time of the first judge and of learning.
func (m *model) walk(e *dataset.Events, first, last, batch int, judges ...judge) (ranks [][]metric.Ranking,
	took time.Duration) {
	z, among := make([]mat.Real, len(m.targets)), metric.Candidates{}
	ranks = make([][]metric.Ranking, len(judges))
	for from := first; from < last; from += batch {
		start := time.Now()
		m.advance(e, from)
		took += time.Since(start)
		for i := from; i < min(from+batch, last); i++ {
			for k, j := range judges {
				start := time.Now()
				j(z, e.Source[i], e.Time[i])
				if k == 0 {
					took += time.Since(start)
				}
				fact := graph.Triple{U: -1, V: m.place[e.Target[i]]}
				ranks[k] = append(ranks[k], among.Place(z, fact, 0, i))
			}
		}
	}
	return ranks, took
}

// recency scores a target by when the source met it last.
func (m *model) recency(z []mat.Real, source int32, _ float64) {
	clear(z)
	s := &m.nodes[source]
	for r, i := range s.recent {
		z[m.place[s.pairs[i].to]] = mat.Real(r + 1)
	}
}

// edgeBank returns the memory of pairs (Poursafaei et al. 2022): 1 for those that met within the last window of time.
func (m *model) edgeBank(window float64) judge {
	return func(z []mat.Real, source int32, _ float64) {
		clear(z)
		s := &m.nodes[source]
		for i := range s.pairs {
			if p := &s.pairs[i]; m.now-p.last <= window {
				z[m.place[p.to]] = 1
			}
		}
	}
}
