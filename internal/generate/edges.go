package generate

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/internal/build"
	"github.com/bloomgml/bloom/internal/random"
)

// joined are distinct edges that know only the classes of their ends.
type joined struct {
	rng     *rand.Rand
	class   []int32
	members [][]int32
	seen    map[[2]int32]bool
	edges   []graph.Triple
}

// joining returns a joined without edges, with room for m.
func joining(rng *rand.Rand, class []int32, m int) *joined {
	return &joined{rng, class, build.ByClass(class), make(map[[2]int32]bool, m), make([]graph.Triple, 0, m)}
}

// mixedEdges draws m edges: first those that begin with ordinary nodes, then those that begin with contrary ones.
func mixedEdges(rng *rand.Rand, class []int32, m int, v values) ([]graph.Triple, error) {
	n, h := len(class), v["homophily"]
	contrary := random.Subset(random.New(v.seed(), random.Patterns), n, share(v["mixed"], n))
	ordinary := slices.DeleteFunc(everyNode(n), func(u int32) bool {
		_, found := slices.BinarySearch(contrary, u)
		return found
	})
	other := share(float64(len(contrary))/float64(n), m)
	b := joining(rng, class, m)
	if err := b.drawEdges(ordinary, share(h, m-other), m-other-share(h, m-other)); err != nil {
		return nil, err
	}
	err := b.drawEdges(contrary, share(1-h, other), other-share(1-h, other))
	return b.edges, err
}

func everyNode(n int) []int32 {
	all := make([]int32, n)
	for i := range all {
		all[i] = int32(i)
	}
	return all
}

// drawEdges adds edges that begin with one of the nodes from: same edges within classes, other edges between them. It
// draws duplicates again, so it refuses to fill more than half of the pairs of a kind.
func (b *joined) drawEdges(from []int32, same, other int) error {
	within, across := 0, 0 // twice the pairs
	for _, u := range from {
		own := len(b.members[b.class[u]])
		within, across = within+own-1, across+len(b.class)-own
	}
	if 4*same > within || 4*other > across {
		return fmt.Errorf("%d edges within and %d between classes are more than half of the %d and %d pairs: "+
			"lower the degree", same, other, within/2, across/2)
	}
	for left := same + other; left > 0; {
		u, v := from[b.rng.IntN(len(from))], int32(b.rng.IntN(len(b.class)))
		if left > other {
			own := b.members[b.class[u]]
			v = own[b.rng.IntN(len(own))]
		}
		pair := [2]int32{min(u, v), max(u, v)}
		if u == v || (b.class[u] == b.class[v]) != (left > other) || b.seen[pair] {
			continue
		}
		b.seen[pair] = true
		b.edges = append(b.edges, graph.Triple{U: u, V: v})
		left--
	}
	return nil
}
