package node

import (
	"fmt"
	"math"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/internal/audit"
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

// keep leaves some of the columns.
func (c *auditColumns) keep(own []int) {
	var list []Column
	for _, j := range own {
		list = append(list, c.list[j])
	}
	c.list = list
}

// flag returns a column that is to blame, in its unit.
func (c *auditColumns) flag(x audit.Column) ColumnFlag {
	f := c.list[x.Column]
	return ColumnFlag{f.Name, f.feature().Value(x.Value), f.feature().Value(x.Expected), x.Share}
}
