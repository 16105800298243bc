package node

import (
	"math"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/mat"
)

// table is what trees know about nodes: their columns, of every type of nodes, with gaps where a node is of another;
// where model.neighbours says so, the means of their neighbours' columns and of the labels of those that train, and how
// many there are; of numbers also the mean of their residuals, what labels have that own columns do not tell.
type table struct {
	columns int
	parts   []dataset.Matrix // the features of every type
	first   []int            // where the columns of a type begin
	kind    []int32          // of every node; nil for one
	place   []int32          // of a node among those of its type; nil for one
	more    []float32        // the columns of neighbours, rows of width
	width   int
	unknown int // the last of these columns, which are 0 before residuals are known
}

// newTable is the table of a task, with columns of neighbours or without.
func (t *Task) newTable(neighbours bool) table {
	g := t.Data.Graph
	b := table{parts: t.Data.Features, kind: g.NodeTypes()}
	for _, x := range b.parts {
		b.first = append(b.first, b.columns)
		b.columns += x.Cols
	}
	if b.kind != nil && g.NumTypes() > 1 {
		b.place = make([]int32, g.NumNodes())
		for k := range g.NumTypes() {
			for i, v := range g.NodesOfType(int32(k)) {
				b.place[v] = int32(i)
			}
		}
	} else {
		b.kind = nil
	}
	if neighbours {
		t.surroundings(&b)
	}
	return b
}

// own is how many columns are a node's own.
func (b *table) own() int { return b.columns - b.width }

// row is all that is known about node v.
func (b table) row(to []float32, v int) {
	own := b.own()
	for j := range to[:own] {
		to[j] = float32(math.NaN())
	}
	if len(b.parts) > 0 {
		kind, at := 0, v
		if b.kind != nil {
			kind, at = int(b.kind[v]), int(b.place[v])
		}
		if kind < len(b.parts) {
			x := b.parts[kind]
			clear(to[b.first[kind]:][:x.Cols])
			for j, value := range x.Entries(at) {
				to[b.first[kind]+j] = float32(value)
			}
		}
	}
	copy(to[own:], b.more[v*b.width:(v+1)*b.width])
}

// mostMeans is how many columns of features neighbours have means of: beyond it, as of bags of words, they say less
// than they take.
const mostMeans = 256

// surroundings adds the columns of neighbours: the log of the degree, means of their columns where nodes are of one
// type, how many of them have a label that trains, and the mean of those: shares of classes, or a number. Edges count
// by their weights. A node's own label is not among them, and neither are those that validate and test.
func (t *Task) surroundings(b *table) {
	g, n := t.Data.Graph, t.Data.Graph.NumNodes()
	means := 0
	if b.kind == nil && b.columns <= mostMeans {
		means = b.columns
	}
	k := t.Classes()
	if t.Data.Labels.Task == dataset.Numbers { // of classes, shares say as much
		b.unknown = k
	}
	b.width = 2 + means + k + b.unknown
	b.more = make([]float32, n*b.width)
	b.columns += b.width
	trains := make([]bool, n)
	for _, v := range t.Split.Train {
		trains[v] = true
	}
	sum, known := make([]float64, n), make([]float64, n)
	shown := b.width - b.unknown
	hear := func(v, u int32, w float64) {
		to := b.more[int(v)*b.width:]
		sum[v] += w
		to[0]++
		if means > 0 {
			for j, x := range b.parts[0].Entries(int(u)) {
				to[2+j] += float32(w * float64(x))
			}
		}
		if trains[u] {
			known[v] += w
			to[1]++
			t.tell(to[2+means:], u, w)
		}
	}
	eachEdge(g, hear)
	for v := range n {
		to := b.more[v*b.width:][:shown]
		to[0] = float32(math.Log1p(float64(to[0])))
		for j := range to[2:] {
			over := sum[v]
			if j >= means {
				over = known[v]
			}
			if over > 0 {
				to[2+j] /= float32(over)
			} else {
				to[2+j] = float32(math.NaN())
			}
		}
	}
}

// tell adds the label of node u, which trains, w times.
func (t *Task) tell(to []float32, u int32, w float64) {
	l, k := t.Data.Labels, t.Classes()
	if l.Task == "" {
		to[l.Class[u]] += float32(w)
		return
	}
	for c := range k {
		to[c] += float32(w * float64(l.Values[int(u)*k+c]))
	}
}

// eachEdge yields the edges in both directions, but for loops, with their weights.
func eachEdge(g *graph.Graph, yield func(v, u int32, w float64)) {
	weights := g.Weights()
	for e, src := range g.Sources() {
		dst, w := g.Targets()[e], 1.0
		if weights != nil {
			w = float64(weights[e])
		}
		if src != dst {
			yield(src, dst, w)
			yield(dst, src, w)
		}
	}
}

// hearResiduals fills in the means of the residuals of neighbours that train, rows of which are in the order of train.
func (b *table) hearResiduals(g *graph.Graph, train []int32, residuals []mat.Real) {
	k, at := b.unknown, make([]int32, g.NumNodes())
	for i, v := range train {
		at[v] = int32(i) + 1
	}
	known := make([]float64, g.NumNodes())
	for v := range g.NumNodes() {
		clear(b.more[(v+1)*b.width-k:][:k])
	}
	eachEdge(g, func(v, u int32, w float64) {
		if i := int(at[u]) - 1; i >= 0 {
			known[v] += w
			for c, r := range residuals[i*k:][:k] {
				b.more[(int(v)+1)*b.width-k+c] += float32(w * float64(r))
			}
		}
	})
	for v, over := range known {
		for c := range k {
			to := &b.more[(v+1)*b.width-k+c]
			if over > 0 {
				*to /= float32(over)
			} else {
				*to = float32(math.NaN())
			}
		}
	}
}
