package generate

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/internal/build"
	"github.com/bloomgml/bloom/internal/random"
	"github.com/bloomgml/bloom/mat"
)

// csbm is a contextual stochastic block model: classes of equal size (up to a node), an edge that
// knows only the classes of its ends, and features that know only the class of their node,
//
//	x_v = signal·m_c + noise·z_v,   c = y_v,   m_c uniform on the unit sphere, z_v ~ N(0, I)
//
// (Deshpande, Sen, Montanari, Mossel 2018; theirs has two classes and opposite means). Of the
// m = round(n·degree/2) edges round(homophily·m) join nodes of one class, so that homophily is the
// edge homophily exactly; with k classes 1/k is no homophily at all. Where homophily is mixed, a share of the nodes,
// drawn at random, is contrary: of the edges that begin with one of them, a share mixed of all, 1 − homophily join
// nodes of one class (after Mao et al. 2023, CSBM-S, where every node has a pattern of its own).
//
// Chosen: edges are distinct; one end is uniform among the nodes, the other among its class or the others; ten
// stratified splits with the share train to train, the same again to validate, the rest to test.
var csbm = Generator{
	Name:  "csbm",
	About: "a contextual stochastic block model with knobs for homophily, noise and corrupted features",
	Keys: []key{
		{"nodes", 1000, 4, 1e7, true, "number of nodes"},
		{"classes", 2, 2, 1000, true, "number of classes"},
		{"degree", 10, 0, 1000, false, "mean degree"},
		{"homophily", 0.8, 0, 1, false, "share of the edges that join nodes of one class"},
		{"mixed", 0, 0, 1, false, "share of the nodes whose edges have homophily 1 − homophily"},
		{"features", 16, 0, 10000, true, "number of features; 0 for a graph alone"},
		{"signal", 1, 0, 1e6, false, "length of the mean feature row of a class"},
		{"noise", 1, 0, 1e6, false, "deviation of every feature around its mean"},
		{"corrupt", 0, 0, 1, false, "share of the nodes whose features are replaced by N(0, 1)"},
		{"train", 0.2, 0, 0.5, false, "share of the nodes to train on, and again to validate on"},
		seedKey,
	},
	make: makeCSBM,
}

func makeCSBM(v values) (*dataset.Dataset, error) {
	n, k, seed := v.whole("nodes"), v.whole("classes"), v.seed()
	if n < 2*k {
		return nil, fmt.Errorf("%d nodes are too few for %d classes of at least 2", n, k)
	}
	rng := random.New(seed, random.Graph)
	class := make([]int32, n)
	for i := range class {
		class[i] = int32(i % k)
	}
	random.Shuffle(rng, class)
	m := share(v["degree"]/2, n)
	edges, err := mixedEdges(rng, class, m, v)
	if err != nil {
		return nil, err
	}
	g, err := graph.Build(graph.Spec{Nodes: n, Triples: edges, Undirected: true})
	if err != nil {
		return nil, err
	}
	splits, err := stratified(class, seed, v["train"], v["train"], 1-2*v["train"])
	if err != nil {
		return nil, err
	}
	d := &dataset.Dataset{
		Graph: g, IDs: dataset.NewIDs(numbered("n", n)),
		Labels: dataset.Labels{Class: class, Names: numbered("c", k)},
		Splits: splits, Metric: "accuracy",
	}
	if features := v.whole("features"); features > 0 {
		d.Features = []dataset.Matrix{classFeatures(class, k, features, v["signal"], v["noise"], seed)}
	}
	if v["corrupt"] == 0 {
		return d, nil
	}
	return build.Corrupt(d, build.Corruption{Rows: v["corrupt"]}, seed)
}

// classFeatures returns the n×features matrix of the formula above. Products are rounded before they
// are added, so that no platform fuses the two.
func classFeatures(class []int32, k, features int, signal, noise float64, seed uint64) dataset.Matrix {
	rng := random.New(seed, random.Features)
	means := classMeans(k, features, signal, rng)
	x := dataset.Matrix{Rows: len(class), Cols: features, Values: make([]mat.Real, len(class)*features)}
	for v, c := range class {
		row := x.Values[v*features : (v+1)*features]
		for j := range row {
			row[j] = mat.Real(means[c][j] + float64(noise*rng.NormFloat64()))
		}
	}
	return x
}

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
	ordinary := slices.DeleteFunc(build.Range(0, n), func(u int32) bool {
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
