package kg

import (
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/ranking"
)

// Stage is facts between some rows of a window.
type Stage struct {
	Number int          // its seed follows from it
	Graph  *graph.Graph // its nodes are the first rows of the window
	// Came are the rows that have come into the window, of which every fact has one or two, and Met those that the
	// other ends of facts are in, Came among them where both may be; nil for any rows and facts.
	Came *Rows
	Met  []Rows
}

// Rows are rows of a window from First to before End.
type Rows struct{ First, End int32 }

func (r Rows) has(v int32) bool { return v >= r.First && v < r.End }

// stagedFalse is sharedFalse on the facts of a stage after the other.
//
// Where some rows have just come in, the answers to questions about the others are all among these rows, as the rest of
// their answers belongs to other stages. False answers from anywhere would teach where answers are, and not which. So
// questions are in two groups, and a batch has questions of one: false answers are drawn where its answers are.
type stagedFalse struct {
	*sharedFalse
	groups []askGroup
	turns  order // of all batches of the stage
}

// askGroup is questions whose answers are in the same rows.
type askGroup struct {
	order
	asks  []int32 // 2e for the tail of fact e, 2e + 1 for its head
	from  []Rows
	total int // rows of from
	first int // number of the first batch among those of all groups
}

// turn goes over to the facts of a stage; the seed is that of c.
func (s *stagedFalse) turn(c Config, to Stage) {
	s.g, s.seed = to.Graph, mat.Mix(c.Seed, 4)
	if to.Came == nil {
		s.groups = nil
		s.order.turn(s.g.NumEdges(), mat.Mix(c.Seed, 3))
		return
	}
	s.groups = make([]askGroup, 2)
	s.groups[0].from, s.groups[1].from = []Rows{*to.Came}, to.Met
	for e := range int32(s.g.NumEdges()) {
		for side := range 2 {
			q, _ := ranking.Ask(s.g.Edge(e), side)
			k := 0
			if to.Came.has(q.End) {
				k = 1
			}
			s.groups[k].asks = append(s.groups[k].asks, 2*e+int32(side))
		}
	}
	n := 0
	for k := range s.groups {
		g := &s.groups[k]
		for _, r := range g.from {
			g.total += int(r.End - r.First)
		}
		g.first = n
		if len(g.asks) > 0 {
			g.order = order{size: s.questions()}
			g.order.turn(len(g.asks), mat.Mix(c.Seed, uint64(20+k)))
			n += g.batches()
		}
	}
	s.turns = order{size: 1}
	s.turns.turn(n, mat.Mix(c.Seed, 22))
}

// inStage is how many batches a stage has, of whose facts so many have both ends in Came; all of them where Came is
// nil.
func (s *stagedFalse) inStage(facts, both int, came bool) int {
	size := s.questions()
	batches := func(questions int) int {
		if questions == 0 {
			return 0
		}
		return max(1, questions/size)
	}
	if !came {
		return batches(2 * facts)
	}
	return batches(facts-both) + batches(facts+both)
}

func (s *stagedFalse) batches() int {
	if s.groups == nil {
		return s.sharedFalse.batches()
	}
	return s.turns.batches()
}

// begin shuffles facts, or the questions of every group and the batches.
func (s *stagedFalse) begin(epoch uint64) {
	if s.groups == nil {
		s.sharedFalse.begin(epoch)
		return
	}
	s.order.epoch = epoch
	s.turns.begin(epoch)
	for k := range s.groups {
		if len(s.groups[k].asks) > 0 {
			s.groups[k].begin(epoch)
		}
	}
}

// draw puts a batch of facts with both of their questions in place, or one of questions.
func (s *stagedFalse) draw(i int) error {
	if s.groups == nil {
		return s.sharedFalse.draw(i)
	}
	i = int(s.turns.batch(i)[0])
	g := &s.groups[0]
	if second := &s.groups[1]; len(second.asks) > 0 && i >= second.first {
		g = second
	}
	s.read.begin()
	for j, at := range g.batch(i - g.first) {
		ask := g.asks[at]
		t := s.g.Edge(ask / 2)
		t.U, t.V = s.read.rowOf(t.U), s.read.rowOf(t.V)
		q, answer := ranking.Ask(t, int(ask%2))
		s.put(j, q, answer)
	}
	return s.drawPool(i, g.total, g.row)
}

// row is entity x of those that answers are among.
func (g *askGroup) row(x int32) int32 {
	for _, r := range g.from {
		if n := r.End - r.First; x >= n {
			x -= n
		} else {
			return r.First + x
		}
	}
	panic("kg: a row beyond those of the group")
}
