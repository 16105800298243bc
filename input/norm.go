package input

import (
	"github.com/bloomgml/bloom/ad"
)

// Norm is what stands between a layer's product and its activation.
type Norm uint8

// The norms: none, BatchNorm over the rows of every column, LayerNorm over the columns of every row.
const (
	NoNorm Norm = iota
	BatchNorm
	LayerNorm
)

// Chosen: ε and the momentum of running statistics are those of most systems.
const (
	normEps  = 1e-5
	momentum = 0.1
)

// norm is z ↦ (z − mean)/√(variance + ε) ∘ scale + shift.
type norm struct {
	kind         Norm
	scale, shift *ad.Param // 1×d
	mean, vari   *ad.Param // 1×d, running statistics of a BatchNorm
}

func newNorm(kind Norm, name string, d int) *norm {
	if kind == NoNorm {
		return nil
	}
	n := &norm{kind: kind, scale: filled(name+".scale", 1, d, 1), shift: filled(name+".shift", 1, d, 0)}
	if kind == BatchNorm {
		n.mean, n.vari = filled(name+".mean", 1, d, 0), filled(name+".variance", 1, d, 1)
	}
	return n
}

func (n *norm) forward(c Context, z ad.Var) ad.Var {
	if n == nil {
		return z
	}
	var y ad.Var
	switch {
	case n.kind == LayerNorm:
		d := float64(z.Cols())
		y = z.Sub(z.SumCols().Scale(1 / d))
		y = y.Mul(inverseRoot(y.Square().SumCols().Scale(1 / d)))
	case c.Training:
		rows := float64(z.Rows())
		mean := z.SumRows().Scale(1 / rows)
		y = z.Sub(mean)
		vari := y.Square().SumRows().Scale(1 / rows)
		n.track(c, mean, vari.Scale(rows/max(1, rows-1)))
		y = y.Mul(inverseRoot(vari))
	default:
		y = z.Sub(n.mean.Var).Mul(inverseRoot(n.vari.Var))
	}
	return y.Mul(n.scale.Var).Add(n.shift.Var)
}

// inverseRoot is 1/√(v + ε).
func inverseRoot(v ad.Var) ad.Var { return v.Shift(normEps).Sqrt().Recip() }

// track moves the running statistics towards those of the batch; its variance is that of a sample.
func (n *norm) track(c Context, mean, vari ad.Var) {
	towards := func(p *ad.Param, v ad.Var) {
		c.Updates.add(p, p.Scale(1-momentum).Add(ad.Stop(v).Scale(momentum)))
	}
	towards(n.mean, mean)
	towards(n.vari, vari)
}

func (n *norm) params() []*ad.Param {
	if n == nil {
		return nil
	}
	return []*ad.Param{n.scale, n.shift}
}

func (n *norm) state() []*ad.Param {
	if n == nil || n.kind != BatchNorm {
		return nil
	}
	return []*ad.Param{n.mean, n.vari}
}
