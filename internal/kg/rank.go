package kg

import (
	"cmp"
	"slices"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/dataset"
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

// Answer is an entity with its score.
type Answer struct {
	Entity int32
	Score  float64
}

// Answers returns the best answers to a question, at most top of them, best first; ties are broken by the smaller
// number.
func (m *Model) Answers(q metric.Question, top int) ([]Answer, error) {
	s := newScorer(m)
	scores := make([]mat.Real, s.block*s.n)
	if err := s.scores(scores, []metric.Question{q}); err != nil {
		return nil, err
	}
	list := make([]Answer, s.n)
	for v := range list {
		list[v] = Answer{int32(v), float64(scores[v]) + m.Config.Margin}
	}
	slices.SortStableFunc(list, func(a, b Answer) int { return cmp.Compare(b.Score, a.Score) })
	return list[:max(0, min(top, s.n))], nil
}

// scorer scores all entities for a block of questions at a time.
type scorer struct {
	ends, of      *mat.Index
	end, relation []int32
	prog          *ad.Program
	out           ad.Var // block×n
	block, n      int
}

// blockOf returns the number of questions that are scored at once, so that their scores fit into some tens of
// megabytes.
func blockOf(n int) int { return max(1, min(256, 8<<20/max(1, n))) }

// newScorer scores with the present embeddings of m.
func newScorer(m *Model) *scorer {
	c, n := m.Config, m.H.Rows()
	s := &scorer{block: blockOf(n), n: n}
	s.ends, s.of = mat.NewBatchIndex(s.block, n), mat.NewBatchIndex(s.block, 2*m.numRelations())
	s.end, s.relation = make([]int32, s.block), make([]int32, s.block)
	q := c.Model.Query(m.H.Gather(s.ends), c.operands(m.E.Var).Gather(s.of))
	s.out = c.Model.Compare().All(q, m.H.Var)
	s.prog = ad.Compile(s.out)
	return s
}

// scores writes the scores of all entities for at most block questions into dst, row by row; rows beyond the questions
// hold nothing of use.
func (s *scorer) scores(dst []mat.Real, qs []metric.Question) error {
	for i := range s.end {
		q := qs[min(i, len(qs)-1)]
		s.end[i], s.relation[i] = q.End, q.Of
	}
	if err := s.ends.Update(s.end); err != nil {
		return err
	}
	if err := s.of.Update(s.relation); err != nil {
		return err
	}
	if err := s.prog.Run(); err != nil {
		return err
	}
	s.prog.Value(s.out).Read(dst)
	return nil
}

// AtOnce returns the number of facts that are ranked at a time, and at least: two questions each.
func (m *Model) AtOnce() int { return max(1, blockOf(m.H.Rows())/2) }

// Evaluate ranks facts of d, which has the entities and relations of the model. If among has no known facts, all facts
// of d are: training, validation and test.
func (m *Model) Evaluate(d *dataset.Dataset, facts []graph.Triple, among metric.Candidates) (*metric.Report, error) {
	if among.Protocol == "" {
		among.Protocol = metric.Full
	}
	if among.Known == nil {
		among.Known = metric.NewKnown(d.Graph.Triples(), d.Valid, d.Test)
	}
	ranked, err := m.Rank(facts, among)
	if err != nil {
		return nil, err
	}
	return metric.NewReport(ranked, among.Protocol, d.RelationName, m.Seen), nil
}
