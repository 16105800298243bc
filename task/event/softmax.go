package event

import (
	"math"
	"math/rand/v2"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/mat"
)

// widest is how many of the last targets of a source are candidates in training, besides those that are drawn.
const widest = 50

// softmax is the upper level: −log p of events, and its gradient.
type softmax struct {
	drawn int // targets that the source of an event has not met, drawn for it
	row   []hat
	ends  []int // where the rows of candidates end
	z     []float64
	at    int // the candidate that is the truth
}

// loss returns −log p(target | source, t) of event i and adds its gradient to g. The sum over targets that the source
// has not met is estimated from some of them, drawn uniformly, each of which stands for all/drawn.
func (s *softmax) loss(m *model, e *dataset.Events, i int, g []mat.Real, rng *rand.Rand) float64 {
	s.candidates(m, e, i, rng)
	most := math.Inf(-1)
	for _, z := range s.z {
		most = max(most, z)
	}
	sum := 0.0
	for _, z := range s.z {
		sum += math.Exp(z - most)
	}
	first := 0
	for j, end := range s.ends {
		p := math.Exp(s.z[j]-most) / sum
		if j == s.at {
			p--
		}
		for _, h := range s.row[first:end] {
			g[h.at] += mat.Real(p) * h.by
		}
		first = end
	}
	return most + math.Log(sum) - s.z[s.at]
}

// candidates scores the truth, the last targets of the source and some others.
func (s *softmax) candidates(m *model, e *dataset.Events, i int, rng *rand.Rand) {
	source, target, t := e.Source[i], e.Target[i], e.Time[i]
	s.row, s.ends, s.z, s.at = s.row[:0], s.ends[:0], s.z[:0], -1
	m.around(source)
	add := func(v int32, more float64) {
		if v == target {
			s.at = len(s.z)
		}
		first := len(s.row)
		s.row = m.hats(s.row, source, v, t)
		s.ends, s.z = append(s.ends, len(s.row)), append(s.z, float64(m.read(s.row[first:]))+more)
	}
	n := &m.nodes[source]
	for r := range min(widest, len(n.recent)) {
		add(n.pairs[n.recent[len(n.recent)-1-r]].to, 0)
	}
	if s.at < 0 {
		add(target, 0)
	}
	others := len(m.targets) - len(n.recent)
	more := math.Log(max(1, float64(others)/float64(s.drawn)))
	for range min(s.drawn, others) {
		v := m.targets[rng.IntN(len(m.targets))]
		if _, met := n.met[v]; !met && v != target {
			add(v, more)
		}
	}
}
