package kernel

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// entrySeed starts every generator of this piece's tests; a failure repeats with it.
const entrySeed = 20240817

func entryRand() *rand.Rand { return rand.New(rand.NewPCG(entrySeed, 1)) }

// entrySizes are all tails of one vector, of unrolled groups, and several chunks.
func entrySizes() []int {
	var sizes []int
	for n := range 68 {
		sizes = append(sizes, n)
	}
	return append(sizes, 127, 128, 1000, entryChunk, entryChunk+1, 3*entryChunk-5)
}

// sentinel surrounds outputs: a kernel that writes outside changes it.
const sentinel = 12345.5

// guarded is n numbers that start at an odd place between two bands of sentinels.
type guarded struct{ all, x []Real }

func newGuarded(n int) guarded {
	const band = 19 // odd: the start is not aligned
	all := make([]Real, n+2*band)
	for i := range all {
		all[i] = sentinel
	}
	return guarded{all, all[band : band+n : band+n]}
}

func copyGuarded(x []Real) guarded {
	b := newGuarded(len(x))
	copy(b.x, x)
	return b
}

func (b guarded) check(t *testing.T, what string) {
	t.Helper()
	band := (len(b.all) - len(b.x)) / 2
	for i, v := range b.all {
		if (i < band || i >= band+len(b.x)) && v != sentinel {
			t.Fatalf("%s, seed %d: wrote outside at %d of %d numbers", what, entrySeed, i-band, len(b.x))
		}
	}
}

// eachLevel runs f at every level of this CPU.
func eachLevel(t *testing.T, f func(t *testing.T)) {
	for l := Portable; l <= Best(); l++ {
		t.Run(l.String(), func(t *testing.T) {
			defer Use(l)()
			f(t)
		})
	}
}

// normals is n numbers of N(0, 3²).
func normals(rng *rand.Rand, n int) []Real {
	x := make([]Real, n)
	for i := range x {
		x[i] = Real(3 * rng.NormFloat64())
	}
	return x
}

// withSpecials is normals with NaN, infinities, zeros and extremes strewn in.
func withSpecials(rng *rand.Rand, n int) []Real {
	x := normals(rng, n)
	inf := Real(math.Inf(1))
	specials := []Real{Real(math.NaN()), inf, -inf, 0, Real(math.Copysign(0, -1)), 1e-40, -1e-40, 3e38, -3e38}
	for i := range x {
		if rng.IntN(3) == 0 {
			x[i] = specials[rng.IntN(len(specials))]
		}
	}
	return x
}

// near fails unless got is want up to tol·scale[i], where NaN and Inf have to agree.
func near(t *testing.T, what string, got []Real, want []float64, tol float64, scale func(i int) float64) {
	t.Helper()
	for i := range want {
		w := float64(Real(want[i])) // may be Inf where the number type overflows
		g := float64(got[i])
		if g == w || math.IsNaN(g) && math.IsNaN(w) {
			continue
		}
		if d := math.Abs(g - want[i]); !(d <= tol*scale(i)) {
			t.Fatalf("%s, seed %d: [%d of %d] = %g, want %g, off by %g", what, entrySeed, i, len(want), g, w, d)
		}
	}
}

func sameBits(t *testing.T, what string, got, want []Real) {
	t.Helper()
	for i := range want {
		if math.Float64bits(float64(got[i])) != math.Float64bits(float64(want[i])) {
			t.Fatalf("%s, seed %d: [%d] = %g, want %g", what, entrySeed, i, got[i], want[i])
		}
	}
}

// roundoff is the relative error of one rounding of a Real: half an ulp.
var roundoff = map[int]float64{4: 0x1p-24, 8: 0x1p-53}[RealBytes]

// sameForThreads runs f, which returns its results, with 1, 2 and 8 threads and compares bits.
func sameForThreads(t *testing.T, what string, f func() []Real) {
	t.Helper()
	defer SetThreads(0)
	SetThreads(1)
	want := f()
	for _, n := range []int{2, 8} {
		SetThreads(n)
		sameBits(t, fmt.Sprintf("%s with %d threads", what, n), f(), want)
	}
}

func TestEntryDeterminism(t *testing.T) {
	rng := entryRand()
	const rows, cols = 3001, 37
	a, b := normals(rng, rows*cols), normals(rng, rows*cols)
	labels := make([]int32, rows)
	for i := range labels {
		labels[i] = int32(rng.IntN(cols))
	}
	eachLevel(t, func(t *testing.T) {
		sameForThreads(t, "all kernels", func() []Real {
			d := make([]Real, rows*cols)
			out := []Real{Sum(a), Dot(a, b), MaxAbs(a), CrossEntropy(a, labels, nil, rows, cols)}
			keep := func(n int) { out = append(out, d[:n]...) }
			Map(d, a, Tanh, 0, 0)
			keep(len(d))
			Axpby(d, a, b, rows, cols, ByRow, 2, 3)
			keep(len(d))
			SumRows(d, a, rows, cols)
			keep(cols)
			ColDot(d, a, b, rows, cols)
			keep(cols)
			RowDot(d, a, b, rows, cols)
			keep(rows)
			Softmax(d, a, rows, cols)
			keep(len(d))
			CrossEntropyGrad(d, a, labels, nil, rows, cols, 1)
			keep(len(d))
			Dropout(d, a, 0, 0.5, 7)
			keep(len(d))
			Normal(d, 0, 1, 7)
			keep(len(d))
			Transpose(d, a, rows, cols)
			keep(len(d))
			return out
		})
	})
}

func TestEntryAllocatesNothing(t *testing.T) {
	const rows, cols = 2000, 40
	a, b, d := make([]Real, rows*cols), make([]Real, rows*cols), make([]Real, rows*cols)
	labels, pick := make([]int32, rows), []int32{1, 5, 9}
	for name, f := range map[string]func(){
		"Map":          func() { Map(d, a, Exp, 0, 0) },
		"Axpby":        func() { Axpby(d, a, b, rows, cols, ByCol, 1, 2) },
		"Maximum":      func() { Maximum(d, a, b) },
		"Expand":       func() { Expand(d, b, rows, cols, ByCol) },
		"Sum":          func() { Sum(a) },
		"SumRows":      func() { SumRows(d, a, rows, cols) },
		"RowDot":       func() { RowDot(d, a, b, rows, cols) },
		"Finite":       func() { FirstNonFinite(a) },
		"Softmax":      func() { Softmax(d, a, rows, cols) },
		"CrossEntropy": func() { CrossEntropy(a, labels, nil, rows, cols) },
		"Grad":         func() { CrossEntropyGrad(d, a, labels, pick, rows, cols, 1) },
		"Dropout":      func() { Dropout(d, a, 0, 0.5, 1) },
		"Adam":         func() { Adam(d, a, b, b, AdamConfig{Rate: 1, Eps: 1}, 1) },
		"small Adam":   func() { Adam(d[:9], a[:9], b[:9], b[:9], AdamConfig{Rate: 1, Eps: 1}, 1) },
		"Transpose":    func() { Transpose(d, a, rows, cols) },
		"Fill":         func() { Fill(d, 1) },
		"Uniform":      func() { Uniform(d, 0, 1, 1) },
	} {
		f() // fills the free lists
		if n := testing.AllocsPerRun(5, f); n != 0 {
			t.Errorf("%s allocates %v times", name, n)
		}
	}
}
