package mattest

import (
	"math"
	"slices"

	"github.com/bloomgml/bloom/mat"
)

// grid is a matrix as the oracle sees it, row by row.
type grid struct {
	mat.Shape
	v []mat.Real
}

func newGrid(s mat.Shape) grid { return grid{s, make([]mat.Real, s.Len())} }

// at returns entry i, j; a single row, column or number is broadcast.
func (g grid) at(i, j int) float64 {
	if g.Rows == 1 {
		i = 0
	}
	if g.Cols == 1 {
		j = 0
	}
	return float64(g.v[i*g.Cols+j])
}

// make fills a grid.
func (s *suite) make(shape mat.Shape, f func() float64) grid {
	g := newGrid(shape)
	for i := range g.v {
		g.v[i] = mat.Real(f())
	}
	return g
}

// random returns a matrix of normal numbers.
func (s *suite) random(shape mat.Shape) grid {
	return s.make(shape, func() float64 { return 1.5 * s.rng.NormFloat64() })
}

// odd is random with NaN, infinities and zeros strewn in.
func (s *suite) odd(shape mat.Shape) grid {
	strange := []float64{math.NaN(), math.Inf(1), math.Inf(-1), 0, math.Copysign(0, -1)}
	return s.make(shape, func() float64 {
		if s.rng.IntN(8) == 0 {
			return strange[s.rng.IntN(len(strange))]
		}
		return s.rng.NormFloat64()
	})
}

// coarse returns a matrix of multiples of 1/8 between −2 and 2: it has ties, and sums and differences
// of a few entries are exact.
func (s *suite) coarse(shape mat.Shape) grid {
	return s.make(shape, func() float64 { return float64(s.rng.IntN(33)-16) / 8 })
}

// junk returns a matrix of NaN: a destination that must not be read.
func junk(shape mat.Shape) grid {
	return grid{shape, slices.Repeat([]mat.Real{mat.Real(math.NaN())}, shape.Len())}
}

// number returns a random factor, not 0 or 1.
func (s *suite) number() mat.Real { return mat.Real(0.25 + 2*s.rng.Float64()) }

// small returns shapes without entries, with one row or column, and random ones that are not square.
func (s *suite) small() []mat.Shape {
	list := []mat.Shape{{Rows: 0, Cols: 0}, {Rows: 0, Cols: 3}, {Rows: 3, Cols: 0}, {Rows: 1, Cols: 1},
		{Rows: 1, Cols: 19}, {Rows: 17, Cols: 1}}
	for range 2 {
		rows := 2 + s.rng.IntN(40)
		list = append(list, mat.Shape{Rows: rows, Cols: rows + 1 + s.rng.IntN(40)},
			mat.Shape{Rows: rows + 1 + s.rng.IntN(40), Cols: rows})
	}
	return list
}

// large are shapes that are worth cutting into pieces.
var large = []mat.Shape{{Rows: 131, Cols: 257}, {Rows: 1, Cols: 17001}, {Rows: 17003, Cols: 1}}

// shapes returns small and large shapes.
func (s *suite) shapes() []mat.Shape { return append(s.small(), large...) }

// some returns small shapes and one large row or column, for operations with many variants.
func (s *suite) some() []mat.Shape { return append(s.small(), large[1+s.rng.IntN(len(large)-1)]) }

// spreads returns the shapes that can be broadcast to s.
func spreads(s mat.Shape) []mat.Shape {
	return []mat.Shape{s, {Rows: 1, Cols: s.Cols}, {Rows: s.Rows, Cols: 1}, {Rows: 1, Cols: 1}}
}

// alone returns a list of one want, for operations with one destination.
func alone(f func(i, j int) near) []func(i, j int) near { return []func(i, j int) near{f} }
