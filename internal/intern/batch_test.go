package intern

import (
	"math/rand/v2"
	"strconv"
	"testing"
)

// TestFindAll compares with Find, for tables of all sizes up to crowded ones.
func TestFindAll(t *testing.T) {
	const seed = 3
	r := rand.New(rand.NewPCG(seed, 0))
	for _, size := range []int{0, 1, 5, 100, 5000} {
		var table Table
		for range size {
			table.ID([]byte(strconv.Itoa(r.IntN(2 * size))))
		}
		for range 50 {
			names := make([][]byte, r.IntN(BatchSize+1))
			for i := range names {
				names[i] = []byte(strconv.Itoa(r.IntN(2*size + 1)))
			}
			dst := make([]int32, len(names))
			table.FindAll(dst, names)
			for i, name := range names {
				want, ok := table.Find(name)
				if !ok {
					want = -1
				}
				if dst[i] != want {
					t.Fatalf("seed %d, %d names: FindAll(%q) = %d, want %d", seed, size, name, dst[i], want)
				}
			}
		}
	}
}
