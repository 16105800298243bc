package solve

import (
	"slices"

	"github.com/bloomgml/bloom/internal/host"
	"github.com/bloomgml/bloom/mat"
)

// rows holds the data of nodes. Row i of a State belongs to node i, and row i of a draft to node here[i].
type rows struct {
	cols   int
	of     []list
	p      []mat.Real   // n×cols: π
	layers [][]mat.Real // n×cols each: H⁽⁰⁾ to H⁽ᴸ⁾, or of Hold only H
}

// span is row i of x, which is as wide as H.
func span[T any](x []T, i, cols int) []T { return x[i*cols : (i+1)*cols] }

// empty returns rows of the same kind with no entries and room for n.
func (r *rows) empty(n int) rows {
	out := rows{cols: r.cols, of: make([]list, 0, n), p: make([]mat.Real, 0, n*r.cols),
		layers: make([][]mat.Real, len(r.layers))}
	for l := range out.layers {
		out.layers[l] = make([]mat.Real, 0, n*r.cols)
	}
	return out
}

// push appends row i of others.
func (r *rows) push(from *rows, i int) {
	r.of = append(r.of, from.of[i])
	r.of[len(r.of)-1].own = false
	r.p = append(r.p, span(from.p, i, r.cols)...)
	for l := range r.layers {
		r.layers[l] = append(r.layers[l], span(from.layers[l], i, r.cols)...)
	}
}

// swap exchanges row i with row k of others.
func (r *rows) swap(i int, with *rows, k int) {
	r.of[i], with.of[k] = with.of[k], r.of[i]
	r.of[i].own, with.of[k].own = false, false
	exchange(span(r.p, i, r.cols), span(with.p, k, r.cols))
	for l := range r.layers {
		exchange(span(r.layers[l], i, r.cols), span(with.layers[l], k, r.cols))
	}
}

func exchange[T any](a, b []T) {
	for i := range a {
		a[i], b[i] = b[i], a[i]
	}
}

// truncate leaves the first n.
func (r *rows) truncate(n int) {
	clear(r.of[n:]) // frees their lists
	r.of, r.p = r.of[:n], r.p[:n*r.cols]
	for l := range r.layers {
		r.layers[l] = r.layers[l][:n*r.cols]
	}
}

// bytes is about how much memory they take.
func (r *rows) bytes() int {
	const list, entry = 64, 4
	n := list*cap(r.of) + entry*cap(r.p)
	for _, x := range r.layers {
		n += entry * cap(x)
	}
	for i := range r.of {
		n += entry * (len(r.of[i].near) + 2*len(r.of[i].weight))
	}
	return n
}

// wide returns a copy of rows with room for more. They are read at random, which huge pages make faster.
func wide[T any](x []T) []T {
	out := make([]T, len(x)+len(x)/8)
	host.AdviseHuge(out)
	copy(out, x)
	return out[:len(x)]
}

// list holds the edges of a node.
type list struct {
	near   []int32   // neighbours, ascending
	weight []float64 // of these edges; nil if all are 1

	degree float64 // Σ weight
	own    bool    // no other list shares these slices
}

// find returns the position of v among the neighbours, or where to insert it.
func (l *list) find(v int32) (at int, ok bool) { return slices.BinarySearch(l.near, v) }

// weightAt returns the weight of the edge at an index.
func (l *list) weightAt(at int) float64 {
	if l.weight == nil {
		return 1
	}
	return l.weight[at]
}

// sumWeights returns the degree, to the last bit but one: what is lost of a sum is summed by itself.
func (l *list) sumWeights() float64 {
	if l.weight == nil {
		return float64(len(l.near))
	}
	var sum, lost float64
	for _, x := range l.weight {
		t := sum + x
		if sum >= x {
			lost += (sum - t) + x
		} else {
			lost += (x - t) + sum
		}
		sum = t
	}
	return sum + lost
}

// detach makes the slices the list's own, with room for one more.
func (l *list) detach() {
	if l.own {
		return
	}
	l.near = append(make([]int32, 0, len(l.near)+1), l.near...)
	if l.weight != nil {
		l.weight = append(make([]float64, 0, len(l.weight)+1), l.weight...)
	}
	l.own = true
}

// insert adds an edge to v, who is not a neighbour.
func (l *list) insert(v int32, w float64) {
	l.detach()
	if w != 1 && l.weight == nil {
		l.weight = slices.Repeat([]float64{1}, len(l.near))
	}
	at, _ := l.find(v)
	l.near = slices.Insert(l.near, at, v)
	if l.weight != nil {
		l.weight = slices.Insert(l.weight, at, w)
	}
}

// fade multiplies the weights by f, and holds them as held says.
func (l *list) fade(f float64, held func(float64) float64) {
	l.detach()
	if l.weight == nil {
		l.weight = slices.Repeat([]float64{1}, len(l.near))
	}
	for at, w := range l.weight {
		l.weight[at] = held(max(w*f, least))
	}
}

// cut removes the edge to v, which must be a neighbour.
func (l *list) cut(v int32) {
	l.detach()
	at, _ := l.find(v)
	l.near = slices.Delete(l.near, at, at+1)
	if l.weight != nil {
		l.weight = slices.Delete(l.weight, at, at+1)
	}
}
