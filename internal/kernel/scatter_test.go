package kernel

import (
	"math/rand/v2"
	"testing"
)

// TestScatter: the rows that are listed, and no others, at every width and for several chunks and threads.
func TestScatter(t *testing.T) {
	defer SetThreads(0)
	const seed = 12
	rng := rand.New(rand.NewPCG(seed, 0))
	for _, cols := range []int{0, 1, 2, 7, 8, 33, 64, 67, 200} {
		for _, rows := range []int{1, 40, 3000} {
			SetThreads(1 + (rows+cols)%3)
			var idx []int32
			for _, r := range rng.Perm(rows)[:rng.IntN(rows+1)] {
				idx = append(idx, int32(r))
			}
			old, x := sparseNormals(rng, rows*cols), sparseNormals(rng, len(idx)*cols)
			dst, intact := sparseGuarded(append([]Real(nil), old...))
			if Scatter(dst, x, idx, cols); !intact() {
				t.Fatalf("seed %d, %d×%d: wrote outside dst", seed, rows, cols)
			}
			for i, r := range idx {
				copy(old[int(r)*cols:int(r+1)*cols], x[i*cols:(i+1)*cols])
			}
			for k, want := range old {
				if dst[k] != want {
					t.Fatalf("seed %d, %d×%d: row %d column %d is %v, want %v",
						seed, rows, cols, k/cols, k%cols, dst[k], want)
				}
			}
		}
	}
}

func TestScatterAllocates(t *testing.T) {
	dst, x, idx := make([]Real, 5000*64), make([]Real, 5000*64), make([]int32, 5000)
	for i := range idx {
		idx[i] = int32(i)
	}
	if n := testing.AllocsPerRun(10, func() { Scatter(dst, x, idx, 64) }); n != 0 {
		t.Errorf("%v allocations a call", n)
	}
}
