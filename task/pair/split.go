package pair

import (
	"cmp"
	"slices"

	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/metric"
	"github.com/bloomgml/bloom/train"
)

// pair is two nodes, u < v.
type pair struct{ u, v int32 }

func newPair(u, v int32) pair { return pair{min(u, v), max(u, v)} }

func comparePairs(a, b pair) int { return cmp.Or(cmp.Compare(a.u, b.u), cmp.Compare(a.v, b.v)) }

// split holds the joined pairs of a graph in three parts, and pairs that are not joined, the same number as joined
// ones for validation and for test.
type split struct {
	train, valid, test    []pair
	validFalse, testFalse []pair
	known, taught         map[pair]bool // all that are joined, and the training ones
	nodes                 int
	old                   int           // the first nodes, which were there in training
	both                  *metric.Known // see facts
}

// newSplit divides the joined pairs of the first nodes of d, all for 0, by seed; pairs of others are training ones. The
// error is a *train.BadData.
func newSplit(c config.Pairs, d *dataset.Dataset, first int, seed uint64) (*split, error) {
	all := joined(d.Graph)
	s := &split{known: make(map[pair]bool, len(all)), taught: make(map[pair]bool, len(all)), nodes: d.Graph.NumNodes()}
	if s.old = s.nodes; first > 0 {
		s.old = min(first, s.nodes)
	}
	for _, p := range all {
		s.known[p] = true
	}
	late := func(p pair) bool { return int(p.v) >= s.old }
	old := slices.DeleteFunc(slices.Clone(all), late)
	shuffle(old, mat.Mix(seed, hashSplit))
	valid, test := int(c.Valid*float64(len(old))), int(c.Test*float64(len(old)))
	s.valid, s.test, s.train = old[:valid], old[valid:valid+test], old[valid+test:]
	for _, p := range all {
		if late(p) {
			s.train = append(s.train, p)
		}
	}
	for _, p := range s.train {
		s.taught[p] = true
	}
	bad := func(text string) error { return &train.BadData{Data: d.Name, Text: text} }
	n := s.nodes
	switch {
	case len(s.train) < c.Batches:
		return nil, bad("it has too few edges to learn links from")
	case 2*len(all) > n*(n-1)/2:
		return nil, bad("more than half of all pairs of nodes are joined: there is nothing to learn")
	}
	slices.SortFunc(s.train, comparePairs)
	s.validFalse = s.sampleUnjoined(valid, mat.Mix(seed, hashValid))
	s.testFalse = s.sampleUnjoined(test, mat.Mix(seed, hashTest))
	return s, nil
}

// Places of random numbers below the seed of a run.
const (
	hashSplit uint64 = 0x70616972 + iota
	hashValid
	hashTest
	hashOrder
	hashFalse
	hashRank
	hashFold
	hashDrop
	hashShort
	hashScale
)

// joined returns the pairs of different nodes with an edge between them, in ascending order.
func joined(g *graph.Graph) []pair {
	all := make([]pair, 0, g.NumEdges())
	for e := range g.NumEdges() {
		if t := g.Edge(int32(e)); t.U != t.V {
			all = append(all, newPair(t.U, t.V))
		}
	}
	slices.SortFunc(all, comparePairs)
	return slices.Compact(all)
}

// shuffle puts a list into an order that is a function of seed.
func shuffle[T any](list []T, seed uint64) {
	for i := len(list) - 1; i > 0; i-- {
		j := below(i+1, mat.Mix(seed, uint64(i)))
		list[i], list[j] = list[j], list[i]
	}
}

// below returns a number under n, made of a random one.
func below(n int, random uint64) int { return int((random >> 32) * uint64(n) >> 32) }

// sampleUnjoined returns k different pairs that are not joined, uniformly drawn.
func (s *split) sampleUnjoined(k int, seed uint64) []pair {
	seen := make(map[pair]bool, k)
	list := make([]pair, 0, k)
	for try := uint64(0); len(list) < k; try++ {
		p, ok := randomPair(s.old, mat.Mix(seed, try))
		if ok && !s.known[p] && !seen[p] {
			seen[p] = true
			list = append(list, p)
		}
	}
	return list
}

// randomPair returns a pair of two nodes out of n; ok is false for one node twice.
func randomPair(n int, random uint64) (p pair, ok bool) {
	u, v := int32(below(n, random)), int32(below(n, random<<32))
	return newPair(u, v), u != v
}

// seen returns d without the edges of held-out pairs. The others keep their order, relations, weights and features.
func (s *split) seen(d *dataset.Dataset) (*dataset.Dataset, error) {
	held := make(map[pair]bool, len(s.valid)+len(s.test))
	for _, list := range [][]pair{s.valid, s.test} {
		for _, p := range list {
			held[p] = true
		}
	}
	g, own := d.Graph, d.Graph.Weights()
	var triples []graph.Triple
	var weights []mat.Real
	var edges []int32
	for e := range g.NumEdges() {
		t := g.Edge(int32(e))
		if held[newPair(t.U, t.V)] {
			continue
		}
		edges = append(edges, int32(e))
		triples = append(triples, t)
		if own != nil {
			weights = append(weights, own[e])
		}
	}
	left, err := graph.Build(graph.Spec{Nodes: g.NumNodes(), Relations: g.NumRelations(), Triples: triples,
		Weights: weights, Features: g.Features().Pick(edges), NodeTypes: g.NodeTypes(), Types: g.NumTypes(),
		Undirected: g.Undirected()})
	if err != nil {
		return nil, err
	}
	out := *d
	out.Graph = left
	return &out, nil
}
