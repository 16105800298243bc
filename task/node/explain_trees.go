package node

import (
	"math"

	"github.com/bloomgml/bloom"
	"github.com/bloomgml/bloom/internal/fit"
)

// breakdown explains the answer of trees without an energy for node v.
func (f *forest) breakdown(v int32, q question, top int) *Breakdown {
	b := &Breakdown{Of: q.of, For: q.favours, Prior: q.shift}
	parts, start := f.columnsOf(v, q.weight)
	b.Prior += start
	b.group(f.Task, parts, top)
	b.Sum = b.total()
	return b
}

// columnsOf returns the contributions of the columns of node v to Σ_c weight_c z_c, and the sum before any column.
func (f *forest) columnsOf(v int32, weight []float64) (parts []evidencePart, start float64) {
	f.refresh()
	row := make([]float32, f.table.columns)
	f.fill(&f.table)
	f.table.row(row, int(v))
	parts = f.named(row)
	for c, w := range weight {
		if w == 0 {
			continue
		}
		start += w * float64(f.base.Value().Slice()[c])
		by := make([]float64, len(parts))
		for _, tree := range f.treesOf(c) {
			start += w * tree.Contributions(row, by)
		}
		for j, x := range by {
			parts[j].Share += w * x
		}
	}
	return parts, start
}

// parts returns the contributions of the columns of node v to an answer whose rows of π are the scores of trees. The
// contribution of π is divided in proportion to π itself; its value before any column belongs to the prior.
func (f *forest) parts(b *Breakdown, v int32, c *bloom.Contributions) []evidencePart {
	f.refresh()
	k, scores := f.base.Cols(), f.scores.Value().Slice()
	n := len(scores) / k
	slope := make([]float64, k)
	for j := range slope {
		mean := 0.0
		for u := range n {
			mean += float64(scores[u*k+j]) / float64(n)
		}
		if far := float64(scores[int(v)*k+j]) - mean; far != 0 {
			slope[j] = c.Own[j] / far
		}
	}
	parts, _ := f.columnsOf(v, slope)
	own := 0.0
	for _, x := range c.Own {
		own += x
	}
	for _, p := range parts {
		own -= p.Share
	}
	b.Prior += own
	return parts
}

// group adds columns in groups: the node's own, the ones computed from its edges, and its neighbours'.
func (b *Breakdown) group(t *Task, parts []evidencePart, top int) {
	var own, edges, near []evidencePart
	for _, p := range parts {
		switch {
		case isNear(p.Name):
			near = append(near, p)
		case t.madeOfEdges(p.Name):
			edges = append(edges, p)
		default:
			own = append(own, p)
		}
	}
	b.add(ownColumns, "column", own, top)
	b.add(edgeColumns, "column", edges, top)
	b.add(neighbours, "column", near, top)
}

// treesOf returns the trees of column c of the scores.
func (f *forest) treesOf(c int) (list []fit.Tree) {
	rows := f.packed.Value().Slice()
	for round := range f.rounds {
		tree, _ := f.tree(rows, round*f.base.Cols()+c)
		list = append(list, tree)
	}
	return list
}

// closedColumn names the columns of the closed form, which knows a node with its neighbours.
const closedColumn = "closed form's answer"

// named returns the columns of a row with their names, in the units of the tables that they come from.
func (f *forest) named(row []float32) []evidencePart {
	own, columns := f.Columns(), make([]evidencePart, 0, len(row))
	add := func(name string, x float64) {
		c := evidencePart{Name: name}
		if !math.IsNaN(x) {
			c.Value = &x
		}
		columns = append(columns, c)
	}
	for j := range f.table.own() {
		add(own[j].Name, own[j].feature().Value(float64(row[j])))
	}
	b, more := &f.table, row[f.table.own():]
	labels := f.Data.Labels.Names[f.Classes()-f.labelColumns():]
	if b.nearby > 0 {
		add("neighbours", math.Round(math.Expm1(float64(more[0]))))
		add("neighbours with a label", float64(more[1]))
		for j := range b.means {
			add("neighbours' "+own[j].Name, own[j].feature().Value(float64(more[2+j])))
		}
		for c, name := range labels {
			add("neighbours' label "+name, float64(more[2+b.means+c]))
		}
	}
	for c := range b.solved {
		add(closedColumn+" "+labels[c], float64(more[b.nearby+c]))
	}
	if b.comparison.width > 0 {
		var byType [][]Column
		for kind, x := range b.parts {
			byType = append(byType, own[b.first[kind]:][:x.Cols])
		}
		b.comparison.each(byType, labels, more[b.nearby+b.solved:], add)
	}
	if g, ok := f.goal.(*numbers); ok && b.unknown > 0 {
		add("neighbours' label beyond their columns", g.sd*float64(more[len(more)-1]))
	}
	return columns
}
