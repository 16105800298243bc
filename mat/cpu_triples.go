package mat

import "github.com/bloomgml/bloom/internal/kernel"

// cpuTriples is one list of a Triples on the CPU.
type cpuTriples struct {
	*kernel.CSR
	with []int32
}

func (t *cpuTriples) Len() int { return t.NNZ() }

func (cpu) Triples(bounds [3]int, ids [3][]int32) [3]Lists {
	var lists [3]Lists
	for to := range lists {
		p, q := others(to)
		a, with := kernel.ListTriples(bounds[to], bounds[p], ids[to], ids[p], ids[q])
		lists[to] = &cpuTriples{a, with}
	}
	return lists
}

func (cpu) UpdateTriples(lists [3]Lists, ids [3][]int32) {
	for to, list := range lists {
		l := list.(*cpuTriples)
		p, q := others(to)
		l.with = l.RefillTriples(l.with, ids[to], ids[p], ids[q])
	}
}

func (cpu) RelMM(dst *Dense, t *Triples, to int, x, y *Dense, beta Real) {
	l := t.lists[to].(*cpuTriples)
	kernel.RelMM(data(dst), l.CSR, l.with, data(x), data(y), x.Cols(), beta)
}

func (s RelStatistics) kernel() kernel.RelStats {
	return kernel.RelStats{
		Sum: data(s.Sum), Square: data(s.Square), Max: data(s.Max), Min: data(s.Min),
		ArgMax: data(s.ArgMax), ArgMin: data(s.ArgMin), Plus: s.Plus,
	}
}

func (cpu) RelStats(s RelStatistics, t *Triples, x, y *Dense) {
	l := t.lists[0].(*cpuTriples)
	s.kernel().Compute(l.CSR, l.with, data(x), data(y), x.Cols())
}

func (cpu) RelStatsVJP(dm *Dense, s RelStatistics, t *Triples, x, y *Dense) {
	l := t.lists[0].(*cpuTriples)
	s.kernel().Adjoint(data(dm), l.CSR, l.with, data(x), data(y), x.Cols())
}
