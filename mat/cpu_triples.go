package mat

import "github.com/bloomgml/bloom/internal/kernel"

// cpuTriples is a Triples on the CPU: the triples by their first, second and third number.
type cpuTriples [3]struct {
	*kernel.CSR
	with []int32
}

func (t *cpuTriples) Len() int { return t[0].NNZ() }

func (cpu) Triples(bounds [3]int, ids [3][]int32) Buffer {
	var t cpuTriples
	for to := range t {
		p, q := others(to)
		t[to].CSR, t[to].with = kernel.ListTriples(bounds[to], bounds[p], ids[to], ids[p], ids[q])
	}
	return &t
}

func (cpu) UpdateTriples(t Buffer, ids [3][]int32) {
	lists := t.(*cpuTriples)
	for to := range lists {
		l := &lists[to]
		p, q := others(to)
		l.with = l.RefillTriples(l.with, ids[to], ids[p], ids[q])
	}
}

func (cpu) RelMM(dst *Dense, t *Triples, to int, x, y *Dense, beta Real) {
	l := &t.buf.(*cpuTriples)[to]
	kernel.RelMM(data(dst), l.CSR, l.with, data(x), data(y), x.Cols(), beta)
}

func (s RelStatistics) kernel() kernel.RelStats {
	return kernel.RelStats{
		Sum: data(s.Sum), Square: data(s.Square), Max: data(s.Max), Min: data(s.Min),
		ArgMax: data(s.ArgMax), ArgMin: data(s.ArgMin), Plus: s.Plus,
	}
}

func (cpu) RelStats(s RelStatistics, t *Triples, x, y *Dense) {
	l := &t.buf.(*cpuTriples)[0]
	s.kernel().Compute(l.CSR, l.with, data(x), data(y), x.Cols())
}

func (cpu) RelStatsVJP(dm *Dense, s RelStatistics, t *Triples, x, y *Dense) {
	l := &t.buf.(*cpuTriples)[0]
	s.kernel().Adjoint(data(dm), l.CSR, l.with, data(x), data(y), x.Cols())
}
