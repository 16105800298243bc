package kg

import (
	"cmp"
	"slices"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/ranking"
)

// Pieces are the embeddings of all entities, some at a time.
type Pieces interface {
	// Pieces is how many there are.
	Pieces() int
	// Piece reads piece i into the first rows of to, and says which entities they are: n from first on.
	Piece(i int, to *mat.Dense) (first, n int, err error)
}

// Stream asks a model whose entities are read in pieces, so that there is memory for one of them.
type Stream struct {
	pieces   Pieces
	entities int
	piece    *mat.Dense // rows×d

	ends, of      *mat.Index
	from          *mat.Dense // asking×d: embeddings of the ends of all questions
	prog          *ad.Program
	out           ad.Var
	block         int
	end, relation []int32
	scores        []mat.Real
}

// askedAtOnce is how many questions a pass over all pieces answers at most, and scoresAtOnce how many scores are
// computed at a time.
const (
	askedAtOnce  = 1 << 13
	scoresAtOnce = 1 << 20
)

// NewStream asks a model of n entities with the relations e, in pieces of at most so many rows. e is read when
// questions are asked.
func NewStream(c Config, e *ad.Param, n, rows int, p Pieces) *Stream {
	c = c.filled()
	compare := c.Model.Compare()
	s := &Stream{pieces: p, entities: n, piece: mat.New(rows, c.Dim), from: mat.New(askedAtOnce, c.Dim), block: 1}
	if compare.Expands() {
		s.block = max(1, min(256, scoresAtOnce/rows))
	}
	s.end, s.relation = make([]int32, s.block), make([]int32, s.block)
	operands := c.operands(e.Var)
	s.ends, s.of = mat.NewBatchIndex(s.block, askedAtOnce), mat.NewBatchIndex(s.block, operands.Rows())
	h := ad.Input(s.piece)
	q := c.Model.Query(ad.Input(s.from).Gather(s.ends), operands.Gather(s.of))
	if compare.Expands() {
		s.out = compare.All(q, h)
	} else {
		s.out = compare.Rows(q.Expand(h.Shape()), h)
	}
	s.prog = ad.Compile(s.out)
	s.scores = make([]mat.Real, s.block*rows)
	return s
}

// read reads a piece.
func (s *Stream) read(i int, then func(first, n int) error) error {
	first, n, err := s.pieces.Piece(i, s.piece)
	if err != nil {
		return err
	}
	return then(first, n)
}

// pass goes over all pieces.
func (s *Stream) pass(then func(first, n int) error) error {
	for i := range s.pieces.Pieces() {
		if err := s.read(i, then); err != nil {
			return err
		}
	}
	return nil
}

// begin reads the embeddings of the ends of questions, at most askedAtOnce.
func (s *Stream) begin(qs []ranking.Question) error {
	d := s.piece.Cols()
	room := make([]mat.Real, askedAtOnce*d)
	err := s.pass(func(first, n int) error {
		rows := s.piece.Slice()
		for j, q := range qs {
			if at := int(q.End) - first; at >= 0 && at < n {
				copy(room[j*d:(j+1)*d], rows[at*d:(at+1)*d])
			}
		}
		return nil
	})
	s.from.Write(room)
	return err
}

// score computes the scores of the n entities of the piece in place for the questions that are listed.
func (s *Stream) score(qs []ranking.Question, list []int32, n int, take func(i int32, scores []mat.Real)) error {
	rows := s.piece.Rows()
	for at := 0; at < len(list); at += s.block {
		now := list[at:min(at+s.block, len(list))]
		for j := range s.end {
			i := now[min(j, len(now)-1)]
			s.end[j], s.relation[j] = i, qs[i].Of
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
		s.prog.Value(s.out).Read(s.scores)
		each(len(now), func(j int) { take(now[j], s.scores[j*rows:][:n]) })
	}
	return nil
}

// Rank is Model.Rank. All pieces are read three times for every 4,096 facts: for the ends of questions, for the scores
// of their answers, and for those of all candidates.
func (s *Stream) Rank(facts []graph.Triple, among ranking.Candidates) ([]ranking.Ranked, error) {
	out := ranking.Unranked(facts)
	for at := 0; at < len(facts); at += askedAtOnce / 2 {
		if err := s.rank(out[at:min(at+askedAtOnce/2, len(facts))], among, at); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// rank ranks facts, the first of which is number at.
func (s *Stream) rank(facts []ranking.Ranked, among ranking.Candidates, at int) error {
	qs, all := make([]ranking.Question, 2*len(facts)), make([]int32, 2*len(facts))
	answers, tallies := make([]int32, 2*len(facts)), make([]ranking.Tally, 2*len(facts))
	for i := range qs {
		all[i] = int32(i)
		qs[i], answers[i] = ranking.Ask(facts[i/2].Fact, i%2)
		tallies[i] = among.Tally(s.entities, facts[i/2].Fact, i%2, 2*at+i)
	}
	if err := s.begin(qs); err != nil {
		return err
	}
	own := func(first, n int) error {
		var here []int32
		for i, v := range answers {
			if int(v) >= first && int(v) < first+n {
				here = append(here, int32(i))
			}
		}
		return s.score(qs, here, n, func(i int32, x []mat.Real) { tallies[i].Own(int32(first), x) })
	}
	if err := s.pass(own); err != nil {
		return err
	}
	err := s.pass(func(first, n int) error {
		return s.score(qs, all, n, func(i int32, x []mat.Real) { tallies[i].Count(int32(first), x) })
	})
	for i := range tallies {
		facts[i/2].Set(i%2, tallies[i].Ranking)
	}
	return err
}

// Scored is an entity with its score.
type Scored struct {
	Entity int32
	Score  float64
}

// Best are the best answers to a question, at most top, best first; of equal ones the smaller number.
func (s *Stream) Best(q ranking.Question, top int) ([]Scored, error) {
	qs := []ranking.Question{q}
	if err := s.begin(qs); err != nil {
		return nil, err
	}
	var best []Scored
	err := s.pass(func(first, n int) error {
		return s.score(qs, []int32{0}, n, func(_ int32, x []mat.Real) {
			for i, score := range x {
				best = append(best, Scored{int32(first + i), float64(score)})
			}
			slices.SortStableFunc(best, func(a, b Scored) int {
				return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.Entity, b.Entity))
			})
			best = best[:min(top, len(best))]
		})
	})
	return best, err
}
