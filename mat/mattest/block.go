package mattest

import (
	"fmt"
	"slices"

	"github.com/bloomgml/bloom/mat"
)

// cutter is a Device on which some rows of a matrix are a matrix.
type cutter interface {
	Cut(b mat.Buffer, from, n int) mat.Buffer
}

// checkCut: a block is some rows of a matrix, on its memory; what is written to all blocks of one is what is written to
// the whole, bit for bit, by products with sparse matrices and by dropout too.
func checkCut(s *suite) {
	for _, shape := range []mat.Shape{{Rows: 200, Cols: 7}, {Rows: 64, Cols: 1}, {Rows: 300, Cols: 40}} {
		x, at := s.put(s.random(shape)), seeded(3)
		ring := ringOf(s, shape.Rows)
		whole := mat.New(shape.Rows, shape.Cols)
		for name, f := range map[string]func(dst, x *mat.Dense){
			"Copy":    func(dst, x *mat.Dense) { mat.Copy(dst, x) },
			"Dropout": func(dst, x *mat.Dense) { mat.Dropout(dst, x, 0.5, at, 1) },
			"SpMM":    func(dst, _ *mat.Dense) { mat.SpMM(dst, ring, false, nil, x.Dense, 1, 0) },
		} {
			f(whole, x.Dense)
			cut := mat.New(shape.Rows, shape.Cols)
			mat.Fill(cut, 7)
			for from := 0; from < shape.Rows; from += 128 {
				rows := mat.Shape{Rows: min(128, shape.Rows-from), Cols: shape.Cols}
				to, of := mat.Header(rows), mat.Header(rows)
				to.Alias(cut, from)
				of.Alias(x.Dense, from)
				f(to, of)
			}
			if !slices.Equal(cut.Slice(), whole.Slice()) {
				s.Fatalf("Cut: %s by blocks of %v is not that of the whole", name, shape)
			}
		}
		s.unchanged(fmt.Sprint("Cut of ", shape), x)
	}
}

// ringOf returns n nodes, each with its two neighbours.
func ringOf(s *suite, n int) *mat.Sparse {
	ptr, idx := make([]int64, n+1), make([]int32, 0, 2*n)
	for i := range n {
		idx = append(idx, int32((i+1)%n), int32((i+n-1)%n))
		ptr[i+1] = int64(len(idx))
	}
	ring, err := mat.NewSparse(n, n, ptr, idx)
	if err != nil {
		s.Fatalf("a ring: %v", err)
	}
	return ring
}
