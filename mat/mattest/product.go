package mattest

import (
	"fmt"
	"math"
	"sync"

	"github.com/bloomgml/bloom/mat"
)

// factors returns pairs α, β of products; with β = 0, of either sign, the old destination is NaN.
func (s *suite) factors() [][2]mat.Real {
	negativeZero := mat.Real(math.Copysign(0, -1))
	return [][2]mat.Real{{1, 0}, {s.number(), negativeZero}, {1, 1}, {-s.number(), 0.5}, {0, s.number()}}
}

// old returns a destination that is read only if β is not 0.
func (s *suite) old(shape mat.Shape, beta mat.Real) grid {
	if beta == 0 {
		return junk(shape)
	}
	return s.random(shape)
}

// checkMatMul: dst ← α·op(a)·op(b) + β·dst, the sum over k of nothing being 0.
func checkMatMul(s *suite) {
	sizes := [][3]int{{0, 0, 0}, {0, 3, 2}, {3, 0, 2}, {3, 2, 0}, {1, 1, 1}, {1, 9, 30}, {12, 1, 17}, {14, 31, 1}}
	for range 4 {
		sizes = append(sizes, [3]int{2 + s.rng.IntN(40), 2 + s.rng.IntN(70), 2 + s.rng.IntN(90)})
	}
	for _, n := range sizes {
		for t := mat.NN; t <= mat.TT; t++ {
			for _, f := range s.factors() {
				s.matMul(n, t, f[0], f[1], s.random)
			}
			s.matMul(n, t, 2, 0, s.odd)
		}
	}
	for t := mat.NN; t <= mat.TT; t++ { // many rows, and a long sum
		s.matMul([3]int{290, 61, 53}, t, 1, 0, s.random)
		s.matMul([3]int{37, 41, 1301}, t, -1, 1, s.random)
	}
}

// matMul is one product with m×n result and sums of k terms.
func (s *suite) matMul(size [3]int, t mat.Trans, alpha, beta mat.Real, fill func(mat.Shape) grid) {
	m, n, k := size[0], size[1], size[2]
	left, right := mat.Shape{Rows: m, Cols: k}, mat.Shape{Rows: k, Cols: n}
	if t.Left() {
		left = mat.Shape{Rows: k, Cols: m}
	}
	if t.Right() {
		right = mat.Shape{Rows: n, Cols: k}
	}
	a, b, c := fill(left), fill(right), s.old(mat.Shape{Rows: m, Cols: n}, beta)
	s.try(trial{
		name: fmt.Sprintf("MatMul %d×%d×%d, transposes %d, α %v, β %v", m, k, n, t, alpha, beta),
		in:   []grid{a, b}, dst: []grid{c},
		run: func(dst, in []*mat.Dense) { mat.MatMul(dst[0], in[0], in[1], t, alpha, beta) },
		want: alone(func(i, j int) near {
			var dot sum
			for p := range k {
				x, y := pick(t.Left(), a, i, p), pick(t.Right(), b, p, j)
				dot.add(x * y)
			}
			return dot.times(float64(alpha), float64(beta), c.at(i, j))
		}),
	})
}

// pick returns entry i, j of g or of its transpose.
func pick(transpose bool, g grid, i, j int) float64 {
	if transpose {
		i, j = j, i
	}
	return g.at(i, j)
}

// checkSpMM: dst ← α·S·x + β·dst, S with and without values, and transposed.
func checkSpMM(s *suite) {
	for _, p := range s.patterns() {
		m := s.on(p)
		for _, cols := range []int{0, 1, 3, 5 + s.rng.IntN(90)} {
			for form := range 4 {
				f := s.factors()[s.rng.IntN(5)]
				s.spmm(m, p, cols, form&1 != 0, form&2 != 0, f[0], f[1], s.random)
			}
		}
		for _, f := range s.factors() {
			s.spmm(m, p, 2, false, true, f[0], f[1], s.random)
			s.spmm(m, p, 7, true, false, f[0], f[1], s.random)
		}
		s.spmm(m, p, 4, true, true, 1, 0, s.odd)
	}
	dense := s.directed(501, 1013, 48) // rows that are used often, of a matrix too large for a small cache
	m := s.on(dense)
	s.spmm(m, dense, 403, false, true, 1, 0, s.random)
	s.spmm(m, dense, 403, false, false, 2, 1, s.random)
}

// spmm is a product with the pattern p, which is m on the device.
func (s *suite) spmm(m *mat.Sparse, p pattern, cols int, transpose, weighted bool, alpha, beta mat.Real,
	fill func(mat.Shape) grid) {
	rows, inner := p.rows, p.cols
	if transpose {
		rows, inner = inner, rows
	}
	val, x := fill(p.values()), fill(mat.Shape{Rows: inner, Cols: cols})
	old := s.old(mat.Shape{Rows: rows, Cols: cols}, beta)
	ones := s.make(mat.Shape{Rows: 1, Cols: 1}, func() float64 { return 1 })
	values := map[bool]grid{true: val, false: ones}[weighted]
	sums := sync.OnceValue(func() []sum { return p.product(values, x, transpose) })
	s.try(trial{
		name: fmt.Sprintf("SpMM of %d×%d (symmetric %v, transpose %v, values %v), %d columns, α %v, β %v",
			p.rows, p.cols, p.symmetric, transpose, weighted, cols, alpha, beta),
		in: []grid{val, x}, dst: []grid{old},
		run: func(dst, in []*mat.Dense) {
			v := in[0]
			if !weighted {
				v = nil
			}
			mat.SpMM(dst[0], m, transpose, v, in[1], alpha, beta)
		},
		want: alone(func(i, j int) near {
			return sums()[i*cols+j].times(float64(alpha), float64(beta), old.at(i, j))
		}),
	})
}

// product returns S·x, or Sᵀ·x, with values val.
func (p pattern) product(val, x grid, transpose bool) []sum {
	rows, cols := p.rows, x.Cols
	if transpose {
		rows = p.cols
	}
	sums := make([]sum, rows*cols)
	p.entries(func(e, i, k int) {
		if transpose {
			i, k = k, i
		}
		for j := range cols {
			sums[i*cols+j].add(val.at(e, 0) * x.at(k, j))
		}
	})
	return sums
}

// checkSDDMM: dst[e] ← Σ_j x[i,j]·y[k,j].
func checkSDDMM(s *suite) {
	for _, p := range s.patterns() {
		m := s.on(p)
		row, col := make([]int, len(p.idx)), make([]int, len(p.idx))
		p.entries(func(e, i, j int) { row[e], col[e] = i, j })
		for _, cols := range []int{0, 1, 3 + s.rng.IntN(70)} {
			x, y := s.random(mat.Shape{Rows: p.rows, Cols: cols}), s.random(mat.Shape{Rows: p.cols, Cols: cols})
			s.try(trial{
				name: fmt.Sprintf("SDDMM of %d×%d with %d columns", p.rows, p.cols, cols),
				in:   []grid{x, y}, dst: []grid{junk(p.values())},
				run: func(dst, in []*mat.Dense) { mat.SDDMM(dst[0], m, in[0], in[1]) },
				want: alone(func(e, _ int) near {
					var dot sum
					for j := range cols {
						dot.add(x.at(row[e], j) * y.at(col[e], j))
					}
					return dot.near()
				}),
			})
		}
	}
}

// lists returns combinations of the number of ids, bound and columns.
func (s *suite) lists() [][3]int {
	return [][3]int{{0, 0, 3}, {0, 4, 2}, {1, 1, 1}, {5, 1, 3}, {1, 7, 0}, {9, 4, 1}, {30, 13, 5 + s.rng.IntN(30)},
		{13, 30, 8}, {3001, 257, 70}}
}

// checkGather: dst[i,:] ← x[idx[i],:].
func checkGather(s *suite) {
	for _, n := range s.lists() {
		ids := s.ids(n[0], n[1])
		s.gather(s.index(ids, n[1]), ids, n[2])
	}
}

// gather picks rows by a list that holds ids.
func (s *suite) gather(idx *mat.Index, ids []int32, cols int) {
	x := s.odd(mat.Shape{Rows: idx.Bound(), Cols: cols})
	s.try(trial{
		name: fmt.Sprintf("Gather of %d rows from %d", len(ids), idx.Bound()), in: []grid{x},
		dst:  []grid{junk(mat.Shape{Rows: len(ids), Cols: cols})},
		run:  func(dst, in []*mat.Dense) { mat.Gather(dst[0], in[0], idx) },
		want: alone(func(i, j int) near { return exact(x.at(int(ids[i]), j)) }),
	})
}

// checkScatter: dst[idx[i],:] ← x[i,:], other rows as before.
func checkScatter(s *suite) {
	for _, n := range s.lists() {
		to := mat.Shape{Rows: n[1], Cols: n[2]}
		var ids []int32
		from := make(map[int]int)
		for i, k := range s.rng.Perm(n[1])[:min(n[0], n[1])] {
			ids, from[k] = append(ids, int32(k)), i
		}
		idx, x, old := s.index(ids, n[1]), s.odd(mat.Shape{Rows: len(ids), Cols: n[2]}), s.random(to)
		s.try(trial{
			name: fmt.Sprintf("Scatter of %d rows into %d", len(ids), n[1]), in: []grid{x}, dst: []grid{old},
			run: func(dst, in []*mat.Dense) { mat.Scatter(dst[0], in[0], idx) },
			want: alone(func(i, j int) near {
				if row, is := from[i]; is {
					return exact(x.at(row, j))
				}
				return exact(old.at(i, j))
			}),
		})
	}
}

// checkSegmentSum: dst[k,:] ← β·dst[k,:] + α·Σ x[i,:] with idx[i] = k.
func checkSegmentSum(s *suite) {
	for _, n := range s.lists() {
		ids := s.ids(n[0], n[1])
		idx := s.index(ids, n[1])
		for _, beta := range []mat.Real{0, 1, -0.5} {
			s.segmentSum(idx, ids, n[2], beta)
		}
	}
}

// segmentSum adds rows up by a list that holds ids.
func (s *suite) segmentSum(idx *mat.Index, ids []int32, cols int, beta mat.Real) {
	to := mat.Shape{Rows: idx.Bound(), Cols: cols}
	x, sums := s.random(mat.Shape{Rows: len(ids), Cols: cols}), make([]sum, to.Len())
	for i, k := range ids {
		for j := range cols {
			sums[int(k)*cols+j].add(x.at(i, j))
		}
	}
	old, alpha := s.old(to, beta), 1-2*beta
	s.try(trial{
		name: fmt.Sprintf("SegmentSum of %d rows into %d, α %v, β %v", len(ids), to.Rows, alpha, beta),
		in:   []grid{x}, dst: []grid{old},
		run:  func(dst, in []*mat.Dense) { mat.SegmentSum(dst[0], in[0], idx, alpha, beta) },
		want: alone(func(i, j int) near { return sums[i*cols+j].times(float64(alpha), float64(beta), old.at(i, j)) }),
	})
}
