package mattest

import (
	"fmt"
	"math"
	"slices"

	"github.com/bloomgml/bloom/mat"
)

func checkName(s *suite) {
	if name := s.dev.Name(); name == "" || s.dev.Name() != name {
		s.Fatalf("the name is %q: it must be one word that stays", name)
	}
}

// checkAlloc: n zeros, in memory of their own.
func checkAlloc(s *suite) {
	for _, n := range []int{0, 1, 2, 1000, 40001} {
		a, b := s.dev.Alloc(n), s.dev.Alloc(n)
		if a.Len() != n || b.Len() != n {
			s.Fatalf("Alloc(%d) has length %d", n, a.Len())
		}
		s.dev.Write(a, s.random(mat.Shape{Rows: n, Cols: 1}).v)
		got := make([]mat.Real, n)
		s.dev.Read(got, b)
		for i, v := range got {
			if v != 0 {
				s.Fatalf("Alloc(%d): entry %d is %v, want 0", n, i, v)
			}
		}
	}
}

// strange are numbers that a copy must keep bit for bit.
var strange = []mat.Real{mat.Real(math.NaN()), mat.Real(math.Inf(1)), mat.Real(math.Inf(-1)),
	mat.Real(math.Copysign(0, -1)), 1e-40, 3e38, 0.1}

// checkWrite: a copy, which may be shorter than the buffer and then leaves the rest.
func checkWrite(s *suite) {
	for _, n := range []int{0, 1, 7, 20000} {
		src := append(s.random(mat.Shape{Rows: n, Cols: 1}).v, strange...)
		want := append(slices.Clone(src), 5, 6)
		buf := s.dev.Alloc(len(want))
		s.dev.Write(buf, want)
		for i := range src {
			want[i] = -src[i]
			src[i] = -src[i]
		}
		s.dev.Write(buf, src)
		for i := range src {
			src[i] = 99 // the device has its own copy
		}
		got := make([]mat.Real, len(want))
		s.dev.Read(got, buf)
		s.sameBits("Write", got, want)
	}
}

// checkRead: a copy, which may be shorter than the buffer.
func checkRead(s *suite) {
	for _, n := range []int{0, 1, 7, 20000} {
		src := append(s.random(mat.Shape{Rows: n, Cols: 1}).v, strange...)
		buf := s.dev.Alloc(len(src) + 3)
		s.dev.Write(buf, append(slices.Clone(src), 7, 8, 9))
		first, again := make([]mat.Real, len(src)), make([]mat.Real, len(src)+1)
		s.dev.Read(first, buf)
		s.sameBits("Read", first, src)
		for i := range first {
			first[i] = 99 // the caller has its own copy
		}
		s.dev.Read(again, buf)
		s.sameBits("Read again", again, append(src, 7))
	}
}

func (s *suite) sameBits(name string, got, want []mat.Real) {
	s.Helper()
	s.note(got...)
	for i := range want {
		if math.Float64bits(float64(got[i])) != math.Float64bits(float64(want[i])) {
			s.Fatalf("%s: number %d of %d is %v, want %v; seed %d", name, i, len(want), got[i], want[i], seed)
		}
	}
}

func checkAt(s *suite) {
	for _, shape := range s.shapes() {
		x := s.put(s.odd(shape))
		for range min(50, shape.Len()) {
			i := s.rng.IntN(shape.Len())
			s.sameBits("At", []mat.Real{s.dev.At(x.Dense, i)}, x.grid.v[i:i+1])
		}
	}
	x := s.put(s.random(mat.Shape{Rows: 1, Cols: 1}))
	s.sameBits("Item", []mat.Real{x.Item()}, x.grid.v)
}

// checkIndex: the list is a copy, and as long as it says. What is in it, Gather and SegmentSum show.
func checkIndex(s *suite) {
	for _, n := range []int{0, 1, 5, 1000} {
		ids := s.ids(n, 9)
		if l := s.dev.Index(ids, 9); l.Len() != n {
			s.Fatalf("an Index of %d ids has length %d", n, l.Len())
		}
		idx := s.index(ids, 9)
		was := slices.Clone(ids)
		clear(ids) // the device has its own copy
		s.gather(idx, was, 3)
	}
}

// ids returns a list of n numbers below bound; some repeat, some are missing.
func (s *suite) ids(n, bound int) []int32 {
	list := make([]int32, n)
	for i := range list {
		list[i] = int32(s.rng.IntN(bound))
	}
	return list
}

func (s *suite) index(ids []int32, bound int) *mat.Index {
	s.Helper()
	idx, err := mat.NewIndex(ids, bound)
	if err != nil {
		s.Fatalf("NewIndex: %v; seed %d", err, seed)
	}
	return idx
}

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
