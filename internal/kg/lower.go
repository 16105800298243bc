package kg

import (
	"math"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/energy"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/metric"
)

// lower returns ℓ_low of moving entities with a row for each of them, everything held being a constant: the fast form
// of plain. Rows that move are read from H of the descent alone, so the rest gets no derivative, and a question that
// several facts answer is compared with the pool once.
func (n *moving) lower(e ad.Var) *energy.Lower {
	k := len(n.list)
	g, err := graph.Build(graph.Spec{Nodes: k})
	if err != nil {
		panic(err) // k nodes and no edge
	}
	l := &energy.Lower{On: energy.NewStructure(g), Whole: []energy.WholeTerm{movingLoss{n, e}}}
	n.m.Config.Bilevel.extend(l, mat.Shape{Rows: k, Cols: n.m.Config.Dim})
	return l
}

// movingLoss is Σ_{questions} ℓ + Σ_{other questions} ℓ + the penalty of all rows, for H of the moving rows alone.
type movingLoss struct {
	*moving
	e ad.Var
}

// Whole returns the energy of rows h.
func (t movingLoss) Whole(h ad.Var) ad.Var {
	return t.factLoss(h, t.e).Add(t.otherLoss(t.others.query(t.m.Config, t.rest, t.e), h))
}

func (t movingLoss) Params() []*ad.Param { return []*ad.Param{t.m.E} }

// factLoss returns the loss of the questions about rows x with their penalty, 1×1.
func (n *moving) factLoss(x, e ad.Var) ad.Var {
	c := n.m.Config
	pool, more := n.falseAnswers()
	total := n.asks.loss(c, x, n.rest, e, pool, more)
	total = total.Add(n.between.loss(c, x, x, e, pool, more))
	total = total.Add(n.answers.loss(c, n.rest, x, e, pool, more))
	if c.Penalty.Weight == 0 {
		return total
	}
	return total.Add(c.powers(x).SumCols().Dot(n.often).Scale(c.Penalty.Weight))
}

// falseAnswers returns the rows of the pool, and what is added to their scores.
func (n *moving) falseAnswers() (pool ad.Var, more float64) {
	return n.rest.Gather(n.pool), n.m.Config.prior(n.m.H.Rows(), n.pool.Len())
}

// otherLoss returns the loss of other questions, given as queries, with rows x among the false answers, times the
// questions of training that one of them stands for. In training a moving entity would have been drawn as often as any
// other: the pool stands for a number of false answers drawn from all entities.
func (n *moving) otherLoss(queries, x ad.Var) ad.Var {
	s := n.others
	if len(s.of) == 0 {
		return ad.Number(0)
	}
	c, all := n.m.Config, float64(n.m.H.Rows())
	pool, more := n.falseAnswers()
	compare, q := c.Model.Compare(), queries.Gather(s.rows)
	yes := compare.Rows(q, n.rest.Gather(s.to)).Shift(c.Margin)
	old, fresh := compare.All(q, pool).Shift(c.Margin+more), compare.All(q, x).Shift(c.Margin)
	weight := float64(2 * n.m.Facts)
	if c.softmax() {
		// Everything that is held is a constant, log(exp s⁺ + Σ exp s⁻), besides which moving entities are the only
		// false answers.
		known := yes.Add(logSum(old).Sub(yes).Softplus())
		fresh = fresh.Shift(more + math.Log(float64(pool.Rows())/all))
		return Softmax{}.Of(known, fresh).Add(known.Sub(yes).Mean()).Scale(weight)
	}
	return c.Loss.Of(yes, ad.Concat(old, fresh)).Scale(weight * float64(pool.Rows()+x.Rows()) / all)
}

// plain returns ℓ_low by its definition, with a row for every entity. Its graph has an edge for every question about a
// moving entity,
//
//	f(h_u, h_v; r) = ℓ( s(h_u, e_r, h_v), s(h_u, e_r, x) for x in the pool )
//
// so that a fact is two edges, of relations 2r and 2r+1; κ is the penalty, weighted by the number of questions about
// an entity; the loss of other questions is a whole term, as the logarithm of a softmax couples all entities that are
// false answers; η holds the others.
func (n *moving) plain(e ad.Var) (*energy.Lower, error) {
	m := n.m
	all := m.H.Rows()
	spec := graph.Spec{Nodes: all, Relations: 2 * m.numRelations()}
	for _, f := range n.facts {
		for side := range 2 {
			q, answer := metric.QuestionFor(f, side)
			spec.Triples = append(spec.Triples, graph.Triple{U: q.End, R: q.Of, V: answer})
		}
	}
	g, err := graph.Build(spec)
	if err != nil {
		return nil, err
	}
	l := &energy.Lower{On: energy.NewStructure(g), F: []energy.EdgeTerm{questionLoss{n, e}},
		Whole: []energy.WholeTerm{otherQuestions{n, e}}}
	if m.Config.Penalty.Weight > 0 {
		l.Kappa = []energy.NodeTerm{rowPenalty{m.Config, n.often.SegmentSum(n.rows)}}
	}
	m.Config.Bilevel.extend(l, m.H.Shape())
	var held []int32
	for v := range int32(n.m.H.Rows()) {
		if _, moves := n.place[v]; !moves {
			held = append(held, v)
		}
	}
	rows := mat.New(len(held), n.m.H.Cols())
	mat.Gather(rows, n.m.H.Value(), mat.MustIndex(held, n.m.H.Rows()))
	l.Eta, err = energy.Held(held, n.m.H.Rows(), rows, l.Eta)
	return l, err
}

// questionLoss is f of plain.
type questionLoss struct {
	*moving
	e ad.Var
}

// Edge returns the loss of every question.
func (t questionLoss) Edge(e energy.Edges) ad.Var {
	c := t.m.Config
	pool, more := t.falseAnswers()
	compare, q := c.Model.Compare(), c.Model.Query(e.U, c.operands(t.e).Gather(e.R))
	yes, no := compare.Rows(q, e.V).Shift(c.Margin), compare.All(q, pool).Shift(c.Margin+more)
	if c.softmax() {
		return Softmax{}.Each(yes, no)
	}
	return c.Loss.(Additive).Each(yes, no)
}

func (t questionLoss) Params() []*ad.Param { return []*ad.Param{t.m.E} }
func (t questionLoss) Name() string        { return energy.NameOf(t.m.Config.Model) }

// rowPenalty is κ of plain: the penalty of a row, as often as questions speak about it.
type rowPenalty struct {
	Config
	often ad.Var // n×1
}

// Node is weight·often·Σ|h|ᵖ.
func (t rowPenalty) Node(v energy.Nodes) ad.Var {
	return t.powers(v.H).SumCols().Mul(t.often).Scale(t.Penalty.Weight)
}

func (rowPenalty) Params() []*ad.Param { return nil }
func (rowPenalty) Name() string        { return "penalty" }

// otherQuestions is the whole term of plain.
type otherQuestions struct {
	*moving
	e ad.Var
}

// Whole returns the loss of other questions, whose own ends and answers are held.
func (t otherQuestions) Whole(h ad.Var) ad.Var {
	return t.otherLoss(t.others.query(t.m.Config, t.rest, t.e), h.Gather(t.rows))
}

func (t otherQuestions) Params() []*ad.Param { return []*ad.Param{t.m.E} }
func (otherQuestions) Name() string          { return "other questions" }

// prior returns the number to add to the scores of k false answers, for models that were trained as softmax over more:
// they stand for all false answers of training.
func (c Config) prior(n, k int) float64 {
	if !c.softmax() {
		return 0
	}
	trained := c.Negatives.PerSide
	switch _, is := c.Loss.(Softmax); {
	case c.Against == Everything || !is:
		trained = n
	case c.Negatives.Shared > 0:
		trained = c.Negatives.Shared
	}
	return math.Log(float64(trained) / float64(k))
}
