package node

import (
	"math"
	"slices"
	"strings"

	"github.com/bloomgml/bloom/dataset"
)

// Overview: rows of a table that share a value of a column, as claims share a garage, are alike. Trees see how many
// rows are alike, the mean label of the training nodes among them, and a node's numbers against the mean of rows alike.

// alike are the groups of nodes that share a value of one column.
type alike struct {
	name       string
	of         []int32     // the group of every node, −1 without a value
	rows       []float64   // of every group, how many there are
	usual      [][]float64 // of every group, the means of measures
	usualLabel []float32   // of every node, the mean labels of its group, without its own fold
}

// The maximum number of columns that group nodes, of columns that compare numbers, and of the entries of all.
const mostAlike, mostCompared, mostEntries = 12, 128, 1 << 26

// sharedLeast is the part of the rows that share a value with another, at least, if a column is to group them: half of
// texts and a twentieth of others, as two rows with the same phone tell much about each other.
func sharedLeast(kind string) float64 {
	switch kind {
	case dataset.Category, dataset.Skipped:
		return 0.05
	case dataset.Text:
		return 0.5
	}
	return 2 // numbers and times, which are compared
}

// alikes returns the groups of all columns whose values rows share.
func (t *Task) alikes(kind int, m []measure) (list []*alike) {
	d := t.Data
	if kind >= len(d.Raw.Nodes) {
		return nil
	}
	for _, c := range d.Schema.Types[kind].Columns {
		at := slices.IndexFunc(d.Raw.Nodes[kind], func(r dataset.RawColumn) bool { return r.Name == c.Name })
		if at < 0 || c.Name == d.Schema.Types[kind].Label || len(list) == mostAlike {
			continue
		}
		a := grouped(c.Name, &d.Raw.Nodes[kind][at].Values)
		if few := len(a.rows)*(labelFolds+1)*(1+t.labelColumns()) <= mostEntries; few && len(a.rows) > 1 &&
			a.shared() >= sharedLeast(c.Kind) {
			list = append(list, a)
		}
	}
	for i, a := range list {
		if (i+1)*len(m) <= mostCompared {
			a.compare(m, d.Features[kind])
		}
		if d.Graph.NumTypes() > 1 {
			a.spread(d.Graph.NodesOfType(int32(kind)), d.Graph.NumNodes())
		}
	}
	return list
}

// spread turns the groups of rows into groups of nodes, of which there are n.
func (a *alike) spread(nodes []int32, n int) {
	of := slices.Repeat([]int32{-1}, n)
	for i, v := range nodes {
		of[v] = a.of[i]
	}
	a.of = of
}

// grouped groups rows by their values, without case and spaces around them.
func grouped(name string, values *dataset.Texts) *alike {
	a, known := &alike{name: name}, map[string]int32{}
	for i := range values.Len() {
		text := strings.ToLower(strings.TrimSpace(values.Text(i)))
		group, ok := known[text]
		switch {
		case text == "":
			group = -1
		case !ok:
			group = int32(len(a.rows))
			known[text], a.rows = group, append(a.rows, 0)
		}
		if a.of = append(a.of, group); group >= 0 {
			a.rows[group]++
		}
	}
	return a
}

// shared returns the part of the rows that share a value with another.
func (a *alike) shared() float64 {
	n := 0.0
	for _, rows := range a.rows {
		if rows > 1 {
			n += rows
		}
	}
	return n / float64(max(1, len(a.of)))
}

// compare computes the means of measures of every group.
func (a *alike) compare(measures []measure, x dataset.Matrix) {
	count := make([][]float64, len(a.rows))
	a.usual = make([][]float64, len(a.rows))
	for g := range a.usual {
		a.usual[g], count[g] = make([]float64, len(measures)), make([]float64, len(measures))
	}
	row := make([]float32, x.Cols)
	for v, g := range a.of {
		if g < 0 {
			continue
		}
		unfold(row, x, v)
		for j, m := range measures {
			if y := m.value(row); !math.IsNaN(y) {
				count[g][j]++
				a.usual[g][j] += (y - a.usual[g][j]) / count[g][j]
			}
		}
	}
}

// fillLabels computes usualLabel from the labels of the training nodes.
func (a *alike) fillLabels(t *Task, k int) {
	sums := t.sumLabels(k, len(a.rows), func(v int) []int32 {
		if a.of[v] < 0 {
			return nil
		}
		return a.of[v : v+1]
	})
	a.usualLabel = slices.Repeat([]float32{float32(math.NaN())}, len(a.of)*k)
	mean := make([]float64, k)
	for v, g := range a.of {
		if g < 0 {
			continue
		}
		sums.mean(mean, g, v)
		for c, y := range mean {
			a.usualLabel[v*k+c] = float32(y)
		}
	}
}

// labelOf sets to to the label of node v, in the form of labelColumns; of numbers, the scaled one.
func (t *Task) labelOf(to []float64, v int32) {
	l, k := t.Data.Labels, len(to)
	clear(to)
	if l.Task == "" {
		if c := int(l.Class[v]) - t.Classes() + k; c >= 0 {
			to[c] = 1
		}
		return
	}
	for c := range to {
		if to[c] = float64(l.Values[int(v)*k+c]); l.Task == dataset.Numbers {
			to[c] = float64(t.goal.(*numbers).scaled(to[c]))
		}
	}
}

// width returns the number of columns of a group, k of them labels.
func (a *alike) width(k, measures int) int {
	if a.usual == nil {
		measures = 0
	}
	return 1 + k + measures
}

// fill writes the columns of node v, whose own are row.
//
//	log(rows alike), their labels, and number − mean of the number among at least three rows alike
func (a *alike) fill(to []float32, v, k int, measures []measure, row []float32) {
	g := a.of[v]
	for j := range to {
		to[j] = float32(math.NaN())
	}
	if g < 0 {
		return
	}
	to[0] = float32(math.Log(a.rows[g]))
	copy(to[1:], a.usualLabel[v*k:(v+1)*k])
	for j := range to[1+k:] {
		if a.rows[g] > 2 {
			to[1+k+j] = float32(measures[j].value(row) - a.usual[g][j])
		}
	}
}
