package path

import (
	"sync"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/mat"
)

// shared holds what queries bring along about one graph where that is a whole model of relations (Graph): it depends on
// the relation of a query alone, and is computed once for each. The last few relations are kept.
type shared struct {
	mu    sync.Mutex
	asked *mat.Index
	prog  *ad.Program
	q, e  ad.Var
	kept  []brought // the oldest first
}

// brought is q and e of a relation, each in one row. Only readers have it once it is there.
type brought struct {
	relation int32
	q, e     *mat.Dense
}

// mostBrought is how many relations are kept: threads work on neighbours in a list that is sorted by relation.
const mostBrought = 8

// shared returns what queries about n share; nil if they compute it themselves.
func (m *Model) shared(n *net) *shared {
	if m.Relations != Graph {
		return nil
	}
	s := &shared{asked: mat.NewBatchIndex(1, m.numRelations())}
	s.q, s.e = m.vectorsFor(n, s.asked)
	s.prog = ad.Compile(s.q, s.e)
	return s
}

// broughtBy returns what queries of a relation bring along.
func (s *shared) broughtBy(relation int32) (brought, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, b := range s.kept {
		if b.relation == relation {
			return b, nil
		}
	}
	must(s.asked.Update([]int32{relation}))
	if err := s.prog.Run(); err != nil {
		return brought{}, err
	}
	b := brought{relation, copied(s.prog.Value(s.q)), copied(s.prog.Value(s.e))}
	if len(s.kept) == mostBrought {
		s.kept = append(s.kept[:0], s.kept[1:]...)
	}
	s.kept = append(s.kept, b)
	return b, nil
}

func copied(x *mat.Dense) *mat.Dense {
	y := mat.New(x.Rows(), x.Cols())
	mat.Copy(y, x)
	return y
}
