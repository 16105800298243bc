package audit

import (
	"slices"

	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/mat"
)

// neighbours is M = D⁻¹A over distinct neighbours, whatever direction or relation, without self loops.
type neighbours struct {
	ptr    []int64
	idx    []int32
	mean   *mat.Sparse
	weight *mat.Dense // 1/d_v for every entry of row v
	back   []float64  // (M²)_vv: how much of two steps ends where it began
}

func newNeighbours(g *graph.Graph) (*neighbours, error) {
	n := g.NumNodes()
	a := &neighbours{ptr: make([]int64, n+1)}
	in, out := g.In(), g.Out()
	var row []int32
	for v := range n {
		from, _ := in.Row(v)
		to, _ := out.Row(v)
		row = append(append(row[:0], from...), to...)
		slices.Sort(row)
		for _, u := range slices.Compact(row) {
			if int(u) != v {
				a.idx = append(a.idx, u)
			}
		}
		a.ptr[v+1] = int64(len(a.idx))
	}
	return a, a.weigh(n)
}

// weigh fills mean, weight and back.
func (a *neighbours) weigh(n int) (err error) {
	a.back = make([]float64, n)
	weight := make([]mat.Real, len(a.idx))
	for v := range n {
		for e := a.ptr[v]; e < a.ptr[v+1]; e++ {
			weight[e] = mat.Real(1 / float64(a.degree(int32(v))))
			a.back[v] += 1 / float64(a.degree(int32(v))*a.degree(a.idx[e]))
		}
	}
	a.weight = mat.FromSlice(len(weight), 1, weight)
	a.mean, err = mat.NewSparse(n, n, a.ptr, a.idx)
	return err
}

// neighboursOf returns the neighbours of v, ascending.
func (a *neighbours) neighboursOf(v int32) []int32 { return a.idx[a.ptr[v]:a.ptr[v+1]] }

// linked says whether u and v are neighbours.
func (a *neighbours) linked(u, v int32) bool {
	_, ok := slices.BinarySearch(a.neighboursOf(u), v)
	return ok
}

func (a *neighbours) degree(v int32) int { return int(a.ptr[v+1] - a.ptr[v]) }

// average returns M x, n×c.
func (a *neighbours) average(x numbers) numbers {
	y := mat.New(x.rows, x.cols)
	mat.SpMM(y, a.mean, false, a.weight, x.dense(), 1, 0)
	return host(y)
}

// further returns what lies two steps away, own return left out: (M² − diag(back)) x, near being M x.
func (a *neighbours) further(near, x numbers) numbers {
	y := a.average(near)
	for v, b := range a.back {
		for k, own := range x.at(v) {
			y.at(v)[k] -= mat.Real(b) * own
		}
	}
	return y
}
