package kernel

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// sparseEps is the distance from 1 to the next Real.
var sparseEps = func() float64 {
	e := Real(1)
	for 1+e/2 != 1 {
		e /= 2
	}
	return float64(e)
}()

// sparseLevels runs f at every level that this build and CPU offer.
func sparseLevels(t *testing.T, f func(t *testing.T)) {
	for l := Portable; l <= Best(); l++ {
		t.Run(l.String(), func(t *testing.T) {
			defer Use(l)()
			f(t)
		})
	}
}

// sparseCase is the arguments of one SpMM.
type sparseCase struct {
	a             *CSR
	val, scale, x []Real
	dst           []Real // before the call
	cols          int
	alpha, beta   Real
}

// newSparseCase draws arguments; bits of kind turn on val, Edge, scale, β and special numbers.
func newSparseCase(rng *rand.Rand, rows, from, cols, kind int) sparseCase {
	c := sparseCase{a: randomCSR(rng, rows, from, kind&2 != 0), cols: cols, alpha: 1}
	if kind&1 != 0 {
		c.val = sparseNormals(rng, c.a.NNZ())
	}
	if kind&4 != 0 {
		c.scale, c.alpha = sparseNormals(rng, rows), -0.75
		for i := range c.scale {
			if c.a.Ptr[i] == c.a.Ptr[i+1] {
				c.scale[i] = Real(math.Inf(1)) // 1/degree of an empty row
			}
		}
	}
	c.x, c.dst = sparseNormals(rng, from*cols), slices.Repeat([]Real{Real(math.NaN())}, rows*cols)
	if kind&8 != 0 {
		c.beta, c.dst = 0.5, sparseNormals(rng, rows*cols)
	}
	if kind&16 != 0 && len(c.x) > 0 {
		for _, v := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
			c.x[rng.IntN(len(c.x))] = Real(v)
		}
	}
	return c
}

// sparseNormals draws n numbers, starting at an odd place in memory.
func sparseNormals(rng *rand.Rand, n int) []Real {
	x := make([]Real, n+1)[1:]
	for i := range x {
		x[i] = Real(rng.NormFloat64())
	}
	return x
}

// oracle is SpMM by its definition in float64, and how far a Real result may be from it: every one of
// the n terms of a sum, and the few operations after it, round by at most eps/2 of the sum of the
// absolute terms; a factor 2 covers products rounded on their own.
func (c sparseCase) oracle() (want, bound []float64) {
	want, bound = make([]float64, len(c.dst)), make([]float64, len(c.dst))
	for i := range c.a.Rows {
		for j := range c.cols {
			var sum, abs float64
			for e := c.a.Ptr[i]; e < c.a.Ptr[i+1]; e++ {
				v := float64(c.x[int(c.a.Idx[e])*c.cols+j])
				if c.val != nil {
					v *= float64(c.val[c.a.edge(e)])
				}
				sum += v
				abs += math.Abs(v)
			}
			n := c.a.Ptr[i+1] - c.a.Ptr[i]
			f := float64(c.alpha)
			if c.scale != nil {
				f *= float64(c.scale[i])
			}
			if n == 0 {
				f = 0
			}
			k := i*c.cols + j
			want[k], abs = f*sum, math.Abs(f)*abs
			if c.beta != 0 {
				want[k] += float64(c.beta) * float64(c.dst[k])
				abs += math.Abs(float64(c.beta) * float64(c.dst[k]))
			}
			bound[k] = float64(n+4) * sparseEps * abs
		}
	}
	return want, bound
}

// sparseNear reports whether got is within bound of want; NaN and infinities must be the same.
func sparseNear(got Real, want, bound float64) bool {
	g := float64(got)
	if math.IsNaN(want) || math.IsInf(want, 0) {
		return g == want || math.IsNaN(g) && math.IsNaN(want)
	}
	return math.Abs(g-want) <= bound
}

// sparseGuarded returns a copy of x between guard bands, and a check that the bands are as they were.
func sparseGuarded(x []Real) (y []Real, intact func() bool) {
	const band, mark = 19, 12345
	all := slices.Repeat([]Real{mark}, len(x)+2*band)
	copy(all[band:], x)
	return all[band : band+len(x) : band+len(x)], func() bool {
		for i := range band {
			if all[i] != mark || all[len(all)-1-i] != mark {
				return false
			}
		}
		return true
	}
}

// check runs the case through call and compares with the oracle.
func (c sparseCase) check(t *testing.T, about string, call func(dst []Real)) {
	t.Helper()
	dst, intact := sparseGuarded(c.dst)
	call(dst)
	if !intact() {
		t.Fatalf("%s: wrote outside dst", about)
	}
	want, bound := c.oracle()
	for k, v := range dst {
		if !sparseNear(v, want[k], bound[k]) {
			t.Fatalf("%s: row %d column %d is %v, want %v ± %v", about, k/c.cols, k%c.cols, v, want[k], bound[k])
		}
	}
}

func (c sparseCase) spmm(dst []Real) { SpMM(dst, c.a, c.val, c.scale, c.x, c.cols, c.alpha, c.beta) }

func TestSpMM(t *testing.T) {
	sparseLevels(t, func(t *testing.T) {
		const seed = 3
		rng := rand.New(rand.NewPCG(seed, 0))
		sizes := []int{80, 96, 111, 112, 128, 150, 192, 255, 256, 257, 300, 512, 640}
		for cols := range 68 {
			sizes = append(sizes, cols)
		}
		step := 1
		if testing.Short() {
			step = 7 // still every kind somewhere
		}
		for n := 0; n < len(sizes)*32; n += step {
			cols, kind := sizes[n/32], n%32
			c := newSparseCase(rng, 1+rng.IntN(70), 1+rng.IntN(20), cols, kind)
			c.check(t, fmt.Sprintf("seed %d, %d columns, kind %d", seed, cols, kind), c.spmm)
		}
	})
}

// TestSpMMEmpty: no rows, no columns and no entries are all fine.
func TestSpMMEmpty(t *testing.T) {
	sparseLevels(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(4, 0))
		for kind := range 16 {
			for _, s := range [][3]int{{0, 0, 5}, {0, 3, 5}, {4, 0, 5}, {4, 3, 0}} {
				c := newSparseCase(rng, s[0], s[1], s[2], kind)
				c.check(t, fmt.Sprint(s, kind), c.spmm)
			}
		}
	})
}

// TestSpMMRows: a range of rows gives the bits of those rows of the whole.
func TestSpMMRows(t *testing.T) {
	sparseLevels(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(5, 0))
		for _, cols := range []int{1, 16, 40} {
			c := newSparseCase(rng, 300, 50, cols, 13)
			all := slices.Clone(c.dst)
			c.spmm(all)
			for range 50 {
				lo := rng.IntN(c.a.Rows + 1)
				hi := lo + rng.IntN(c.a.Rows+1-lo)
				dst, intact := sparseGuarded(c.dst[lo*cols : hi*cols])
				SpMMRows(dst, c.a, lo, hi, c.val, c.scale, c.x, cols, c.alpha, c.beta)
				if !intact() || !slices.Equal(dst, all[lo*cols:hi*cols]) {
					t.Fatalf("%d columns: rows %d..%d differ from the whole", cols, lo, hi)
				}
			}
		}
	})
}

// largeCases are worth several chunks; the second is done by column panels.
func largeCases(rng *rand.Rand) []sparseCase {
	long := newSparseCase(rng, 2000, 4000, 130, 15)
	ptr, idx := make([]int64, 2001), make([]int32, 70000)
	for e := range idx {
		idx[e] = int32(rng.IntN(4000))
	}
	for i := range ptr {
		ptr[i] = int64(i) * 35
	}
	a, err := NewCSR(2000, 4000, ptr, idx, nil)
	if err != nil {
		panic(err)
	}
	long.a, long.val = a, sparseNormals(rng, len(idx))
	return []sparseCase{newSparseCase(rng, 9000, 500, 40, 15), long}
}

// TestSpMMThreads: the same bits for any number of threads, close to the oracle.
func TestSpMMThreads(t *testing.T) {
	defer SetThreads(0)
	sparseLevels(t, func(t *testing.T) {
		for n, c := range largeCases(rand.New(rand.NewPCG(6, 0))) {
			var first []Real
			for _, threads := range []int{1, 2, 8} {
				SetThreads(threads)
				dst := slices.Clone(c.dst)
				c.spmm(dst)
				if first == nil {
					first = dst
					c.check(t, fmt.Sprint("case ", n), c.spmm)
				}
				if !slices.Equal(dst, first) {
					t.Fatalf("case %d: %d threads give other bits than one", n, threads)
				}
			}
		}
	})
}

func TestSpMMAllocates(t *testing.T) {
	for n, c := range largeCases(rand.New(rand.NewPCG(7, 0))) {
		if got := testing.AllocsPerRun(10, func() { c.spmm(c.dst) }); got != 0 {
			t.Errorf("case %d: %v allocations a call", n, got)
		}
	}
}

// FuzzSpMM: every level agrees with the oracle, and so with the portable one; and on rounded rows, if they are rounded.
func FuzzSpMM(f *testing.F) {
	f.Add(uint64(1), uint8(10), uint8(10), uint16(64), uint8(0))
	f.Add(uint64(2), uint8(200), uint8(1), uint16(17), uint8(15))
	f.Fuzz(func(t *testing.T, seed uint64, rows, from uint8, cols uint16, kind uint8) {
		c := newSparseCase(rand.New(rand.NewPCG(seed, 0)), int(rows), int(from), int(cols)%600, int(kind)%32)
		for l := Portable; l <= Best(); l++ {
			restore := Use(l)
			c.check(t, fmt.Sprint(l), c.spmm)
			if c.a.rounds(c.cols) {
				c.rounded().check(t, fmt.Sprint(l, ", bf16"), c.spmmBF16)
			}
			restore()
		}
	})
}
