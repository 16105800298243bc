package mattest

import (
	"fmt"

	"github.com/bloomgml/bloom/mat"
)

// checkMulComplex: dst ← a∘b or a∘b̄, rows being [Re | Im], or dst plus that.
func checkMulComplex(s *suite) {
	for _, shape := range s.shapes() {
		shape.Cols -= shape.Cols % 2
		for _, conj := range []bool{false, true} {
			a, b := s.random(shape), s.random(shape)
			s.mulComplex(a, b, junk(shape), conj, false)
			s.mulComplex(a, b, s.random(shape), conj, true)
		}
	}
}

func (s *suite) mulComplex(a, b, old grid, conj, add bool) {
	over, k, sign := [][2]int{{0, 0}, {0, 1}}, a.Cols/2, 1.0
	if add {
		over = nil
	}
	if conj {
		sign = -1
	}
	s.try(trial{
		name: fmt.Sprintf("MulComplex of %v, conj %v, add %v", a.Shape, conj, add), in: []grid{a, b}, dst: []grid{old},
		over: over,
		run:  func(dst, in []*mat.Dense) { mat.MulComplex(dst[0], in[0], in[1], conj, add) },
		want: alone(func(i, j int) near {
			at := j % k
			p, q, r, t := a.at(i, at), a.at(i, at+k), b.at(i, at), sign*b.at(i, at+k)
			x, y := p*r, -q*t
			if j >= k {
				x, y = p*t, q*r
			}
			if add {
				return rounded(old.at(i, j)+x+y, abs(old.at(i, j))+abs(x)+abs(y), 4)
			}
			return rounded(x+y, abs(x)+abs(y), 3)
		}),
	})
}

// imaginary is a Device that has imaginary parts of products as one operation.
type imaginary interface {
	ImComplex(dst, a, b *mat.Dense)
}

// checkImComplex: dst ← Im a∘b̄, half as wide as a and b.
func checkImComplex(s *suite) {
	for _, shape := range s.shapes() {
		shape.Cols -= shape.Cols % 2
		k := shape.Cols / 2
		a, b := s.random(shape), s.random(shape)
		s.try(trial{
			name: fmt.Sprintf("ImComplex of %v", shape), in: []grid{a, b},
			dst: []grid{junk(mat.Shape{Rows: shape.Rows, Cols: k})},
			run: func(dst, in []*mat.Dense) { dst[0].Device().(imaginary).ImComplex(dst[0], in[0], in[1]) },
			want: alone(func(i, j int) near {
				x, y := a.at(i, j+k)*b.at(i, j), -a.at(i, j)*b.at(i, j+k)
				return rounded(x+y, abs(x)+abs(y), 3)
			}),
		})
	}
}
