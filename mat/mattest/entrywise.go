package mattest

import (
	"fmt"
	"math"

	"github.com/bloomgml/bloom/mat"
)

// entrywise tries an operation on matrices whose entry i, j is a function of their entries i, j; all of them but the
// first may be broadcast. dst may be any that has its shape.
func (s *suite) entrywise(name string, in []grid, run func(dst *mat.Dense, in []*mat.Dense),
	want func(x []float64) near) {
	s.Helper()
	shape, x := in[0].Shape, make([]float64, len(in))
	t := trial{
		name: name, in: in, dst: []grid{junk(shape)},
		run: func(dst, in []*mat.Dense) { run(dst[0], in) },
		want: alone(func(i, j int) near {
			for k, g := range in {
				x[k] = g.at(i, j)
			}
			return want(x)
		}),
	}
	for k, g := range in {
		if g.Shape == shape {
			t.over = append(t.over, [2]int{0, k})
		}
	}
	s.try(t)
}

// checkCopy: dst ← x.
func checkCopy(s *suite) {
	for _, shape := range s.shapes() {
		s.entrywise("Copy", []grid{s.odd(shape)}, func(dst *mat.Dense, in []*mat.Dense) { mat.Copy(dst, in[0]) },
			func(x []float64) near { return exact(x[0]) })
	}
}

// checkFill: dst[i] ← v.
func checkFill(s *suite) {
	for _, shape := range s.shapes() {
		for _, v := range []mat.Real{0, s.number(), mat.Real(math.Inf(-1)), mat.Real(math.NaN())} {
			s.try(trial{
				name: "Fill", dst: []grid{junk(shape)},
				run:  func(dst, _ []*mat.Dense) { mat.Fill(dst[0], v) },
				want: alone(func(i, j int) near { return exact(float64(v)) }),
			})
		}
	}
}

// checkAffine: dst[i] ← α·x[i] + β.
func checkAffine(s *suite) {
	for _, shape := range s.shapes() {
		alpha, beta := s.number(), -s.number()
		s.entrywise("Affine", []grid{s.odd(shape)},
			func(dst *mat.Dense, in []*mat.Dense) { mat.Affine(dst, in[0], alpha, beta) },
			func(x []float64) near { return linear(alpha, x[0], beta, 1) })
	}
}

// linear returns α·x + β·y: three roundings at most.
func linear(alpha mat.Real, x float64, beta mat.Real, y float64) near {
	a, b := float64(alpha)*x, float64(beta)*y
	return rounded(a+b, math.Abs(a)+math.Abs(b), 3)
}

// checkAxpby: dst ← α·a + β·b, b broadcast.
func checkAxpby(s *suite) {
	for _, shape := range s.shapes() {
		for _, small := range spreads(shape) {
			alpha, beta := s.number(), -s.number()
			s.entrywise(fmt.Sprintf("Axpby with b of shape %v", small), []grid{s.odd(shape), s.odd(small)},
				func(dst *mat.Dense, in []*mat.Dense) { mat.Axpby(dst, in[0], in[1], alpha, beta) },
				func(x []float64) near { return linear(alpha, x[0], beta, x[1]) })
		}
	}
}

// checkMul: dst ← α·a∘b and dst ← dst + α·a∘b, b broadcast.
func checkMul(s *suite) {
	for _, shape := range s.shapes() {
		for _, small := range spreads(shape) {
			alpha := s.number()
			s.entrywise(fmt.Sprintf("Mul with b of shape %v", small), []grid{s.odd(shape), s.odd(small)},
				func(dst *mat.Dense, in []*mat.Dense) { mat.Mul(dst, in[0], in[1], alpha, false) },
				func(x []float64) near { v := float64(alpha) * x[0] * x[1]; return rounded(v, v, 2) })
			s.mulAdd(s.odd(shape), s.odd(small), s.random(shape), s.number())
		}
		s.mulAddInPlace(s.random(shape), s.random(shape), s.number())
	}
}

func (s *suite) mulAdd(a, b, old grid, alpha mat.Real) {
	s.try(trial{
		name: fmt.Sprintf("MulAdd with b of shape %v", b.Shape), in: []grid{a, b}, dst: []grid{old},
		run:  func(dst, in []*mat.Dense) { mat.Mul(dst[0], in[0], in[1], alpha, true) },
		want: alone(func(i, j int) near { return fma(old.at(i, j), alpha, a.at(i, j), b.at(i, j)) }),
	})
}

// mulAddInPlace is dst ← dst + α·dst∘b and the same with the factors exchanged.
func (s *suite) mulAddInPlace(a, b grid, alpha mat.Real) {
	for _, swap := range []bool{false, true} {
		s.try(trial{
			name: fmt.Sprintf("MulAdd into a factor (swapped %v)", swap), in: []grid{b}, dst: []grid{a},
			run: func(dst, in []*mat.Dense) {
				if swap {
					mat.Mul(dst[0], in[0], dst[0], alpha, true)
				} else {
					mat.Mul(dst[0], dst[0], in[0], alpha, true)
				}
			},
			want: alone(func(i, j int) near { return fma(a.at(i, j), alpha, a.at(i, j), b.at(i, j)) }),
		})
	}
}

// fma returns old + α·a·b: three roundings at most.
func fma(old float64, alpha mat.Real, a, b float64) near {
	v := float64(alpha) * a * b
	return rounded(old+v, math.Abs(old)+math.Abs(v), 3)
}

// checkMaximum: the larger and the smaller of two, NaN if either is.
func checkMaximum(s *suite) {
	for _, shape := range s.shapes() {
		for _, fill := range []func(mat.Shape) grid{s.odd, s.coarse} {
			in := []grid{fill(shape), fill(shape)}
			s.entrywise("Maximum", in,
				func(dst *mat.Dense, in []*mat.Dense) { mat.Maximum(dst, in[0], in[1], false) },
				func(x []float64) near { return exact(max(x[0], x[1])) })
			s.entrywise("Minimum", in,
				func(dst *mat.Dense, in []*mat.Dense) { mat.Maximum(dst, in[0], in[1], true) },
				func(x []float64) near { return exact(min(x[0], x[1])) })
		}
	}
}

// checkGreaterMask: y where a > b, y/2 where they are equal, 0 elsewhere.
func checkGreaterMask(s *suite) {
	for _, shape := range s.shapes() {
		for _, fill := range []func(mat.Shape) grid{s.odd, s.coarse} {
			s.entrywise("GreaterMask", []grid{fill(shape), fill(shape), s.random(shape)},
				func(dst *mat.Dense, in []*mat.Dense) { mat.GreaterMask(dst, in[0], in[1], in[2]) },
				func(x []float64) near {
					switch {
					case x[0] > x[1]:
						return exact(x[2])
					case x[0] == x[1]:
						return exact(x[2] / 2)
					}
					return exact(0)
				})
		}
	}
}

// checkExpand: dst ← b, broadcast.
func checkExpand(s *suite) {
	for _, shape := range s.shapes() {
		for _, small := range spreads(shape) {
			b := s.odd(small)
			s.try(trial{
				name: fmt.Sprintf("Expand of shape %v", small), in: []grid{b}, dst: []grid{junk(shape)},
				run:  func(dst, in []*mat.Dense) { mat.Expand(dst[0], in[0]) },
				want: alone(func(i, j int) near { return exact(b.at(i, j)) }),
			})
		}
	}
}

// checkTranspose: dst ← xᵀ.
func checkTranspose(s *suite) {
	for _, shape := range s.shapes() {
		x := s.odd(shape)
		s.try(trial{
			name: "Transpose", in: []grid{x}, dst: []grid{junk(mat.Shape{Rows: shape.Cols, Cols: shape.Rows})},
			run:  func(dst, in []*mat.Dense) { mat.Transpose(dst[0], in[0]) },
			want: alone(func(i, j int) near { return exact(pick(true, x, i, j)) }),
		})
	}
}

// checkCopyCols: dst[:, to:to+cols] ← x[:, from:from+cols]; the others stay.
func checkCopyCols(s *suite) {
	for _, shape := range s.shapes() {
		other := mat.Shape{Rows: shape.Rows, Cols: 1 + s.rng.IntN(shape.Cols+20)}
		for _, wide := range []mat.Shape{shape, other} {
			x, old := s.odd(shape), s.odd(wide)
			for _, cols := range []int{0, min(1, shape.Cols, wide.Cols), min(shape.Cols, wide.Cols)} {
				to, from := s.rng.IntN(wide.Cols-cols+1), s.rng.IntN(shape.Cols-cols+1)
				s.try(trial{
					name: fmt.Sprintf("CopyCols to %d from %d of %v, %d columns", to, from, shape, cols),
					in:   []grid{x}, dst: []grid{old},
					run: func(dst, in []*mat.Dense) { mat.CopyCols(dst[0], in[0], to, from, cols) },
					want: alone(func(i, j int) near {
						if j < to || j >= to+cols {
							return exact(old.at(i, j))
						}
						return exact(x.at(i, j-to+from))
					}),
				})
			}
		}
	}
}
