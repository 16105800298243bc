package ondisk_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/bloomgml/bloom/internal/ondisk"
)

// Two triangles that one edge joins, numbered in turn.
func ExampleParts() {
	near := [][]int32{{2, 4}, {3, 5}, {0, 4}, {1, 5}, {0, 2, 5}, {1, 3, 4}}
	rank := make([]int32, len(near))
	parts := ondisk.NewPartition(len(near), 2)
	join := parts.Join(rank)
	for range 3 {
		for u, list := range near {
			join(int32(u), list)
		}
		join = parts.Rejoin(rank)
	}
	fmt.Println(rank)
	// Output: [0 1 0 1 0 1]
}

// cliques is k of them, of size nodes each, whose members are k apart.
func cliques(k, size int) [][]int32 {
	near := make([][]int32, k*size)
	for u := range near {
		for v := u % k; v < len(near); v += k {
			if v != u {
				near[u] = append(near[u], int32(v))
			}
		}
	}
	return near
}

// TestParts: no part is above its capacity, one more than its share, whatever number of parts there are, and streaming
// again keeps no fewer edges inside: all of them in the end, where parts are the cliques.
func TestParts(t *testing.T) {
	near := cliques(7, 9)
	for _, k := range []int{0, 1, 5, 7, 40, 63} {
		rank := make([]int32, len(near))
		parts := ondisk.NewPartition(len(near), k)
		join, kept := parts.Join(rank), []int{}
		for range 8 {
			for u, list := range near {
				join(int32(u), list)
			}
			join = parts.Rejoin(rank)
			size, inside := make([]int, max(1, k)), 0
			for u, p := range rank {
				size[p]++
				for _, v := range near[u] {
					if rank[v] == p {
						inside++
					}
				}
			}
			if most := (len(near)+len(size)-1)/len(size) + 1; slices.Max(size) > most {
				t.Errorf("%d parts have sizes %v, above %d", k, size, most)
			}
			kept = append(kept, inside)
		}
		if kept[7] < kept[0] || k == 7 && kept[7] != 7*9*8 {
			t.Errorf("%d parts keep %v of %d", k, kept, 7*9*8)
		}
	}
}
