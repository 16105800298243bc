package kg

import (
	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/metric"
)

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
