package input

import (
	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/internal/random"
	"github.com/bloomgml/bloom/mat"
)

// Norm is the normalisation between a layer's product and its activation.
type Norm uint8

// The norms: none, BatchNorm over the rows of every column, LayerNorm over the columns of every row.
const (
	NoNorm Norm = iota
	BatchNorm
	LayerNorm
)

// Chosen: ε and the momentum of running statistics, as in most systems.
const (
	normEps  = 1e-5
	momentum = 0.1
)

// NormLayer is z ↦ (z − mean)/√(variance + ε) ∘ scale + shift. A nil one is the identity.
type NormLayer struct {
	Fused bool // LayerNorm is one operation, which rounds otherwise and is several times faster

	kind         Norm
	scale, shift *ad.Param // 1×d
	mean, vari   *ad.Param // 1×d, running statistics of a BatchNorm
}

// NewNorm returns a norm of d columns with initial scale 1 and shift 0; nil for NoNorm.
func NewNorm(kind Norm, name string, d int) *NormLayer {
	if kind == NoNorm {
		return nil
	}
	n := &NormLayer{kind: kind, scale: random.Filled(name+".scale", 1, d, 1),
		shift: random.Filled(name+".shift", 1, d, 0)}
	if kind == BatchNorm {
		n.mean, n.vari = random.Filled(name+".mean", 1, d, 0), random.Filled(name+".variance", 1, d, 1)
	}
	return n
}

// Forward returns the norm of z, n×d.
func (n *NormLayer) Forward(c Context, z ad.Var) ad.Var {
	if n == nil {
		return z
	}
	var y ad.Var
	switch {
	case n.kind == LayerNorm && n.Fused:
		return z.Norm(ad.Fill(mat.Shape{Rows: 1, Cols: z.Cols()}, 0), n.scale.Var, n.shift.Var, normEps, false)
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

// inverseRoot returns 1/√(v + ε).
func inverseRoot(v ad.Var) ad.Var { return v.Shift(normEps).Sqrt().Recip() }

// track moves the running statistics towards the statistics of the batch; vari is its sample variance.
func (n *NormLayer) track(c Context, mean, vari ad.Var) {
	towards := func(p *ad.Param, v ad.Var) {
		c.Updates.Follow(p, nil, p.Scale(1-momentum).Add(ad.Stop(v).Scale(momentum)))
	}
	towards(n.mean, mean)
	towards(n.vari, vari)
}

// Params returns scale and shift.
func (n *NormLayer) Params() []*ad.Param {
	if n == nil {
		return nil
	}
	return []*ad.Param{n.scale, n.shift}
}

// State returns the running statistics of a BatchNorm.
func (n *NormLayer) State() []*ad.Param {
	if n == nil || n.kind != BatchNorm {
		return nil
	}
	return []*ad.Param{n.mean, n.vari}
}
