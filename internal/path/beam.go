package path

import (
	"cmp"
	"math"
	"slices"
)

// beamWidth is the number of walks to a node that are followed.
const beamWidth = 10

// walk is a way through the graph, as its last edge and the walk before it.
type walk struct {
	before *walk // nil for the first edge
	edge   int32
	length int
	sum    float64 // of the weights of the edges, each in the layer that it is taken in
}

func (w walk) mean() float64 { return w.sum / float64(w.length) }

// edges returns the walk's, the first one first.
func (w walk) edges() []int32 {
	list := make([]int32, w.length)
	for at := &w; at != nil; at = at.before {
		list[at.length-1] = at.edge
	}
	return list
}

// beam follows the heaviest walks from a head, one edge per layer. A walk that reaches the answer ends there: the
// residual connections carry it through the remaining layers.
type beam struct {
	*net
	head, answer int32
	at           [][]walk // by node, the heaviest first
	length       int
	ended        []walk
}

func newBeam(n *net, head, answer int32) *beam { return &beam{net: n, head: head, answer: answer} }

// advance takes all walks one edge further, weight being by edge, for the next layer. Edges of weight −∞ are left
// out.
func (b *beam) advance(weight []float64) {
	b.length++
	next := make([][]walk, b.nodes)
	if b.length == 1 {
		b.extend(next, b.head, nil, weight)
	}
	for v, ws := range b.at {
		for i := range ws {
			b.extend(next, int32(v), &ws[i], weight)
		}
	}
	for v := range next {
		slices.SortStableFunc(next[v], func(x, y walk) int { return cmp.Compare(y.sum, x.sum) })
		next[v] = next[v][:min(beamWidth, len(next[v]))]
	}
	b.ended = append(b.ended, next[b.answer]...)
	next[b.answer] = nil
	b.at = next
}

// extend adds w and one more edge, for every edge from v to a node that w has not seen.
func (b *beam) extend(next [][]walk, v int32, w *walk, weight []float64) {
	sum := 0.0
	if w != nil {
		sum = w.sum
	}
	for _, e := range b.out.edgesOf(v) {
		if to := b.target[e]; !math.IsInf(weight[e], -1) && !b.seen(w, to) {
			next[to] = append(next[to], walk{w, e, b.length, sum + weight[e]})
		}
	}
}

// seen reports whether w has been at v.
func (b *beam) seen(w *walk, v int32) bool {
	for ; w != nil; w = w.before {
		if b.target[w.edge] == v {
			return true
		}
	}
	return v == b.head
}

// strongest returns the k walks to the answer with the largest mean weight.
func (b *beam) strongest(k int) []walk {
	slices.SortStableFunc(b.ended, func(x, y walk) int { return cmp.Compare(y.mean(), x.mean()) })
	return b.ended[:min(k, len(b.ended))]
}
