package workload

import (
	"math"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/mat"
)

// moments is principal neighbourhood aggregation: mean, maximum, minimum and deviation of the messages
// of v and of x_v, c of them in all; each plain, times s and divided by s, where s = log c / mean log c;
// times their rows of W.
func (p *pathModel) moments(h, x, relations ad.Var) ad.Var {
	n, d := p.Nodes*p.queries(), p.Hidden
	plain, amplified, attenuated := p.scales()
	m := ad.RelStats(p.batch.edges, h, relations)
	mean := m.Sum.Add(x).Mul(plain)
	second := m.Square.Add(x.Square()).Mul(plain)
	deviation := second.Sub(mean.Square()).Max(ad.Fill(mean.Shape(), 1e-6)).Sqrt()
	var sum ad.Var
	for i, a := range []ad.Var{mean, m.Max.Max(x), m.Min.Min(x), deviation} {
		for j, s := range []ad.Var{{}, amplified, attenuated} {
			w := p.aggregated.Reshape(12, d*d).T().Columns(4*j+i, 4*j+i+1).Reshape(d, d)
			z := a.Reshape(n, d).MatMul(w)
			if j > 0 {
				z = z.Reshape(p.Nodes, p.queries()*d).Mul(s).Reshape(n, d)
			}
			if sum.IsZero() {
				sum = z
			} else {
				sum = sum.Add(z)
			}
		}
	}
	return sum
}

// scales are 1/c, s and 1/s of every node.
func (p *pathModel) scales() (inverse, amplify, attenuate ad.Var) {
	count := make([]float64, p.Nodes)
	for _, v := range p.batch.facts.tail {
		count[v]++
	}
	mean := 0.0
	for i := range count {
		count[i]++
		mean += math.Log(count[i]) / float64(p.Nodes)
	}
	var cols [3][]mat.Real
	for _, c := range count {
		s := math.Log(c) / mean
		cols[0] = append(cols[0], mat.Real(1/c))
		cols[1] = append(cols[1], mat.Real(s))
		cols[2] = append(cols[2], mat.Real(1/max(s, 0.01)))
	}
	column := func(x []mat.Real) ad.Var { return ad.Const(mat.FromSlice(len(x), 1, x)) }
	return column(cols[0]), column(cols[1]), column(cols[2])
}
