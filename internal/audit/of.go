package audit

import (
	"math"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/mat"
)

// Of returns what there is to audit of a data set, and the columns of its features, side by side for all node types,
// that Rows has. Columns that were computed from the edges of nodes of a single type are Place.
func Of(d *dataset.Dataset) (a Data, own []int) {
	a = Data{Graph: d.Graph, Rows: side(d), Count: rowCounts(d), Class: d.Labels.Class, Classes: len(d.Labels.Names)}
	var made []int
	for j := range a.Rows.Cols {
		own = append(own, j)
	}
	if s := d.Schema; s != nil && len(s.Stats) > 0 && len(d.Features) == 1 {
		var names []string
		for _, c := range s.Types[0].Columns {
			for _, f := range c.Features() {
				names = append(names, f.Name)
			}
		}
		if len(names) == a.Rows.Cols {
			own = own[:0]
			for j, name := range names {
				if s.Made(name) {
					made = append(made, j)
				} else {
					own = append(own, j)
				}
			}
		}
	}
	if len(own) > 0 && len(made) > 0 {
		a.Rows, a.Place = pickColumns(a.Rows, own), pickColumns(a.Rows, made)
	}
	return a, own
}

// side returns the features of all nodes: as they are for one type, in separate columns for several types.
func side(d *dataset.Dataset) dataset.Matrix {
	switch len(d.Features) {
	case 0:
		return dataset.Matrix{}
	case 1:
		return d.Features[0]
	}
	first, next := make([]int, len(d.Features)), make([]int, len(d.Features))
	for kind := 1; kind < len(first); kind++ {
		first[kind] = first[kind-1] + d.Features[kind-1].Cols
	}
	cols := first[len(first)-1] + d.Features[len(first)-1].Cols
	n, types := d.Graph.NumNodes(), d.Graph.NodeTypes()
	x := dataset.Matrix{Rows: n, Cols: cols, Ptr: make([]int64, 1, n+1), Values: []mat.Real{}}
	for v := range n {
		kind := types[v]
		for j, value := range d.Features[kind].Entries(next[kind]) {
			if value != 0 {
				x.Idx, x.Values = append(x.Idx, int32(first[kind]+j)), append(x.Values, value)
			}
		}
		if d.Features[kind].Cols > 0 {
			next[kind]++
		}
		x.Ptr = append(x.Ptr, int64(len(x.Idx)))
	}
	return x
}

// pickColumns returns some columns of x.
func pickColumns(x dataset.Matrix, columns []int) dataset.Matrix {
	y := dataset.Matrix{Cols: len(columns)}
	if x.IsSparse() {
		y.Ptr = []int64{0}
	}
	row, part := make([]mat.Real, x.Cols), make([]mat.Real, len(columns))
	for v := range x.Rows {
		x.Row(row, v)
		for k, j := range columns {
			part[k] = row[j]
		}
		y.AppendRow(part)
	}
	return y
}

// rowCounts returns how many rows of a table every edge was made of; nil if weights do not tell.
func rowCounts(d *dataset.Dataset) []float64 {
	if d.Schema == nil || d.Schema.Weight != "count" || d.Graph.Weights() == nil {
		return nil
	}
	count := make([]float64, d.Graph.NumEdges())
	for e := range count {
		count[e] = math.Round(math.Exp2(float64(d.Graph.Weights()[e])) - 1) // edges weigh log₂(1 + count)
	}
	return count
}
