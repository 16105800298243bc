package mattest

import (
	"fmt"
	"math"

	"github.com/bloomgml/bloom/mat"
)

// checkCopy: dst ← x.
func checkCopy(s *suite) {
	for _, shape := range s.shapes() {
		x := s.odd(shape)
		s.try(trial{
			name: "Copy", in: []grid{x}, dst: []grid{junk(shape)}, over: [][2]int{{0, 0}},
			run:  func(dst, in []*mat.Dense) { mat.Copy(dst[0], in[0]) },
			want: alone(func(i, j int) near { return exact(x.at(i, j)) }),
		})
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
		x, alpha, beta := s.odd(shape), s.number(), -s.number()
		s.try(trial{
			name: "Affine", in: []grid{x}, dst: []grid{junk(shape)}, over: [][2]int{{0, 0}},
			run:  func(dst, in []*mat.Dense) { mat.Affine(dst[0], in[0], alpha, beta) },
			want: alone(func(i, j int) near { return linear(alpha, x.at(i, j), beta, 1) }),
		})
	}
}

// linear returns α·x + β·y: three roundings at most.
func linear(alpha mat.Real, x float64, beta mat.Real, y float64) near {
	a, b := float64(alpha)*x, float64(beta)*y
	return rounded(a+b, math.Abs(a)+math.Abs(b), 3)
}

// places returns where dst may be: at a, and at b where that has the full shape.
func places(shape, b mat.Shape) [][2]int {
	if shape == b {
		return [][2]int{{0, 0}, {0, 1}}
	}
	return [][2]int{{0, 0}}
}

// checkAxpby: dst ← α·a + β·b, b broadcast.
func checkAxpby(s *suite) {
	for _, shape := range s.shapes() {
		for _, small := range spreads(shape) {
			a, b, alpha, beta := s.odd(shape), s.odd(small), s.number(), -s.number()
			s.try(trial{
				name: fmt.Sprintf("Axpby with b of shape %v", small), in: []grid{a, b}, dst: []grid{junk(shape)},
				over: places(shape, small),
				run:  func(dst, in []*mat.Dense) { mat.Axpby(dst[0], in[0], in[1], alpha, beta) },
				want: alone(func(i, j int) near { return linear(alpha, a.at(i, j), beta, b.at(i, j)) }),
			})
		}
	}
}

// checkMul: dst ← α·a∘b and dst ← dst + α·a∘b, b broadcast.
func checkMul(s *suite) {
	for _, shape := range s.shapes() {
		for _, small := range spreads(shape) {
			s.mul(s.odd(shape), s.odd(small), s.number())
			s.mulAdd(s.odd(shape), s.odd(small), s.random(shape), s.number())
		}
		s.mulAddInPlace(s.random(shape), s.random(shape), s.number())
	}
}

func (s *suite) mul(a, b grid, alpha mat.Real) {
	s.try(trial{
		name: fmt.Sprintf("Mul with b of shape %v", b.Shape), in: []grid{a, b}, dst: []grid{junk(a.Shape)},
		over: places(a.Shape, b.Shape),
		run:  func(dst, in []*mat.Dense) { mat.Mul(dst[0], in[0], in[1], alpha, false) },
		want: alone(func(i, j int) near {
			v := float64(alpha) * a.at(i, j) * b.at(i, j)
			return rounded(v, v, 2)
		}),
	})
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
			a, b := fill(shape), fill(shape)
			t := trial{
				name: "Maximum", in: []grid{a, b}, dst: []grid{junk(shape)}, over: [][2]int{{0, 0}, {0, 1}},
				run:  func(dst, in []*mat.Dense) { mat.Maximum(dst[0], in[0], in[1], false) },
				want: alone(func(i, j int) near { return exact(max(a.at(i, j), b.at(i, j))) }),
			}
			s.try(t)
			t.name = "Minimum"
			t.run = func(dst, in []*mat.Dense) { mat.Maximum(dst[0], in[0], in[1], true) }
			t.want = alone(func(i, j int) near { return exact(min(a.at(i, j), b.at(i, j))) })
			s.try(t)
		}
	}
}

// checkGreaterMask: y where a > b, y/2 where they are equal, 0 elsewhere.
func checkGreaterMask(s *suite) {
	for _, shape := range s.shapes() {
		for _, fill := range []func(mat.Shape) grid{s.odd, s.coarse} {
			a, b, y := fill(shape), fill(shape), s.random(shape)
			s.try(trial{
				name: "GreaterMask", in: []grid{a, b, y}, dst: []grid{junk(shape)},
				over: [][2]int{{0, 0}, {0, 1}, {0, 2}},
				run:  func(dst, in []*mat.Dense) { mat.GreaterMask(dst[0], in[0], in[1], in[2]) },
				want: alone(func(i, j int) near {
					switch l, r := a.at(i, j), b.at(i, j); {
					case l > r:
						return exact(y.at(i, j))
					case l == r:
						return exact(y.at(i, j) / 2)
					}
					return exact(0)
				}),
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
		for _, to := range []mat.Shape{shape, other} {
			x, old := s.odd(shape), s.odd(to)
			for _, cols := range []int{0, 1, min(shape.Cols, to.Cols)} {
				if cols > shape.Cols || cols > to.Cols {
					continue
				}
				s.copyCols(old, x, s.rng.IntN(to.Cols-cols+1), s.rng.IntN(shape.Cols-cols+1), cols)
			}
		}
	}
}

func (s *suite) copyCols(old, x grid, to, from, cols int) {
	s.try(trial{
		name: fmt.Sprintf("CopyCols to %d from %d of %v, %d columns", to, from, x.Shape, cols), in: []grid{x},
		dst: []grid{old},
		run: func(dst, in []*mat.Dense) { mat.CopyCols(dst[0], in[0], to, from, cols) },
		want: alone(func(i, j int) near {
			if j < to || j >= to+cols {
				return exact(old.at(i, j))
			}
			return exact(x.at(i, j-to+from))
		}),
	})
}
