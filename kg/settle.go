package kg

import (
	"math"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/upper"
)

// energy is what rows x minimise with relations e, 1×1.
func (n *newcomers) energy(x, e ad.Var) ad.Var { return n.own(x, e).Add(n.noise(x, e)) }

// own is the loss of the questions about newcomers with the penalty of their rows, 1×1.
func (n *newcomers) own(x, e ad.Var) ad.Var {
	c := n.m.Config
	pool, more := n.rest.Gather(n.pool), c.prior(n.m.H.Rows(), n.pool.Len())
	total := n.asks.loss(c, x, n.rest, e, pool, more)
	total = total.Add(n.between.loss(c, x, x, e, pool, more))
	total = total.Add(n.answers.loss(c, n.rest, x, e, pool, more))
	if c.Penalty.Weight == 0 {
		return total
	}
	return total.Add(c.powers(x).SumCols().Dot(n.often).Scale(c.Penalty.Weight))
}

// noise is the loss of other questions, with newcomers among the false answers, times the questions of training that one of
// them stands for. In training a newcomer would have been drawn as often as any entity: with as many false answers as the
// pool stands for, out of all entities.
func (n *newcomers) noise(x, e ad.Var) ad.Var {
	if len(n.others.of) == 0 {
		return ad.Number(0)
	}
	c, s, all := n.m.Config, n.others, float64(n.m.H.Rows())
	pool, more := n.rest.Gather(n.pool), c.prior(n.m.H.Rows(), n.pool.Len())
	compare, q := c.Model.Compare(), s.query(c, n.rest, e).Gather(s.rows)
	yes := compare.Rows(q, n.rest.Gather(s.to)).Shift(c.Margin)
	old, fresh := compare.All(q, pool).Shift(c.Margin+more), compare.All(q, x).Shift(c.Margin)
	weight := float64(2 * n.m.Facts)
	if c.softmax() {
		// Everything but newcomers is a constant, log(exp s⁺ + Σ exp s⁻), beside which they are the only false answers.
		known := yes.Add(logSum(old).Sub(yes).Softplus())
		return upper.Softmax{}.Of(known, fresh.Shift(more+math.Log(float64(pool.Rows())/all))).Add(known.Sub(yes).Mean()).Scale(weight)
	}
	return c.Loss.Of(yes, ad.Concat(old, fresh)).Scale(weight * float64(pool.Rows()+x.Rows()) / all)
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
func (n *newcomers) among(x ad.Var) ad.Var { return n.rest.Add(x.SegmentSum(n.rows)) }

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
	out := n.rest.SumRows().Scale(1 / max(1, others)).Expand(mat.Shape{Rows: k, Cols: c.Dim}).Mul(column(none))
	if len(to) == 0 {
		return out
	}
	at := n.answers.query(c, n.rest, e).Gather(n.answers.rows)
	if w, v := n.answers.weight, index(to, k); w.IsZero() {
		at = at.SegmentSum(v).Mul(column(share))
	} else {
		at = at.Mul(w).SegmentSum(v).Div(w.SegmentSum(v).Add(column(none)))
	}
	if c.Model.Compare().Inner {
		length := n.rest.Square().SumCols().Sqrt().Sum().Scale(1 / max(1, others))
		at = at.Mul(at.Square().SumCols().Shift(1e-12).Sqrt().Recip()).Mul(length)
	}
	return out.Add(at)
}

// step is AdaGrad with what it remembers:
//
//	s ← s + g²        x ← x − γ g/√s
func (n *newcomers) step(x, s, e ad.Var, gamma float64) (ad.Var, ad.Var) {
	at := ad.Renew(x) // x may depend on e, which the derivative to x does not see
	g := ad.Grad(n.energy(at, e), at)[0]
	s = s.Add(g.Square())
	return x.Sub(g.Div(s.Shift(1e-20).Sqrt()).Scale(gamma)), s
}

// descend is the rows after some steps, as an expression of e.
func (n *newcomers) descend(e ad.Var, steps int, gamma float64) ad.Var {
	x := n.start(e)
	s := ad.Zeros(x.Shape())
	for range steps {
		x, s = n.step(x, s, e, gamma)
	}
	return x
}

// settle writes the rows after some steps into H: one program for all of them.
func (n *newcomers) settle(steps int, gamma float64) error {
	e := ad.Const(n.m.E.Value())
	x := ad.Eval(n.start(e))
	s := mat.New(x.Rows(), x.Cols())
	if steps > 0 {
		nextX, nextS := n.step(ad.Input(x), ad.Input(s), e, gamma)
		prog := ad.Compile(nextX, nextS)
		for range steps {
			if err := prog.Run(); err != nil {
				return err
			}
			mat.Copy(x, prog.Value(nextX))
			mat.Copy(s, prog.Value(nextS))
		}
	}
	mat.Scatter(n.m.H.Value(), x, n.rows)
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
