package kg

import (
	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/metric"
)

// questionSet is different questions with the facts that answer them, several facts to one question.
type questionSet struct {
	list   []metric.Question
	of     []int32 // by fact: its question
	answer []int32 // by fact: its answer
	known  map[metric.Question]int32
	weight ad.Var // of a fact in the loss, a row each; absent where all weigh 1

	rows, to, ends, operands *mat.Index // of and answer, and what a question reads, when all are added
}

// rowsOf numbers entities by the rows of a matrix; nil means the rows of H.
type rowsOf map[int32]int32

// index returns the rows of entities, of which H has n.
func (r rowsOf) index(entities []int32, n int) *mat.Index {
	if r == nil {
		return mat.MustIndex(entities, n)
	}
	rows := make([]int32, len(entities))
	for i, v := range entities {
		rows[i] = r[v]
	}
	return mat.MustIndex(rows, len(r))
}

// add writes a fact down.
func (s *questionSet) add(q metric.Question, answer int32) {
	if s.known == nil {
		s.known = map[metric.Question]int32{}
	}
	i, ok := s.known[q]
	if !ok {
		i = int32(len(s.list))
		s.known[q] = i
		s.list = append(s.list, q)
	}
	s.of, s.answer = append(s.of, i), append(s.answer, answer)
}

// buildIndices makes the lists that expressions read, once: operations that read the same list are then the same.
// asking and answering say from which rows ends of questions and answers will be read.
func (s *questionSet) buildIndices(m *Model, asking, answering rowsOf) {
	var ends, operands []int32
	for _, q := range s.list {
		ends, operands = append(ends, q.End), append(operands, q.Of)
	}
	s.rows, s.to = mat.MustIndex(s.of, len(s.list)), answering.index(s.answer, m.H.Rows())
	s.ends, s.operands = asking.index(ends, m.H.Rows()), mat.MustIndex(operands, 2*m.numRelations())
}

// query is q of every question, whose ends are rows of h.
func (s *questionSet) query(c Config, h, e ad.Var) ad.Var {
	return c.Model.Query(h.Gather(s.ends), c.operands(e).Gather(s.operands))
}

// loss returns Σ ℓ over the facts, 1×1. Ends of questions are rows of h, and answers rows of to; pool is the rows of
// false answers, and more what is added to their scores.
func (s *questionSet) loss(c Config, h, to, e, pool ad.Var, more float64) ad.Var {
	if len(s.of) == 0 {
		return ad.Number(0)
	}
	compare, q := c.Model.Compare(), s.query(c, h, e)
	yes := compare.Rows(q.Gather(s.rows), to.Gather(s.to)).Shift(c.Margin)
	no := compare.All(q, pool).Shift(c.Margin + more)
	if c.softmax() {
		// −log( exp s⁺ / (exp s⁺ + Σ exp s⁻) ) = softplus(log Σ exp s⁻ − s⁺): one number per question, not one row per
		// fact.
		return s.total(logSum(no).Gather(s.rows).Sub(yes).Softplus())
	}
	return s.total(c.Loss.(Additive).Each(yes, no.Gather(s.rows)))
}

// total returns the sum over facts by their weights, 1×1.
func (s *questionSet) total(each ad.Var) ad.Var {
	if s.weight.IsZero() {
		return each.Sum()
	}
	return each.Dot(s.weight)
}

// logSum is log Σ exp of every row.
func logSum(x ad.Var) ad.Var { return x.Columns(0, 1).Sub(x.LogSoftmax().Columns(0, 1)) }
