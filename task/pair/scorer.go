package pair

import (
	"math"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/input"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/metric"
	"github.com/bloomgml/bloom/train"
)

// chunk is how many pairs are scored at a time.
const chunk = 4096

// scorer scores pairs in evaluation mode: one program for H, one for some pairs at a time.
type scorer struct {
	inputs
	descent *ad.Program
	h       ad.Var
	decode  *ad.Program
	z       ad.Var
	out     []mat.Real
}

func newScorer(m *model) (*scorer, error) {
	h, err := m.embed(input.Evaluation())
	if err != nil {
		return nil, err
	}
	s := &scorer{h: h, descent: ad.Compile(h), inputs: m.newInputs(chunk), out: make([]mat.Real, chunk)}
	s.z = s.score(input.Evaluation(), ad.Input(s.descent.Value(h)))
	s.decode = ad.Compile(s.z)
	return s, nil
}

// settle lets H descend with the current weights, along all training pairs except hidden ones.
func (s *scorer) settle(hidden ...int32) error {
	s.m.hide(hidden)
	return s.descent.Run()
}

// scores returns z of pairs, after settle.
func (s *scorer) scores(list []pair) ([]mat.Real, error) {
	all := make([]mat.Real, 0, len(list))
	for len(list) > 0 {
		now := list[:min(chunk, len(list))]
		for i, p := range now {
			s.put(i, p)
		}
		if err := s.update(); err != nil {
			return nil, err
		}
		if err := s.decode.Run(); err != nil {
			return nil, err
		}
		s.decode.Value(s.z).Read(s.out)
		all = append(all, s.out[:len(now)]...)
		list = list[len(now):]
	}
	return all, nil
}

// probability returns 1/(1 + e^−z).
func probability(z mat.Real) float64 { return 1 / (1 + math.Exp(-float64(z))) }

// metrics returns the metrics of links; the first is the default. A metric of scores separates joined pairs from the
// same number of others, drawn uniformly; a metric of ranks ranks the true end of a pair among all nodes that are not
// known to be joined with the other end.
func metrics() []string { return metric.Names(metric.TaskLinks) }

// ranks reports whether a metric is one of ranks.
func ranks(name string) bool { m, _ := metric.ByName(name); return m.Links != nil }

// ranked is how many pairs a metric of ranks looks at, drawn by the seed: each is two questions about all nodes.
const ranked = 200

// measure returns a metric of joined pairs against pairs that are not joined; NaN if there are no joined pairs.
func (s *scorer) measure(name string, yes, no []pair, seed uint64) (float64, error) {
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
func (s *scorer) rank(yes []pair, seed uint64) ([]metric.Ranking, error) {
	if len(yes) > ranked {
		yes = append([]pair{}, yes...)
		shuffle(yes, mat.Mix(seed, hashRank))
		yes = yes[:ranked]
	}
	among := metric.Candidates{Known: s.m.split.facts()}
	var list []metric.Ranking
	for i, p := range yes {
		for _, f := range []graph.Triple{{U: p.u, V: p.v}, {U: p.v, V: p.u}} {
			z, err := s.scores(s.m.split.pairsWith(f.U))
			if err != nil {
				return nil, err
			}
			list = append(list, among.Place(z, f, 0, i))
		}
	}
	return list, nil
}

// measureAll computes all metrics of the held-out pairs. Only test pairs are ranked, as ranks are expensive.
func (s *scorer) measureAll(seed uint64) (list []train.Measure, err error) {
	for _, name := range metrics() {
		m := train.Measure{Metric: name, Valid: math.NaN(), Majority: math.NaN()}
		if !ranks(name) {
			m.Valid, err = s.measure(name, s.m.split.valid, s.m.split.validFalse, seed)
		}
		if err == nil {
			m.Test, err = s.measure(name, s.m.split.test, s.m.split.testFalse, seed)
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
