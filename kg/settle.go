package kg

import (
	"math"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/upper"
)

// newcomers are new entities among old ones that stay where they are. What they minimise is the loss of training on the
// questions about their facts, summed, with everything else a constant:
//
//	min over the new rows of Σ_{questions} ℓ(s⁺, s⁻) + the penalty of their rows
//
// Overview: a fact about a new entity v is a question that v asks, (v, r, ?), or one that it answers, (u, r, ?), mostly
// both once. False answers are a pool of old entities. Of questions that old entities ask, the scores of the pool are
// constants, which are computed once; of the others a step has one product of matrices, a row for every different question.
type newcomers struct {
	m         *Model // H has rows for all, new ones last
	old       int
	asks      stand // questions that new entities ask
	answers   stand // questions of old entities that new ones answer
	pool      *mat.Index
	questions []float64 // by new entity: how many questions speak about it
}

// stand are facts as answers to questions, several facts to one.
type stand struct {
	list   []question
	of     []int32 // of a fact: its question
	answer []int32 // of a fact: its answer
}

// newNewcomers sorts the facts about entities from old on.
func newNewcomers(m *Model, facts []graph.Triple, old, pool int, seed uint64) *newcomers {
	n := &newcomers{m: m, old: old, questions: make([]float64, m.H.Rows()-old)}
	known := map[question]int32{}
	for _, f := range facts {
		for side := range 2 {
			q, answer := sideOf(f, side), answerOf(f, side)
			if int(q.End) >= old {
				n.asks.add(known, q, answer)
			} else {
				n.answers.add(known, q, answer)
			}
			for _, v := range []int32{q.End, answer} {
				if int(v) >= old {
					n.questions[int(v)-old]++
				}
			}
		}
	}
	ids := make([]int32, pool)
	for i := range ids {
		ids[i] = int32((mat.Mix(seed, uint64(i)) >> 32) * uint64(old) >> 32)
	}
	n.pool = index(ids, m.H.Rows())
	return n
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

// energy is what new rows x minimise, 1×1.
func (n *newcomers) energy(x ad.Var) ad.Var {
	c := n.m.Config
	h, e := n.among(x), ad.Const(n.m.E.Value())
	pool := ad.Const(n.m.H.Value()).Gather(n.pool)
	more := c.prior(n.m.H.Rows(), n.pool.Len())
	total := n.asks.loss(c, h, e, pool, more).Add(n.answers.loss(c, h, e, pool, more))
	if c.Penalty.Weight == 0 {
		return total
	}
	weights := make([]mat.Real, len(n.questions))
	for v, q := range n.questions {
		weights[v] = mat.Real(c.Penalty.Weight * q)
	}
	return total.Add(c.powers(x).SumCols().Dot(ad.Const(mat.FromSlice(len(weights), 1, weights))))
}

// among is H with new rows x.
func (n *newcomers) among(x ad.Var) ad.Var {
	clear := mat.New(n.m.H.Rows(), n.m.H.Cols())
	mat.Copy(clear, n.m.H.Value())
	mat.Scatter(clear, mat.New(x.Rows(), x.Cols()), n.rows())
	return ad.Const(clear).Add(x.SegmentSum(n.rows()))
}

// rows are the numbers of the new entities.
func (n *newcomers) rows() *mat.Index {
	ids := make([]int32, len(n.questions))
	for i := range ids {
		ids[i] = int32(n.old + i)
	}
	return index(ids, n.m.H.Rows())
}

// start is where new rows begin: the mean of where their neighbours want them,
//
//	h_v = 1/|N(v)| Σ_{(u,r,?) answered by v} q(h_u, e_r)
//
// which is the minimiser of squared distances. Inner products have a direction only; rows then get the mean length of old
// ones. An entity without a question to answer starts at the mean of the old entities.
func (n *newcomers) start() (*mat.Dense, error) {
	c, k := n.m.Config, len(n.questions)
	h := n.among(ad.Zeros(mat.Shape{Rows: k, Cols: c.Dim}))
	var of, to []int32
	weights := make([]mat.Real, k)
	for i, v := range n.answers.answer {
		of, to = append(of, n.answers.of[i]), append(to, v-int32(n.old))
		weights[to[i]]++
	}
	none := make([]mat.Real, k)
	for v, w := range weights {
		weights[v], none[v] = 1/max(1, w), 0
		if w == 0 {
			none[v] = 1
		}
	}
	column := func(x []mat.Real) ad.Var { return ad.Const(mat.FromSlice(k, 1, x)) }
	mean := h.SumRows().Scale(1 / float64(n.old)) // new rows are 0
	out := mean.Expand(mat.Shape{Rows: k, Cols: c.Dim}).Mul(column(none))
	if len(of) > 0 {
		at := n.answers.query(c, h, ad.Const(n.m.E.Value())).Gather(index(of, len(n.answers.list))).SegmentSum(index(to, k)).Mul(column(weights))
		if c.Model.Compare().Inner {
			length := h.Square().SumCols().Sqrt().Sum().Scale(1 / float64(n.old))
			at = at.Mul(at.Square().SumCols().Shift(1e-12).Sqrt().Recip()).Mul(length)
		}
		out = out.Add(at)
	}
	prog := ad.Compile(out)
	if err := prog.Run(); err != nil {
		return nil, err
	}
	return prog.Value(out), nil
}

// settle takes L steps from the start and returns the rows.
func (n *newcomers) settle(how Settle) (*mat.Dense, error) {
	from, err := n.start()
	if err != nil {
		return nil, err
	}
	x := ad.NewParam("new", from)
	f := n.energy(x.Var)
	g := ad.Grad(f, x.Var)[0]
	prog := ad.Compile(g)
	opt := newOptimizer(Adagrad, []*ad.Param{x}, nil)
	for range how.L {
		if err := prog.Run(); err != nil {
			return nil, err
		}
		opt.step([]*mat.Dense{prog.Value(g)}, how.Gamma)
	}
	return x.Value(), x.Value().CheckFinite()
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
