package kg

import (
	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/adjoint"
	"github.com/bloomgml/bloom/descent"
	"github.com/bloomgml/bloom/energy"
	"github.com/bloomgml/bloom/mat"
)

// descend returns the rows of moving entities after some steps of a, k×d, as an expression of e.
func (n *moving) descend(e ad.Var, a descent.Algorithm, steps int) (ad.Var, error) {
	x := n.start(e)
	if steps == 0 {
		return x, nil
	}
	a = fineAdaGrad(a)
	if alone, _ := descent.Looks(a); alone {
		l := n.lower(e)
		if err := descent.Check(a, l); err != nil {
			return x, err
		}
		return adjoint.Unrolled{}.Run(a, l, x, steps), nil
	}
	l, err := n.plain(e)
	if err != nil {
		return x, err
	}
	if err := descent.Check(a, l); err != nil {
		return x, err
	}
	return adjoint.Unrolled{}.Run(a, l, n.withRows(x), steps).Gather(n.rows), nil
}

// fineAdaGrad returns a, with an ε of 1e-20 where AdaGrad says nothing about it: entities that start near 0 have
// gradients of 1e-9 at first.
func fineAdaGrad(a descent.Algorithm) descent.Algorithm {
	if a == descent.AdaGrad(descent.Pace(a)) {
		return descent.WithEps(a, 1e-20)
	}
	return a
}

// settle writes the rows after some steps into H.
func (n *moving) settle(a descent.Algorithm, steps int) error {
	x, err := n.descend(ad.Const(n.m.E.Value()), a, steps)
	if err != nil {
		return err
	}
	prog := ad.Compile(x)
	if err := prog.Run(); err != nil {
		return err
	}
	mat.Scatter(n.m.H.Value(), prog.Value(x), n.rows)
	return prog.Value(x).CheckFinite()
}

// withRows returns H with rows x for the moving entities.
func (n *moving) withRows(x ad.Var) ad.Var { return n.rest.Add(x.SegmentSum(n.rows)) }

// start returns where rows begin: the mean of where their neighbours want them,
//
//	h_v = 1/|N(v)| Σ_{(u,r,?) answered by v} q(h_u, e_r)
//
// which is the minimiser of squared distances. Inner products have a direction only; rows then get the mean length of
// the others. An entity that answers no question of a held one starts at the mean of the held ones.
func (n *moving) start(e ad.Var) ad.Var {
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
	if w, v := n.answers.weight, mat.MustIndex(to, k); w.IsZero() {
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

// column returns a constant, len(x)×1.
func column(x []float64) ad.Var {
	real := make([]mat.Real, len(x))
	for i, v := range x {
		real[i] = mat.Real(v)
	}
	return ad.Const(mat.FromSlice(len(x), 1, real))
}

// extend adds κ and η of b to an energy on rows of a shape. Entities have no features: π = 0. A nil b adds neither.
func (b *Bilevel) extend(l *energy.Lower, rows mat.Shape) {
	if b == nil {
		return
	}
	l.Pi, l.Eta = ad.Fill(rows, 0), b.Eta
	l.Kappa = append(l.Kappa, b.Kappa...)
}
