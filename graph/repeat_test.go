package graph

import (
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
)

// TestManyRepeats drops the repeats of a graph of several ranges and buckets, on 1, 2 and 8 cores.
func TestManyRepeats(t *testing.T) {
	const seed, edges, nodes = 5, 1<<19 + 12345, 600
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for _, undirected := range []bool{false, true} {
		rng := rand.New(rand.NewPCG(seed, 0))
		spec := Spec{Nodes: nodes, Relations: 1, Undirected: undirected, DropDuplicates: true}
		if !undirected {
			spec.Relations = 3
		}
		var want []int32
		seen := map[Triple]bool{}
		for i := range edges {
			x := Triple{rng.Int32N(nodes), rng.Int32N(int32(spec.Relations)), rng.Int32N(nodes)}
			spec.Triples = append(spec.Triples, x)
			if undirected {
				x.U, x.V = min(x.U, x.V), max(x.U, x.V)
			}
			if !seen[x] {
				want = append(want, int32(i))
			}
			seen[x] = true
		}
		for _, cores := range []int{1, 2, 8} {
			runtime.GOMAXPROCS(cores)
			g := mustBuild(t, spec)
			if !slices.Equal(g.Origins(), want) || g.Report().Duplicates != edges-len(want) {
				t.Fatalf("seed %d, undirected %v, %d cores: %d edges stay, %+v; want %d",
					seed, undirected, cores, g.NumEdges(), g.Report(), len(want))
			}
		}
	}
}
