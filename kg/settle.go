package kg

import (
	"math"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/upper"
)

// newcomers are entities that find their place among others, which stay where they are. What they minimise is the loss of
// training on the questions about their facts, summed, with everything else a constant:
//
//	min over their rows of Σ_{questions} ℓ(s⁺, s⁻) + the penalty of their rows
//
// Overview: a fact about a newcomer v is a question that v asks, (v, r, ?), or one that it answers, (u, r, ?), mostly
// both once. False answers are a pool of the others. Of questions that others ask, the scores of the pool are
// constants, which are computed once; of the rest a step has one product of matrices, a row for every different question.
type newcomers struct {
	m         *Model
	list      []int32 // the newcomers
	place     map[int32]int32
	asks      stand // questions that newcomers ask
	answers   stand // questions of others that newcomers answer
	pool      *mat.Index
	questions []float64  // by newcomer: how many questions speak about it
	rest      *mat.Dense // H with rows of 0 for the newcomers
}

// stand are facts as answers to questions, several facts to one.
type stand struct {
	list   []question
	of     []int32 // of a fact: its question
	answer []int32 // of a fact: its answer
}

// newNewcomers sorts the facts, each of which is about one of the entities in list, and draws a pool.
func newNewcomers(m *Model, facts []graph.Triple, list []int32, pool int, seed uint64) *newcomers {
	n := &newcomers{m: m, list: list, place: make(map[int32]int32, len(list)), questions: make([]float64, len(list))}
	for i, v := range list {
		n.place[v] = int32(i)
	}
	known := map[question]int32{}
	for _, f := range facts {
		for side := range 2 {
			q, answer := sideOf(f, side), answerOf(f, side)
			if i, is := n.place[q.End]; is {
				n.asks.add(known, q, answer)
				n.questions[i]++
			} else {
				n.answers.add(known, q, answer)
			}
			if i, is := n.place[answer]; is {
				n.questions[i]++
			}
		}
	}
	n.pool = index(n.draw(pool, seed), m.H.Rows())
	n.rest = mat.New(m.H.Rows(), m.H.Cols())
	mat.Copy(n.rest, m.H.Value())
	mat.Scatter(n.rest, mat.New(len(list), m.H.Cols()), n.rows())
	return n
}

// draw is k entities that are no newcomers, or any where there are hardly others.
func (n *newcomers) draw(k int, seed uint64) []int32 {
	all := uint64(n.m.H.Rows())
	ids := make([]int32, 0, k)
	for i := uint64(0); len(ids) < k; i++ {
		v := int32((mat.Mix(seed, i) >> 32) * all >> 32)
		if _, is := n.place[v]; !is || i > 20*uint64(k) {
			ids = append(ids, v)
		}
	}
	return ids
}

// add writes a fact down; known are the numbers of questions.
func (s *stand) add(known map[question]int32, q question, answer int32) {
	i, ok := known[q]
	if !ok {
		i = int32(len(s.list))
		known[q] = i
		s.list = append(s.list, q)
	}
	s.of, s.answer = append(s.of, i), append(s.answer, answer)
}

// query is q of every question.
func (s *stand) query(c Config, h, e ad.Var) ad.Var {
	var ends, of []int32
	for _, q := range s.list {
		ends, of = append(ends, q.End), append(of, q.Of)
	}
	operands := c.operands(e)
	return c.Model.Query(h.Gather(index(ends, h.Rows())), operands.Gather(index(of, operands.Rows())))
}

// loss is Σ ℓ over the facts, 1×1. pool is the rows of false answers, and more what is added to their scores.
func (s *stand) loss(c Config, h, e, pool ad.Var, more float64) ad.Var {
	if len(s.of) == 0 {
		return ad.Number(0)
	}
	compare, q, rows := c.Model.Compare(), s.query(c, h, e), index(s.of, len(s.list))
	yes := compare.Rows(q.Gather(rows), h.Gather(index(s.answer, h.Rows()))).Shift(c.Margin)
	no := compare.All(q, pool).Shift(c.Margin + more)
	if c.softmax() {
		// −log( exp s⁺ / (exp s⁺ + Σ exp s⁻) ) = softplus(log Σ exp s⁻ − s⁺): a number a question, not a row a fact.
		total := no.Columns(0, 1).Sub(no.LogSoftmax().Columns(0, 1))
		return total.Gather(rows).Sub(yes).Softplus().Sum()
	}
	return c.Loss.Of(yes, no.Gather(rows)).Scale(float64(len(s.of)))
}

// energy is what rows x minimise with relations e, 1×1.
func (n *newcomers) energy(x, e ad.Var) ad.Var {
	c := n.m.Config
	h, pool := n.among(x), ad.Const(n.rest).Gather(n.pool)
	more := c.prior(n.m.H.Rows(), n.pool.Len())
	total := n.asks.loss(c, h, e, pool, more).Add(n.answers.loss(c, h, e, pool, more))
	if c.Penalty.Weight == 0 {
		return total
	}
	return total.Add(c.powers(x).SumCols().Dot(column(n.questions)).Scale(c.Penalty.Weight))
}

// column is a constant, len(x)×1.
func column(x []float64) ad.Var {
	real := make([]mat.Real, len(x))
	for i, v := range x {
		real[i] = mat.Real(v)
	}
	return ad.Const(mat.FromSlice(len(x), 1, real))
}

// among is H with rows x for the newcomers.
func (n *newcomers) among(x ad.Var) ad.Var { return ad.Const(n.rest).Add(x.SegmentSum(n.rows())) }

// rows are the numbers of the newcomers.
func (n *newcomers) rows() *mat.Index { return index(n.list, n.m.H.Rows()) }

// start is where rows begin: the mean of where their neighbours want them,
//
//	h_v = 1/|N(v)| Σ_{(u,r,?) answered by v} q(h_u, e_r)
//
// which is the minimiser of squared distances. Inner products have a direction only; rows then get the mean length of the
// others. A newcomer that answers no question of theirs starts at their mean.
func (n *newcomers) start(e ad.Var) ad.Var {
	c, k, others := n.m.Config, len(n.list), float64(n.m.H.Rows()-len(n.list))
	share, none := make([]float64, k), make([]float64, k)
	to := make([]int32, len(n.answers.answer))
	for i, v := range n.answers.answer {
		to[i] = n.place[v]
		share[to[i]]++
	}
	for v, count := range share {
		if share[v] = 1 / max(1, count); count == 0 {
			none[v] = 1
		}
	}
	rest := ad.Const(n.rest)
	out := rest.SumRows().Scale(1 / max(1, others)).Expand(mat.Shape{Rows: k, Cols: c.Dim}).Mul(column(none))
	if len(to) == 0 {
		return out
	}
	at := n.answers.query(c, rest, e).Gather(index(n.answers.of, len(n.answers.list))).SegmentSum(index(to, k)).Mul(column(share))
	if c.Model.Compare().Inner {
		length := rest.Square().SumCols().Sqrt().Sum().Scale(1 / max(1, others))
		at = at.Mul(at.Square().SumCols().Shift(1e-12).Sqrt().Recip()).Mul(length)
	}
	return out.Add(at)
}

// descend is the rows after steps of AdaGrad, as an expression of e.
//
//	s ← s + g²        x ← x − γ g/√s
func (n *newcomers) descend(e ad.Var, steps int, gamma float64) ad.Var {
	x := n.start(e)
	s := ad.Zeros(x.Shape())
	for range steps {
		at := ad.Renew(x) // the start depends on e, which the derivative to x does not see
		g := ad.Grad(n.energy(at, e), at)[0]
		s = s.Add(g.Square())
		x = x.Sub(g.Div(s.Shift(1e-20).Sqrt()).Scale(gamma))
	}
	return x
}

// settle writes the rows after L steps into H.
func (n *newcomers) settle(steps int, gamma float64) error {
	out := n.descend(ad.Const(n.m.E.Value()), steps, gamma)
	prog := ad.Compile(out)
	if err := prog.Run(); err != nil {
		return err
	}
	x := prog.Value(out)
	mat.Scatter(n.m.H.Value(), x, n.rows())
	return x.CheckFinite()
}

// prior is what is added to the scores of k false answers, for models that were trained as softmax over more: they stand
// for as many as training had.
func (c Config) prior(n, k int) float64 {
	if !c.softmax() {
		return 0
	}
	trained := c.Negatives.PerSide
	switch _, is := c.Loss.(upper.Softmax); {
	case c.Against == Everything || !is:
		trained = n
	case c.Negatives.Shared > 0:
		trained = c.Negatives.Shared
	}
	return math.Log(float64(trained) / float64(k))
}
