package pair

import (
	"math"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/input"
	"github.com/bloomgml/bloom/mat"
)

// chunk is how many pairs are scored at a time.
const chunk = 4096

// scorer scores pairs in evaluation mode: one program for H, one for some pairs at a time.
type scorer struct {
	m         *model
	descent   *ad.Program
	h         ad.Var
	decode    *ad.Program
	z         ad.Var
	u, v      *mat.Index
	described *mat.Dense // the columns of pairs; nil without any
	ids       [2][]int32
	room      []mat.Real // for described
	out       []mat.Real
}

func newScorer(m *model) (*scorer, error) {
	n := m.On.On.Graph.NumNodes()
	s := &scorer{m: m, u: mat.NewBatchIndex(chunk, n), v: mat.NewBatchIndex(chunk, n),
		ids: [2][]int32{make([]int32, chunk), make([]int32, chunk)}, out: make([]mat.Real, chunk)}
	c := input.Evaluation()
	var err error
	if s.h, err = m.embed(c); err != nil {
		return nil, err
	}
	s.descent = ad.Compile(s.h)
	var columns ad.Var
	s.described, columns = m.columns.input(chunk)
	s.room = make([]mat.Real, chunk*m.columns.width())
	s.z = m.score(c, ad.Input(s.descent.Value(s.h)), s.u, s.v, columns)
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
			s.ids[0][i], s.ids[1][i] = p.u, p.v
			s.m.columns.row(s.room, i, p)
		}
		if err := s.u.Update(s.ids[0]); err != nil {
			return nil, err
		}
		if err := s.v.Update(s.ids[1]); err != nil {
			return nil, err
		}
		if s.described != nil {
			s.described.Write(s.room)
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

// judge measures what scores gives.
func (s *scorer) judge() judge { return judge{s.m.split, s.scores} }

// probability returns 1/(1 + e^−z).
func probability(z mat.Real) float64 { return 1 / (1 + math.Exp(-float64(z))) }
