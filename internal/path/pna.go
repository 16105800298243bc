package path

import (
	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/energy"
	"github.com/bloomgml/bloom/mat"
)

// moments is principal neighbourhood aggregation: mean, maximum, minimum and deviation of the messages
// of v and of x_v, c of them in all; each plain, times s and divided by s, where s = log c / mean log c;
// times their rows of W. With W₁, W₂ and W₃ for the three scalings this is
//
//	a W₁ + (s a) W₂ + (a/s) W₃ = a (W₁ + s W₂ + W₃/s)
//
// and s is the same for all nodes with the same c, which are stored together: every group of them has one product with
// its own matrix. If there are no messages the largest and the smallest of them count as 0.
func (p *pass) moments(m ad.RelStatistics, x ad.Var, r *rows) ad.Var {
	shares := ad.Input(r.shares)
	if r.scaled != nil {
		shares = r.scaled.each(shares)
	}
	mean := m.Sum.Add(x).Mul(shares)
	second := m.Square.Add(x.Square()).Mul(shares)
	deviation := second.Sub(mean.Square()).Max(ad.Fill(mean.Shape(), energy.LeastVariance)).Sqrt()
	each := []ad.Var{mean, m.Max.Max(x), m.Min.Min(x), deviation}
	if r.scaled != nil {
		return p.combined(each, r.scaled)
	}
	return p.grouped(each, r)
}

// grouped returns the product of every group with its own matrix.
func (p *pass) grouped(each []ad.Var, r *rows) (sum ad.Var) {
	d := p.Hidden
	w, scalings := p.phi.Reshape(3, 4*d*d), p.sizes
	for i, a := range each {
		own := scalings.MatMul(w.Columns(i*d*d, (i+1)*d*d)).Reshape(p.slots*d, d)
		z := a.GroupMatMul(r.groups, own, mat.NN)
		if i == 0 {
			sum = z
		} else {
			sum = sum.Add(z)
		}
	}
	return sum
}
