package live

import (
	"fmt"
	"math"
	"slices"

	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/internal/kernel"
	"github.com/bloomgml/bloom/mat"
)

// links are the edges of a graph that changes: undirected, without loops, at most one between two nodes.
type links struct {
	near   [][]int32    // the neighbours of every node, ascending
	weight [][]mat.Real // of these edges; nil while all weights are 1
	degree []float64    // summed weight of the edges of every node
	about  []float64    // the degree d̃ that the neighbours of a node reckon with, within a quarter of its own
	shy    []float64    // Σ_u a_vu/(1 + d̃_u): how much of what a node hears comes from nodes that hear little else
	count  int
	most   float64 // no degree was ever larger
}

// linksOf are the edges of g.
func linksOf(g *graph.Graph) (*links, error) {
	if s := g.Stats(); !g.Undirected() || s.Loops > 0 || s.Duplicates > 0 {
		return nil, fmt.Errorf("live: want undirected edges without loops and repeats")
	}
	p, w := g.Normalize(graph.None, graph.KeepLoops)
	n := g.NumNodes()
	l := &links{near: make([][]int32, n), degree: make([]float64, n), about: make([]float64, n),
		shy: make([]float64, n), count: g.NumEdges()}
	if g.Weights() != nil {
		l.weight = make([][]mat.Real, n)
	}
	for v := range l.near {
		lo, hi := p.Ptr[v], p.Ptr[v+1]
		l.near[v] = slices.Clone(p.Idx[lo:hi])
		if l.weight != nil {
			l.weight[v] = slices.Clone(w[lo:hi])
		}
		if !slices.IsSorted(l.near[v]) {
			return nil, fmt.Errorf("live: node %d: its neighbours are not in order", v)
		}
		l.degree[v] = l.weigh(int32(v))
	}
	l.reckon()
	return l, nil
}

// reckon lets all nodes hear of the degrees of their neighbours.
func (l *links) reckon() {
	copy(l.about, l.degree)
	l.most = 0
	for v := range l.near {
		l.most, l.shy[v] = max(l.most, l.degree[v]), 0
		for at, u := range l.near[v] {
			l.shy[v] += float64(l.weightAt(int32(v), at)) / (1 + l.about[u])
		}
	}
}

// weigh sums the weights of v.
func (l *links) weigh(v int32) float64 {
	if l.weight == nil {
		return float64(len(l.near[v]))
	}
	var sum float64
	for _, w := range l.weight[v] {
		sum += float64(w)
	}
	return sum
}

// rewire follows a change of the edges of v. Its neighbours hear of its degree only now and then, so that an edge of a
// node that has many does not concern them all; they do where rewire says so.
func (l *links) rewire(v int32) (told bool) {
	d, before := l.weigh(v), l.about[v]
	l.degree[v], l.most = d, max(l.most, d)
	if d <= 1.25*before+1 && d >= 0.75*before-1 {
		return false
	}
	l.about[v] = d
	by := 1/(1+d) - 1/(1+before)
	for at, u := range l.near[v] {
		l.shy[u] += by * float64(l.weightAt(v, at))
	}
	return true
}

// find is where v stands, or would stand, among the neighbours of u.
func (l *links) find(u, v int32) (at int, ok bool) { return slices.BinarySearch(l.near[u], v) }

// weightAt is the weight of the edge at a place of u's list.
func (l *links) weightAt(u int32, at int) mat.Real {
	if l.weight == nil {
		return 1
	}
	return l.weight[u][at]
}

// spread is dst_u += a_uv x for the neighbours u of v; x is as wide as the rows of dst.
func (l *links) spread(dst, x []float64, v int32) {
	if l.weight == nil {
		kernel.AddRows(dst, x, l.near[v])
		return
	}
	for at, u := range l.near[v] {
		a, row := float64(l.weight[v][at]), dst[int(u)*len(x):(int(u)+1)*len(x)]
		for j := range row {
			row[j] += a * x[j]
		}
	}
}

// connect puts an edge there; the two were not connected. Both are to be rewired then.
func (l *links) connect(u, v int32, w mat.Real) {
	if w != 1 && l.weight == nil {
		l.weight = make([][]mat.Real, len(l.near))
		for x, list := range l.near {
			l.weight[x] = slices.Repeat([]mat.Real{1}, len(list))
		}
	}
	l.half(u, v, w)
	l.half(v, u, w)
	l.shy[u] += float64(w) / (1 + l.about[v])
	l.shy[v] += float64(w) / (1 + l.about[u])
	l.count++
}

func (l *links) half(u, v int32, w mat.Real) {
	at, _ := l.find(u, v)
	l.near[u] = slices.Insert(l.near[u], at, v)
	if l.weight != nil {
		l.weight[u] = slices.Insert(l.weight[u], at, w)
	}
}

// separate takes the edge away; the two were connected. Both are to be rewired then.
func (l *links) separate(u, v int32) {
	for _, e := range [2][2]int32{{u, v}, {v, u}} {
		at, _ := l.find(e[0], e[1])
		l.shy[e[0]] -= float64(l.weightAt(e[0], at)) / (1 + l.about[e[1]])
		l.near[e[0]] = slices.Delete(l.near[e[0]], at, at+1)
		if l.weight != nil {
			l.weight[e[0]] = slices.Delete(l.weight[e[0]], at, at+1)
		}
	}
	l.count--
}

// grow adds a node without edges.
func (l *links) grow() {
	l.near, l.degree = append(l.near, nil), append(l.degree, 0)
	l.about, l.shy = append(l.about, 0), append(l.shy, 0)
	if l.weight != nil {
		l.weight = append(l.weight, nil)
	}
}

// shrink takes the last node away, which has no edges.
func (l *links) shrink() {
	n := len(l.near) - 1
	l.near, l.degree, l.about, l.shy = l.near[:n], l.degree[:n], l.about[:n], l.shy[:n]
	if l.weight != nil {
		l.weight = l.weight[:n]
	}
}

// checkWeight refuses a weight that no edge has.
func checkWeight(w float64) error {
	if !(w > 0) || w > math.MaxFloat32 {
		return fmt.Errorf("weight %g, want a number above 0", w)
	}
	return nil
}
