package kernel

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// roundedCase draws arguments whose x is rounded, rows of x used eight times on average or, by panels, sixteen times;
// bits of kind as in newSparseCase. It has an empty row.
func roundedCase(rng *rand.Rand, from, uses, cols, kind int) sparseCase {
	const rows = 300
	c := newSparseCase(rng, rows, from, cols, kind)
	ptr, idx := make([]int64, rows+1), make([]int32, from*uses)
	for e := range idx {
		idx[e] = int32(rng.IntN(from))
	}
	for i := 2; i < rows; i++ {
		ptr[i] = ptr[i-1] + rng.Int64N(int64(2*len(idx)/rows))
		ptr[i] = min(ptr[i], int64(len(idx)))
	}
	ptr[rows] = int64(len(idx))
	var edge []int32
	if kind&2 != 0 {
		for _, e := range rng.Perm(len(idx)) {
			edge = append(edge, int32(e))
		}
	}
	a, err := NewCSR(rows, from, ptr, idx, edge)
	if err != nil {
		panic(err)
	}
	if c.a = a; kind&1 != 0 {
		c.val = sparseNormals(rng, len(idx))
	}
	return c
}

func (c sparseCase) spmmBF16(dst []Real) {
	SpMMBF16(dst, c.a, c.val, c.scale, c.x, c.cols, c.alpha, c.beta)
}

// rounded is c with an x that is bf16 already.
func (c sparseCase) rounded() sparseCase {
	x := make([]Real, len(c.x))
	if len(x) > 0 {
		roundRows(x, c.x, 1, len(x), len(x))
	}
	c.x = x
	return c
}

// TestSpMMBF16: rows are rounded, and nothing else, for widths around those of bodies, by rows and by panels.
func TestSpMMBF16(t *testing.T) {
	sparseLevels(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(11, 0))
		widths := []int{129, 144, 145, 160, 224, 225, 255, 256, 257, 288, 511, 512, 530}
		if testing.Short() {
			widths = []int{129, 256, 511}
		}
		for n, cols := range widths {
			for _, kind := range []int{n * 7 % 32, 31 - n} {
				for _, s := range [][2]int{{200, 8}, {400000 / cols, 16}} {
					c := roundedCase(rng, s[0], s[1], cols, kind)
					c.rounded().check(t, fmt.Sprintf("%d columns, kind %d, %d uses", cols, kind, s[1]), c.spmmBF16)
				}
			}
		}
	})
}

// TestSpMMBF16Leaves: x is not rounded where its rows are short or seldom used.
func TestSpMMBF16Leaves(t *testing.T) {
	sparseLevels(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(12, 0))
		for _, c := range []sparseCase{roundedCase(rng, 200, 20, 128, 15), roundedCase(rng, 200, 7, 256, 15),
			newSparseCase(rng, 5, 0, 200, 0)} {
			got, want := slices.Clone(c.dst), slices.Clone(c.dst)
			c.spmmBF16(got)
			c.spmm(want)
			if !slices.Equal(got, want) {
				t.Errorf("%d columns, %d uses: other bits than SpMM", c.cols, c.a.NNZ()/max(1, c.a.Cols))
			}
		}
	})
}

// TestSpMMBF16SameBits: on one thread, on two and on eight, and nothing allocated.
func TestSpMMBF16SameBits(t *testing.T) {
	defer SetThreads(0)
	rng := rand.New(rand.NewPCG(13, 0))
	for _, c := range []sparseCase{roundedCase(rng, 900, 9, 300, 15), roundedCase(rng, 3100, 16, 300, 15)} {
		var first []Real
		start := slices.Clone(c.dst)
		for _, threads := range []int{1, 2, 8} {
			SetThreads(threads)
			dst := slices.Clone(start)
			c.spmmBF16(dst)
			if first == nil {
				first = dst
			}
			if !slices.Equal(dst, first) {
				t.Errorf("%d uses: %d threads give other bits than one", c.a.NNZ()/c.a.Cols, threads)
			}
			if n := testing.AllocsPerRun(5, func() { c.spmmBF16(c.dst) }); n != 0 {
				t.Errorf("%d uses, %d threads: %v allocations", c.a.NNZ()/c.a.Cols, threads, n)
			}
		}
	}
}
