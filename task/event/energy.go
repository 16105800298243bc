package event

import (
	"math"
	"math/bits"

	"github.com/bloomgml/bloom/mat"
)

// model is the energy of pairs: what has been learnt, and the weights of the terms.
type model struct {
	*history
	learnt  int // events that are in history
	terms   []term
	w       []mat.Real // the weights in use
	targets []int32
	place   []int32 // of a node among targets; −1 for none

	near    []mat.Real // how near nodes are to the last targets of a source, see around
	touched []int32    // where near is not 0
}

// newModel returns a model without weights that has learnt nothing; targets are in the order of their numbers.
func newModel(nodes int, targets []int32, c clock) *model {
	m := &model{history: newHistory(nodes, c), terms: table(), targets: targets,
		place: make([]int32, nodes), near: make([]mat.Real, nodes)}
	for i := range m.place {
		m.place[i] = -1
	}
	for i, v := range targets {
		m.place[v] = int32(i)
	}
	return m
}

// numWeights returns how many weights the terms have.
func (m *model) numWeights() int { t := m.terms[numTerms-1]; return t.first + t.knots }

// each calls f with every term of the pair (source, target) at time t and its variable; around(source) came before.
func (m *model) each(source, target int32, t float64, f func(k int, x float64)) {
	s := &m.nodes[source]
	i, met := s.met[target]
	switch {
	case met:
		rank := 0
		for s.recent[len(s.recent)-1-rank] != i {
			rank++
		}
		m.ofPair(s, i, rank, t, f)
	case s.as.n == 0:
		m.ofTarget(forNobody, target, t, f)
	default:
		m.ofTarget(forOther, target, t, f)
	}
	if x := m.near[target]; x > 0 && !met {
		f(otherBeside, math.Log(float64(x)))
	}
	m.ofBack(source, target, t, f)
}

// ofTarget is about the target alone.
func (m *model) ofTarget(of int, target int32, t float64, f func(k int, x float64)) {
	d := &m.nodes[target]
	if d.as.n > 0 {
		f(of+ofActed, m.ago(t, d.as.last))
	}
	if f(of+ofNumber, d.number); d.to.n == 0 {
		return
	}
	f(of+ofAgo, m.ago(t, d.to.last))
	for k := range scales {
		f(of+ofMeetings+k, d.to.at(&m.clock, t, k))
		f(of+ofFirsts+k, d.fresh.at(&m.clock, t, k))
	}
	f(of+ofKept, d.kept)
}

// ofPair is about pair i of a source, which has met as many others since as rank says, and about its target.
func (m *model) ofPair(s *node, i int32, rank int, t float64, f func(k int, x float64)) {
	p := &s.pairs[i]
	m.ofTarget(forMet, p.to, t, f)
	ago := m.ago(t, p.last)
	f(metEver, 1)
	f(metAgo+min(places-1, bits.Len(uint(rank))), ago)
	f(metRank, math.Log2(float64(1+rank)))
	f(metNumber, math.Log2(float64(p.n)))
	f(metShare, float64(p.n)/float64(s.as.n))
	f(metNews, s.news)
	for k := range scales {
		f(metCounts+k, p.at(&m.clock, t, k))
	}
	if x := m.near[p.to]; x > 0 {
		f(metBeside, math.Log(float64(x)))
	}
	if rank == 0 {
		f(lastRun, math.Log2(float64(p.run)))
		f(lastStays, s.stays)
		f(lastKept, m.nodes[p.to].kept)
		f(lastStale, m.ago(t, m.now))
		f(lastAgo+min(levels-1, int(s.stays*levels)), ago)
	}
}

// ofBack is about the pair the other way round.
func (m *model) ofBack(source, target int32, t float64, f func(k int, x float64)) {
	if source == target {
		f(self, 1)
	}
	d := &m.nodes[target]
	i, ok := d.met[source]
	if !ok {
		return
	}
	back, s := &d.pairs[i], &m.nodes[source]
	f(backEver, 1)
	f(backAgo, m.ago(t, back.last))
	f(backNumber, math.Log2(float64(back.n)))
	if j, ok := s.met[target]; !ok || s.pairs[j].last < back.last {
		f(backWaits, m.ago(t, back.last))
	}
}

// around finds what is near a source: near[v] = Σ_r share_r(v)/r, the share
// of v in the ring of its r-th last target.
func (m *model) around(source int32) {
	for _, v := range m.touched {
		m.near[v] = 0
	}
	m.touched = m.touched[:0]
	s := &m.nodes[source]
	for r := range min(together, len(s.recent)) {
		list := m.nodes[s.pairs[s.recent[len(s.recent)-1-r]].to].beside.list
		by := 1 / mat.Real((1+r)*len(list))
		for _, v := range list {
			if m.near[v] == 0 {
				m.touched = append(m.touched, v)
			}
			m.near[v] += by
		}
	}
}

// hats adds the hats of a pair to r; around(source) came before.
func (m *model) hats(r []hat, source, target int32, t float64) []hat {
	m.each(source, target, t, func(k int, x float64) { r = m.terms[k].hats(r, x) })
	return r
}

// read returns −E of a row of hats.
func (m *model) read(r []hat) (z mat.Real) {
	for _, x := range r {
		z += m.w[x.at] * x.by
	}
	return z
}

// scores writes −E(source, d; t) of all targets d into z.
//
// Overview: most targets are neither met by the source nor near it, so that their energy does not depend on it; then
// those that are get theirs.
func (m *model) scores(z []mat.Real, source int32, t float64) {
	m.around(source)
	s, of := &m.nodes[source], forOther
	if s.as.n == 0 {
		of = forNobody
	}
	for i, v := range m.targets {
		z[i] = m.alone(of, v, t)
	}
	add := func(v int32, f func(func(k int, x float64))) {
		if i := m.place[v]; i >= 0 {
			f(func(k int, x float64) { z[i] += m.terms[k].read(m.w, x) })
		}
	}
	for _, v := range m.touched {
		add(v, func(f func(int, float64)) { f(otherBeside, math.Log(float64(m.near[v]))) })
	}
	for r := range s.recent {
		j := s.recent[len(s.recent)-1-r]
		v := s.pairs[j].to
		z[m.place[v]] = 0
		add(v, func(f func(int, float64)) { m.ofPair(s, j, r, t, f) })
	}
	for _, v := range s.by {
		if v != source {
			add(v, func(f func(int, float64)) { m.ofBack(source, v, t, f) })
		}
	}
	add(source, func(f func(int, float64)) { m.ofBack(source, source, t, f) })
}

// alone returns the sum of ofTarget.
func (m *model) alone(of int, target int32, t float64) mat.Real {
	d, w, terms := &m.nodes[target], m.w, m.terms[of:of+ofTarget]
	var z mat.Real
	if d.as.n > 0 {
		z = terms[ofActed].read(w, m.ago(t, d.as.last))
	}
	if z += terms[ofNumber].read(w, d.number); d.to.n == 0 {
		return z
	}
	z += terms[ofAgo].read(w, m.ago(t, d.to.last))
	for k, rate := range m.rate {
		z += terms[ofMeetings+k].read(w, d.to.log[k]-(t-d.to.last)*rate)
		z += terms[ofFirsts+k].read(w, d.fresh.log[k]-(t-d.fresh.last)*rate)
	}
	return z + terms[ofKept].read(w, d.kept)
}
