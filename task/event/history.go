package event

import "math"

// history is the lower level at its minimum, as of the last event that it learnt.
type history struct {
	clock
	nodes []node
	now   float64 // the time of the last event
}

// node is what is known about a node, as the source and as the target of events.
type node struct {
	as, to, fresh count           // as a source, as a target, and first meetings as a target
	pairs         []pair          // with the targets that it has met
	met           map[int32]int32 // their indices in pairs
	recent        []int32         // the same, the one that met last at the end
	by            []int32         // the sources that have met it
	beside        ring            // what its sources have met for the first time soon before or after they met it
	stays, news   float64         // means that forget: does it stay with its last target, does it meet a new one
	number        float64         // log₂(1 + events as a target)
	kept          float64         // the same of a target: do sources stay with it
}

// pair is a source with a target that it has met.
type pair struct {
	count
	to, run int32 // run is how many events of the source in a row were with it, at the last meeting
}

func newHistory(nodes int, c clock) *history {
	h := &history{clock: c, now: math.Inf(-1)}
	h.grow(nodes)
	return h
}

// grow adds nodes without a past, up to the given number.
func (h *history) grow(nodes int) {
	for len(h.nodes) < nodes {
		h.nodes = append(h.nodes, node{stays: 0.5, news: 0.5, kept: 0.5})
	}
}

// How fast the means of sources and of targets forget, per event.
const (
	forgetSource = 0.2
	forgetTarget = 0.05
)

// learn moves the states to their minimum after one more event, which is not before the last.
func (h *history) learn(source, target int32, t float64) {
	s, d := &h.nodes[source], &h.nodes[target]
	i, known := s.met[target]
	last := s.last()
	if last >= 0 {
		stays, news, p := 0.0, 0.0, &h.nodes[s.pairs[s.last()].to]
		if !known {
			news = 1
		} else if i == last {
			stays = 1
		}
		s.stays += forgetSource * (stays - s.stays)
		s.news += forgetSource * (news - s.news)
		p.kept += forgetTarget * (stays - p.kept)
	}
	if !known {
		h.join(s, target)
		if s.met == nil {
			s.met = map[int32]int32{}
		}
		i = int32(len(s.pairs))
		s.met[target] = i
		s.pairs, s.recent = append(s.pairs, pair{to: target}), append(s.recent, i)
		d.by = append(d.by, source)
		d.fresh.add(&h.clock, t)
	}
	p := &s.pairs[i]
	if p.run++; i != last {
		p.run = 1
		s.toEnd(i)
	}
	p.add(&h.clock, t)
	s.as.add(&h.clock, t)
	d.to.add(&h.clock, t)
	d.number = math.Log2(float64(d.to.n) + 1)
	h.now = t
}

// last returns the index of the pair that met last, −1 if none did.
func (s *node) last() int32 {
	if len(s.recent) == 0 {
		return -1
	}
	return s.recent[len(s.recent)-1]
}

// toEnd moves a pair to the end of recent.
func (s *node) toEnd(i int32) {
	r := len(s.recent) - 1
	for s.recent[r] != i {
		r--
	}
	copy(s.recent[r:], s.recent[r+1:])
	s.recent[len(s.recent)-1] = i
}

// together is how many of the last targets of a source are visited together with a new one, and remembered how many of
// those a target keeps.
const (
	together   = 5
	remembered = 64
)

// ring holds what was put into it last.
type ring struct {
	list []int32
	next int
}

func (r *ring) put(v int32) {
	if len(r.list) < remembered {
		r.list = append(r.list, v)
		return
	}
	r.list[r.next] = v
	r.next = (r.next + 1) % remembered
}

// join remembers that a new target of s is visited together with its last ones.
func (h *history) join(s *node, target int32) {
	for r := range min(together, len(s.recent)) {
		q := s.pairs[s.recent[len(s.recent)-1-r]].to
		h.nodes[q].beside.put(target)
		h.nodes[target].beside.put(q)
	}
}

// scales is how many half-lives counts are kept at, each ten times as long as the one before.
const scales = 4

// shortest is the shortest half-life as a share of the training period.
const shortest = 1e-3

// clock measures time: in half-lives, and on a logarithmic scale. Both depend on the training period alone, so the unit
// of times does not matter.
type clock struct {
	rate [scales]float64 // 1/τ
	unit float64         // multiplies differences of times; the training period is 10⁶
}

func newClock(period float64) clock {
	if !(period > 0) {
		period = 1
	}
	c := clock{unit: 1e6 / period}
	for k := range c.rate {
		c.rate[k] = math.Ln2 / (shortest * period * math.Pow(10, float64(k)))
	}
	return c
}

// ago returns how long ago something was, from 0 for now to about 14 for a training period.
func (c *clock) ago(t, then float64) float64 { return math.Log1p(max(t-then, 0) * c.unit) }

// count is the minimiser h = Σ_i e^(−(t − tᵢ)/τ) over some events, for every scale τ, as its logarithm at the time of
// the last of them. The zero value has no events.
type count struct {
	n    int32
	last float64
	log  [scales]float64
}

// at returns log h at time t for scale k; −∞ without events.
func (h *count) at(c *clock, t float64, k int) float64 {
	if h.n == 0 {
		return math.Inf(-1)
	}
	return h.log[k] - (t-h.last)*c.rate[k]
}

// add counts an event at time t, which is not before the last one.
func (h *count) add(c *clock, t float64) {
	for k := range h.log {
		h.log[k] = math.Log1p(math.Exp(h.at(c, t, k)))
	}
	h.n, h.last = h.n+1, t
}
