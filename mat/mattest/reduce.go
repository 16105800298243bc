package mattest

import (
	"fmt"
	"math"

	"github.com/bloomgml/bloom/mat"
)

// along is a reduction of x, or of a∘b, to one number, row or column.
type along struct {
	name string
	to   func(mat.Shape) mat.Shape
	run  func(dst *mat.Dense, in []*mat.Dense)
	two  bool
}

func toRow(s mat.Shape) mat.Shape    { return mat.Shape{Rows: 1, Cols: s.Cols} }
func toColumn(s mat.Shape) mat.Shape { return mat.Shape{Rows: s.Rows, Cols: 1} }
func toNumber(mat.Shape) mat.Shape   { return mat.Shape{Rows: 1, Cols: 1} }

func checkSumRows(s *suite) {
	s.reduce(along{"SumRows", toRow, func(d *mat.Dense, in []*mat.Dense) { mat.SumRows(d, in[0]) }, false})
}

func checkSumCols(s *suite) {
	s.reduce(along{"SumCols", toColumn, func(d *mat.Dense, in []*mat.Dense) { mat.SumCols(d, in[0]) }, false})
}

func checkSum(s *suite) {
	s.reduce(along{"Sum", toNumber, func(d *mat.Dense, in []*mat.Dense) { mat.Sum(d, in[0]) }, false})
}

func checkRowDot(s *suite) {
	s.reduce(along{"RowDot", toColumn, func(d *mat.Dense, in []*mat.Dense) { mat.RowDot(d, in[0], in[1]) }, true})
}

func checkColDot(s *suite) {
	s.reduce(along{"ColDot", toRow, func(d *mat.Dense, in []*mat.Dense) { mat.ColDot(d, in[0], in[1]) }, true})
}

func checkDot(s *suite) {
	s.reduce(along{"Dot", toNumber, func(d *mat.Dense, in []*mat.Dense) { mat.Dot(d, in[0], in[1]) }, true})
}

// reduce tries a reduction on numbers and on numbers with NaN and Inf; a sum of nothing is 0.
func (s *suite) reduce(a along) {
	for _, shape := range s.shapes() {
		for _, fill := range []func(mat.Shape) grid{s.random, s.odd} {
			in := []grid{fill(shape)}
			if a.two {
				in = append(in, fill(shape))
			}
			to := a.to(shape)
			sums := make([]sum, to.Len())
			for at := range in[0].v {
				i, j := at/shape.Cols, at%shape.Cols
				v := in[0].at(i, j)
				if a.two {
					v *= in[1].at(i, j)
				}
				sums[min(i, to.Rows-1)*to.Cols+min(j, to.Cols-1)].add(v)
			}
			s.try(trial{
				name: a.name, in: in, dst: []grid{junk(to)},
				run:  func(dst, in []*mat.Dense) { a.run(dst[0], in) },
				want: alone(func(i, j int) near { return sums[i*to.Cols+j].near() }),
			})
		}
	}
}

// checkLargest: the largest |x[i]|, NaN if one is NaN, 0 for an empty matrix.
func checkLargest(s *suite) {
	for _, shape := range s.shapes() {
		for _, bad := range []float64{0, math.Inf(-1), math.NaN()} {
			x := s.random(shape)
			if n := len(x.v); n > 0 && bad != 0 {
				x.v[s.rng.IntN(n)] = mat.Real(bad)
			}
			want := 0.0
			for _, v := range x.v {
				want = max(want, math.Abs(float64(v)))
			}
			s.try(trial{
				name: "Largest", in: []grid{x}, dst: []grid{junk(mat.Shape{Rows: 1, Cols: 1})},
				run:  func(dst, in []*mat.Dense) { mat.Largest(dst[0], in[0]) },
				want: alone(func(int, int) near { return exact(want) }),
			})
		}
	}
}

// checkMarkNonFinite: the code of the first check that found NaN or Inf, 0 as long as all are finite.
func checkMarkNonFinite(s *suite) {
	for _, shape := range s.shapes() {
		good, bad := s.random(shape), s.random(shape)
		want := 0.0
		if n := len(bad.v); n > 0 {
			bad.v[s.rng.IntN(n)] = mat.Real([]float64{math.NaN(), math.Inf(1), math.Inf(-1)}[s.rng.IntN(3)])
			want = 7
		}
		for _, old := range []mat.Real{0, 3} {
			flag := newGrid(mat.Shape{Rows: 1, Cols: 1})
			flag.v[0] = old
			if old != 0 {
				want = float64(old)
			}
			s.try(trial{
				name: fmt.Sprintf("MarkNonFinite, flag %v", old), in: []grid{good, bad}, dst: []grid{flag},
				run: func(dst, in []*mat.Dense) {
					mat.MarkNonFinite(dst[0], in[0], 5)
					mat.MarkNonFinite(dst[0], in[1], 7)
					mat.MarkNonFinite(dst[0], in[1], 9)
				},
				want: alone(func(int, int) near { return exact(want) }),
			})
		}
	}
}

// checkFirstNonFinite: the position of the first NaN or Inf, −1 if all are finite.
func checkFirstNonFinite(s *suite) {
	bad := []float64{math.NaN(), math.Inf(1), math.Inf(-1)}
	for _, shape := range s.shapes() {
		for count := range 4 {
			x, want := s.random(shape), -1
			for range min(count, len(x.v)) {
				at := s.rng.IntN(len(x.v))
				x.v[at] = mat.Real(bad[s.rng.IntN(3)])
				if want < 0 || at < want {
					want = at
				}
			}
			op := s.put(x)
			if got := s.dev.FirstNonFinite(op.Dense); got != want {
				s.Fatalf("FirstNonFinite of shape %v: %d, want %d; seed %d", shape, got, want, seed)
			}
			s.unchanged("FirstNonFinite, input", op)
		}
	}
}
