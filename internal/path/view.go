package path

import (
	"math"

	"github.com/bloomgml/bloom/mat"
)

// view is a net without the edges that a batch must not see, and what PNA needs to know about it: nodes numbered by
// the number of messages that they get, so that nodes with the same number are together.
type view struct {
	*net
	removed   marks             // edges
	torn      marks             // the nodes at their ends
	rest      map[int32]leading // what leads to these without the edges, once they are counted
	remaining arrivals          // those that are left
	degree    []int32           // edges to every node that are left
	sorted    bool              // number nodes by degree; otherwise as they are

	order, number []int32 // nodes by number, numbers by node
	slot          []int32 // of a degree: the distinct ones count from 0
	slots         int     // room for distinct degrees
	scalings      *mat.Dense
	buffer        []mat.Real
	count         []int32
}

// arrivals are edges by target: those to v are first[v] ≤ i < first[v+1].
type arrivals struct{ first, source, relation []int32 }

// newView sees all of n.
func newView(n *net, sorted bool) *view {
	v := &view{net: n, sorted: sorted, removed: newMarks(n.edges()), torn: newMarks(n.nodes),
		degree: make([]int32, n.nodes), rest: map[int32]leading{}}
	v.remaining = arrivals{make([]int32, n.nodes+1), make([]int32, n.edges()), make([]int32, n.edges())}
	v.order, v.number = make([]int32, n.nodes), make([]int32, n.nodes)
	most := 0
	for i := range n.nodes {
		v.order[i], v.number[i] = int32(i), int32(i)
		most = max(most, len(n.in.edgesOf(int32(i))))
	}
	// k distinct degrees need 0 + 1 + … + (k−1) edges.
	v.slots = min(most+1, int(math.Sqrt(2*float64(n.edges())))+2)
	v.slot, v.count = make([]int32, most+1), make([]int32, most+2)
	v.scalings, v.buffer = mat.New(v.slots, 3), make([]mat.Real, 3*v.slots)
	v.reset()
	v.renew()
	return v
}

// reset brings all edges back; renew is due afterwards.
func (v *view) reset() {
	v.removed.clear()
	v.torn.clear()
}

// remove takes an edge and its inverse out; renew is due afterwards.
func (v *view) remove(e int32) {
	v.removed.add(e)
	v.removed.add(v.inverse(e))
	v.torn.add(v.source[e])
	v.torn.add(v.target[e])
}

// renew lists the remaining edges, counts degrees and numbers nodes.
func (v *view) renew() {
	at := int32(0)
	for u := range v.degree {
		v.remaining.first[u] = at
		for _, e := range v.in.edgesOf(int32(u)) {
			if !v.removed.has(e) {
				v.remaining.source[at], v.remaining.relation[at] = v.source[e], v.relation[e]
				at++
			}
		}
		v.degree[u] = at - v.remaining.first[u]
	}
	v.remaining.first[v.nodes] = at
	if !v.sorted {
		return
	}
	clear(v.count)
	for _, d := range v.degree {
		v.count[d+1]++
	}
	v.measure()
	for d := range v.slot {
		v.count[d+1] += v.count[d]
	}
	for i, d := range v.degree {
		at := v.count[d]
		v.count[d]++
		v.order[at], v.number[i] = int32(i), at
	}
}

// class returns the slot of a node's degree, or 0 if nodes are not numbered by degree.
func (v *view) class(node int32) int32 {
	if !v.sorted {
		return 0
	}
	return v.slot[v.degree[node]]
}

// measure gives a slot to every degree that occurs and fills in 1, s and 1/s of every slot, where s = log c / mean log
// c for c messages, from the edges and the boundary.
func (v *view) measure() {
	total, next := 0.0, int32(0)
	for d := range v.slot {
		if n := v.count[d+1]; n > 0 {
			v.slot[d], next = next, next+1
			total += float64(n) * math.Log(float64(d+1))
		}
	}
	// Chosen: if no node has an edge, s = 0.
	unit := 0.0
	if total > 0 {
		unit = float64(v.nodes) / total
	}
	for d := range v.slot {
		if v.count[d+1] > 0 {
			s := math.Log(float64(d+1)) * unit
			copy(v.buffer[3*v.slot[d]:], []mat.Real{1, mat.Real(s), mat.Real(1 / max(s, 0.01))})
		}
	}
	v.scalings.Write(v.buffer)
}
