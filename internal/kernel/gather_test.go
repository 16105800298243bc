package kernel

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"
)

// TestGather: the very bits of the rows asked for, at every width and for several chunks.
func TestGather(t *testing.T) {
	defer SetThreads(0)
	sparseLevels(t, func(t *testing.T) {
		const seed = 10
		rng := rand.New(rand.NewPCG(seed, 0))
		sizes := []int{100, 128, 256, 300}
		for cols := range 68 {
			sizes = append(sizes, cols)
		}
		for _, cols := range sizes {
			SetThreads(1 + cols%3)
			const rows = 21
			idx := make([]int32, rng.IntN(30)+3000*(cols/100))
			for i := range idx {
				idx[i] = int32(rng.IntN(rows))
			}
			x := sparseNormals(rng, rows*cols)
			if len(x) > 0 {
				x[rng.IntN(len(x))] = Real(math.NaN())
			}
			dst, intact := sparseGuarded(make([]Real, len(idx)*cols))
			if Gather(dst, x, idx, cols); !intact() {
				t.Fatalf("seed %d, %d columns: wrote outside dst", seed, cols)
			}
			for k, v := range dst {
				want := x[int(idx[k/cols])*cols+k%cols]
				if math.Float64bits(float64(v)) != math.Float64bits(float64(want)) {
					t.Fatalf("seed %d, %d columns: row %d column %d is %v, want %v",
						seed, cols, k/cols, k%cols, v, want)
				}
			}
		}
	})
}

func TestGatherAllocates(t *testing.T) {
	dst, x, idx := make([]Real, 5000*64), make([]Real, 640), make([]int32, 5000)
	if n := testing.AllocsPerRun(10, func() { Gather(dst, x, idx, 64) }); n != 0 {
		t.Errorf("%v allocations a call", n)
	}
}

// TestReadBandwidth: a rate that memory can have, at every level and for any size.
func TestReadBandwidth(t *testing.T) {
	sparseLevels(t, func(t *testing.T) {
		for _, bytes := range []int{0, 100, 1 << 20} {
			if got := ReadBandwidth(2, bytes, time.Millisecond); !(got > 0) || math.IsInf(got, 0) {
				t.Errorf("%d bytes: %v bytes/s", bytes, got)
			}
		}
	})
}
