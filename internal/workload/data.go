package workload

import (
	"math"
	"math/rand/v2"
	"sort"

	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/mat"
)

// seed fixes the graphs, features and first weights of all workloads.
const seed = 1

// PowerLaw is a random undirected graph: one end of an edge is node i with weight (i+10)^−0.6, the
// other is uniform; repetitions and self loops are dropped.
func PowerLaw(nodes, edges int, seed uint64) *graph.Graph {
	rng := rand.New(rand.NewPCG(seed, uint64(nodes)))
	cumulative := make([]float64, nodes)
	total := 0.0
	for i := range cumulative {
		total += math.Pow(float64(i+10), -0.6)
		cumulative[i] = total
	}
	triples := make([]graph.Triple, edges)
	for i := range triples {
		u := sort.SearchFloat64s(cumulative, rng.Float64()*total)
		triples[i] = graph.Triple{U: int32(min(u, nodes-1)), V: rng.Int32N(int32(nodes))}
	}
	g, err := graph.Build(graph.Spec{
		Nodes: nodes, Triples: triples, Undirected: true,
		DropDuplicates: true, Loops: graph.DropLoops,
	})
	if err != nil {
		panic(err) // the ids above are in range
	}
	return g
}

// features are a dense normal matrix, or a sparse pattern of ones.
type features struct {
	dense  *mat.Dense
	sparse *mat.Sparse
}

func newFeatures(s Shape) features {
	if s.Density == 1 {
		x := mat.New(s.Nodes, s.Features)
		mat.Normal(x, 0, 1, seed)
		return features{dense: x}
	}
	rng := rand.New(rand.NewPCG(seed, 2))
	ptr, idx := make([]int64, s.Nodes+1), []int32{}
	for i := range s.Nodes {
		for j := range s.Features {
			if rng.Float64() < s.Density {
				idx = append(idx, int32(j))
			}
		}
		ptr[i+1] = int64(len(idx))
	}
	x, err := mat.NewSparse(s.Nodes, s.Features, ptr, idx)
	if err != nil {
		panic(err) // the pattern above is monotone and in range
	}
	return features{sparse: x}
}

// task is random labels and a random half of the nodes to train on.
func task(s Shape) (labels, train *mat.Index) {
	rng := rand.New(rand.NewPCG(seed, 3))
	y := make([]int32, s.Nodes)
	for i := range y {
		y[i] = rng.Int32N(int32(s.Classes))
	}
	perm := rng.Perm(s.Nodes)[:s.Nodes/2]
	pick := make([]int32, len(perm))
	for i, v := range perm {
		pick[i] = int32(v)
	}
	return mat.MustIndex(y, s.Classes), mat.MustIndex(pick, s.Nodes)
}
