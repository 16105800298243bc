package node

import (
	"fmt"
	"math"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/internal/audit"
	"github.com/bloomgml/bloom/mat"
)

// auditColumns are the features of all node types side by side, with their names and units.
type auditColumns struct {
	data *dataset.Dataset
	list []Column
}

// Column is a column of features: a number x of it is Mean + SD·x in the unit of the table that it comes from.
type Column struct {
	Name string  `json:"name"`
	Mean float64 `json:"mean"`
	SD   float64 `json:"sd"`
	Log  bool    `json:"log,omitempty"` // see dataset.Feature

	Usual  float64 `json:"-"` // x of most nodes: the mean over nodes of the type, 0 if features are sparse
	Spread float64 `json:"-"` // the deviation of x
}

func (c Column) feature() dataset.Feature {
	return dataset.Feature{Name: c.Name, Mean: c.Mean, SD: c.SD, Log: c.Log}
}

// Scaled returns the feature that corresponds to a value in the unit of the table.
func (c Column) Scaled(value float64) float64 { return c.feature().Scaled(value) }

// Columns returns the columns of features of all node types, side by side.
func (t *Task) Columns() []Column {
	if t.columns == nil {
		c := t.auditColumns()
		t.columns = c.list
		for _, x := range c.data.Features {
			findUsual(c.list[:x.Cols], x)
			c.list = c.list[x.Cols:]
		}
	}
	return t.columns
}

// findUsual finds the usual values of the columns of x.
func findUsual(list []Column, x dataset.Matrix) {
	mean, square := make([]float64, x.Cols), make([]float64, x.Cols)
	for v := range x.Rows {
		for j, value := range x.Entries(v) {
			mean[j] += float64(value) / float64(x.Rows)
			square[j] += float64(value) * float64(value) / float64(x.Rows)
		}
	}
	for j, m := range mean {
		list[j].Spread = math.Sqrt(max(square[j]-m*m, 0))
		if !x.IsSparse() {
			list[j].Usual = m
		}
	}
}

// auditColumns returns the columns of the data as it was opened, or as it was corrupted.
func (t *Task) auditColumns() *auditColumns {
	c := &auditColumns{data: t.raw}
	if t.Data.Corrupted != nil {
		c.data = t.Data
	}
	for kind, x := range c.data.Features {
		c.add(kind, x.Cols)
	}
	return c
}

// add names the columns of a node type: as its schema does, or by numbers.
func (c *auditColumns) add(kind, cols int) {
	from := len(c.list)
	if s := c.data.Schema; s != nil && kind < len(s.Types) && c.data.Corrupted == nil {
		for _, col := range s.Types[kind].Columns {
			for _, f := range col.Features() {
				c.list = append(c.list, Column{Name: f.Name, Mean: f.Mean, SD: f.SD, Log: f.Log})
			}
		}
	}
	if len(c.list)-from == cols {
		return
	}
	c.list = c.list[:from]
	for j := range cols {
		name := fmt.Sprintf("column %d", j)
		if len(c.data.Features) > 1 {
			name = c.data.TypeName(int32(kind)) + " " + name
		}
		c.list = append(c.list, Column{Name: name, SD: 1})
	}
}

// split separates the columns of nodes of a single type into their own columns and the ones computed from their
// edges; afterwards the list is of the own columns.
func (c *auditColumns) split() (own, made dataset.Matrix) {
	x, s := c.matrix(), c.data.Schema
	if s == nil || len(s.Stats) == 0 || len(c.data.Features) != 1 {
		return x, dataset.Matrix{}
	}
	var list []Column
	var from [2][]int // columns of x
	for j, column := range c.list {
		if s.Made(column.Name) {
			from[1] = append(from[1], j)
		} else {
			from[0], list = append(from[0], j), append(list, column)
		}
	}
	if len(from[0]) == 0 || len(from[1]) == 0 {
		return x, dataset.Matrix{}
	}
	c.list = list
	return pickColumns(x, from[0]), pickColumns(x, from[1])
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

// flag returns a column that is to blame, in its unit.
func (c *auditColumns) flag(x audit.Column) ColumnFlag {
	f := c.list[x.Column]
	return ColumnFlag{f.Name, f.feature().Value(x.Value), f.feature().Value(x.Expected), x.Share}
}

// matrix returns the features of all nodes: as they are for one type, in separate columns for several types.
func (c *auditColumns) matrix() dataset.Matrix {
	d := c.data
	if len(d.Features) == 0 || len(c.list) == 0 {
		return dataset.Matrix{}
	}
	if len(d.Features) == 1 {
		return d.Features[0]
	}
	first, next := make([]int, len(d.Features)), make([]int, len(d.Features))
	for kind := 1; kind < len(first); kind++ {
		first[kind] = first[kind-1] + d.Features[kind-1].Cols
	}
	n, types := d.Graph.NumNodes(), d.Graph.NodeTypes()
	x := dataset.Matrix{Rows: n, Cols: len(c.list), Ptr: make([]int64, 1, n+1), Values: []mat.Real{}}
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
