//go:build cuda && linux && (amd64 || arm64) && !f64

package cuda

import "github.com/bloomgml/bloom/mat"

// side returns S by rows, or Sᵀ by rows, and whether the values of its entries are in another order. A symmetric
// pattern without values is its own transpose.
func side(s *mat.Sparse, transpose bool, val *mat.Dense) (x *rows, moved bool) {
	both := s.Buffer().(*pattern)
	if transpose && (val != nil || !s.Symmetric()) {
		return both.byCol, true
	}
	return both.byRow, false
}

// sumRows launches a kernel over the entries of rows of the width of m, the matrix that they read.
func (d *device) sumRows(k wide, x *rows, m mat.Shape, edges bool, args ...uint64) {
	if m.Cols == 0 || x.count == 0 {
		return
	}
	head, s := x.sums(d, m.Cols, m.Rows, edges)
	var all [maxArgs]uint64
	n := copy(all[:], head[:])
	d.launch(k[together(m.Cols)], s, all[:n+copy(all[n:], args)]...)
}

func (d *device) SpMM(dst *mat.Dense, s *mat.Sparse, transpose bool, val, x *mat.Dense, alpha, beta mat.Real) {
	defer d.enter().leave()
	list, moved := side(s, transpose, val)
	d.sumRows(d.kernels.SpMM, list, x.Shape(), moved, p(d.ptr(dst)), p(d.ptr(x)), p(d.ptr(val)), f(alpha),
		f(beta))
}

func (d *device) SegmentSum(dst, x *mat.Dense, idx *mat.Index, alpha, beta mat.Real) {
	defer d.enter().leave()
	d.sumRows(d.kernels.SpMM, idx.Buffer().(*index).inverse, x.Shape(), false, p(d.ptr(dst)),
		p(d.ptr(x)), 0, f(alpha), f(beta))
}

func (d *device) SDDMM(dst *mat.Dense, s *mat.Sparse, x, y *mat.Dense) {
	defer d.enter().leave()
	l, n := lanes(x.Cols()), s.NNZ()
	a := s.Buffer().(*pattern).byRow.addressesOn(d)
	d.launch(d.kernels.SDDMM, size{(n*l + 255) / 256, 1, 1, 256, 1, 0}, p(d.ptr(dst)), p(d.ptr(x)), p(d.ptr(y)),
		p(a.edge),
		p(a.idx), i(n), i(x.Cols()), i(l))
}

func (d *device) Gather(dst, x *mat.Dense, idx *mat.Index) {
	defer d.enter().leave()
	n := dst.Len()
	d.launch(d.kernels.Gather, d.each(n), p(d.ptr(dst)), p(d.ptr(x)), p(d.ids(idx)), i(n), i(x.Cols()))
}

func (d *device) Scatter(dst, x *mat.Dense, idx *mat.Index) {
	defer d.enter().leave()
	n := x.Len()
	d.launch(d.kernels.Scatter, d.each(n), p(d.ptr(dst)), p(d.ptr(x)), p(d.ids(idx)), i(n), i(x.Cols()))
}

func (d *device) RelMM(dst *mat.Dense, t *mat.Triples, to int, x, y *mat.Dense, beta mat.Real) {
	defer d.enter().leave()
	list := t.Buffer().(*triples).by[to]
	d.sumRows(d.kernels.RelMM, list, x.Shape(), true, p(d.ptr(dst)), p(d.ptr(x)), p(d.ptr(y)), f(beta))
}

// statistics returns six arguments of the kernels of RelStats.
func (d *device) statistics(s mat.RelStatistics) [6]uint64 {
	return [6]uint64{p(d.ptr(s.Sum)), p(d.ptr(s.Square)), p(d.ptr(s.Max)), p(d.ptr(s.Min)), p(d.ptr(s.ArgMax)),
		p(d.ptr(s.ArgMin))}
}

func (d *device) RelStats(s mat.RelStatistics, t *mat.Triples, x, y *mat.Dense) {
	defer d.enter().leave()
	a, n, m := t.Buffer().(*triples).by[0].addressesOn(d), s.Sum.Len(), d.statistics(s)
	d.launch(d.kernels.RelStats, d.each(n), m[0], m[1], m[2], m[3], m[4], m[5], p(a.ptr), p(a.idx), p(a.edge),
		p(d.ptr(x)), p(d.ptr(y)), i(n), i(x.Cols()), b(s.Plus))
}

func (d *device) RelStatsVJP(dm *mat.Dense, s mat.RelStatistics, t *mat.Triples, x, y *mat.Dense) {
	defer d.enter().leave()
	list, m := t.Buffer().(*triples), d.statistics(s)
	a, n := list.by[0].addressesOn(d), dm.Len()
	d.launch(d.kernels.RelStatsVJP, d.each(n), p(d.ptr(dm)), m[0], m[1], m[2], m[3], m[4], m[5], p(a.ptr),
		p(d.use(list.first.block)), p(a.idx), p(a.edge), p(d.ptr(x)), p(d.ptr(y)), i(t.Bound(0)), i(x.Cols()),
		b(s.Plus), i(n))
}
