package pair

import (
	"math"

	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/metric"
	"github.com/bloomgml/bloom/train"
)

// metrics returns the metrics of links; the first is the default. A metric of scores separates joined pairs from the
// same number of others, drawn uniformly; a metric of ranks ranks the true end of a pair among all nodes that are not
// known to be joined with the other end.
func metrics() []string { return metric.Names(metric.TaskLinks) }

// ranks reports whether a metric is one of ranks.
func ranks(name string) bool { m, _ := metric.ByName(name); return m.Links != nil }

// ranked is how many pairs a metric of ranks looks at, drawn by the seed: each is two questions about all nodes.
const ranked = 200

// judge is a way to score pairs: a trained model, or another method.
type judge struct {
	split  *split
	scores func([]pair) ([]mat.Real, error)
}

// measure returns a metric of joined pairs against pairs that are not joined; NaN if there are no joined pairs.
func (s judge) measure(name string, yes, no []pair, seed uint64) (float64, error) {
	if len(yes) == 0 {
		return math.NaN(), nil
	}
	m, _ := metric.ByName(name) // build has looked
	if m.Links != nil {
		r, err := s.rank(yes, seed)
		return m.Links(r, metric.Realistic), err
	}
	z, err := s.scores(append(append(make([]pair, 0, len(yes)+len(no)), yes...), no...))
	if err != nil {
		return 0, err
	}
	p := metric.Predictions{Classes: 2, Logits: make([]mat.Real, 2*len(z)), Labels: make([]int32, len(z))}
	for i, x := range z {
		p.Logits[2*i+1] = x
		if i < len(yes) {
			p.Labels[i] = 1
		}
	}
	return m.Nodes(p), nil
}

// rank ranks both ends of some joined pairs.
func (s judge) rank(yes []pair, seed uint64) ([]metric.Ranking, error) {
	if len(yes) > ranked {
		yes = append([]pair{}, yes...)
		shuffle(yes, mat.Mix(seed, hashRank))
		yes = yes[:ranked]
	}
	among := metric.Candidates{Known: s.split.facts()}
	var list []metric.Ranking
	for i, p := range yes {
		for _, f := range []graph.Triple{{U: p.u, V: p.v}, {U: p.v, V: p.u}} {
			z, err := s.scores(s.split.pairsWith(f.U))
			if err != nil {
				return nil, err
			}
			list = append(list, among.Place(z, f, 0, i))
		}
	}
	return list, nil
}

// measureAll computes metrics of the held-out pairs, all of them if none are named. Only test pairs are ranked, as
// ranks are expensive.
func (s judge) measureAll(seed uint64, names ...string) (list []train.Measure, err error) {
	if len(names) == 0 {
		names = metrics()
	}
	for _, name := range names {
		m := train.Measure{Metric: name, Valid: math.NaN(), Majority: math.NaN()}
		if !ranks(name) {
			m.Valid, err = s.measure(name, s.split.valid, s.split.validFalse, seed)
		}
		if err == nil {
			m.Test, err = s.measure(name, s.split.test, s.split.testFalse, seed)
		}
		if err != nil {
			return nil, err
		}
		list = append(list, m)
	}
	return list, nil
}

// facts returns the joined pairs in both directions, and every node with itself.
func (s *split) facts() *metric.Known {
	if s.both == nil {
		var all []graph.Triple
		for p := range s.known {
			all = append(all, graph.Triple{U: p.u, V: p.v}, graph.Triple{U: p.v, V: p.u})
		}
		for v := range s.nodes {
			all = append(all, graph.Triple{U: int32(v), V: int32(v)})
		}
		s.both = metric.NewKnown(all)
	}
	return s.both
}

// pairsWith returns the pairs of u with every node, itself included.
func (s *split) pairsWith(u int32) []pair {
	list := make([]pair, s.nodes)
	for v := range list {
		list[v] = pair{u, int32(v)}
	}
	return list
}
