package workload

import (
	"math"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/mat"
)

// moments is principal neighbourhood aggregation: mean, maximum, minimum and deviation of the messages
// of v and of x_v, c of them in all; each plain, times s and divided by s, where s = log c / mean log c;
// times their rows of W. With W₁, W₂ and W₃ for the three scalings this is
//
//	a W₁ + (s a) W₂ + (a/s) W₃ = a (W₁ + s W₂ + W₃/s)
//
// and s is the same for all nodes with the same c, which stand together: every group of them has one
// product with its own matrix.
func (p *pathModel) moments(h, x, relations ad.Var) ad.Var {
	n, d := p.Nodes*p.queries(), p.Hidden
	m := ad.RelStats(p.batch.edges, h, relations)
	mean := m.Sum.Add(x).Mul(p.shares)
	second := m.Square.Add(x.Square()).Mul(p.shares)
	deviation := second.Sub(mean.Square()).Max(ad.Fill(mean.Shape(), 1e-6)).Sqrt()
	w := p.aggregated.Reshape(3, 4*d*d)
	var sum ad.Var
	for i, a := range []ad.Var{mean, m.Max.Max(x), m.Min.Min(x), deviation} {
		own := p.scalings.MatMul(w.Columns(i*d*d, (i+1)*d*d)).Reshape(p.groups.Len()*d, d)
		z := a.Reshape(n, d).GroupMatMul(p.groups, own)
		if i == 0 {
			sum = z
		} else {
			sum = sum.Add(z)
		}
	}
	return sum
}

// countMessages finds the groups of nodes with the same c, and 1, s and 1/s of every group.
func (p *pathModel) countMessages() {
	total := 0.0
	shares := make([]mat.Real, p.Nodes)
	var sizes []int
	var counts []float64
	for v, count := range p.batch.count {
		c := float64(count + 1)
		total += math.Log(c)
		shares[v] = mat.Real(1 / c)
		if last := len(counts) - 1; last < 0 || counts[last] != c {
			counts, sizes = append(counts, c), append(sizes, 0)
		}
		sizes[len(sizes)-1] += p.queries()
	}
	scalings := make([]mat.Real, 0, 3*len(counts))
	for _, c := range counts {
		s := math.Log(c) / total * float64(p.Nodes)
		scalings = append(scalings, 1, mat.Real(s), mat.Real(1/max(s, 0.01)))
	}
	p.groups = mat.NewGroups(sizes...)
	p.shares = ad.Const(mat.FromSlice(p.Nodes, 1, shares))
	p.scalings = ad.Const(mat.FromSlice(len(counts), 3, scalings))
}
