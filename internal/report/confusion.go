package report

import (
	"fmt"
	"math"

	"github.com/bloomgml/bloom/internal/chart"
	"github.com/bloomgml/bloom/internal/terminal"
)

// matrix is a confusion matrix: a table of cells or, with many classes, a heat map and a list of the classes.
type matrix struct {
	Title string
	Tall  bool // names are too long to stand above columns, and are turned
	Rows  []matrixRow
	Heat  *chart.Chart // nil for a table
}

// matrixRow is a class: what its nodes are taken for.
type matrixRow struct {
	Name   string
	Cells  []chart.Cell
	Recall float64 // NaN without nodes
	Nodes  int
	Mostly string // the other class that most of its nodes are taken for
}

// mostCells is the maximum number of classes in a table; a heat map of more fits any window.
const mostCells = 6

// confusion returns the confusion matrix of the measured nodes; nil if they do not have one class each.
func (r *Run) confusion() *matrix {
	if !r.ofClasses() {
		return nil
	}
	part, nodes := r.measured()
	counts := r.answers(nodes).Confusion()
	names := r.Trained.Data.Labels.Names
	m := &matrix{Title: "Confusion on the " + part + " nodes"}
	longest := 0
	for _, name := range names {
		longest = max(longest, len([]rune(name)))
	}
	m.Tall = len(names) > 3 || longest > 8
	var cells [][]chart.Cell
	for y, name := range names {
		row := matrixRow{Name: name, Recall: math.NaN(), Mostly: "–"}
		most := 0
		for z := range names {
			n := counts.At(y, z)
			row.Nodes += n
			if z != y && n > most {
				row.Mostly, most = names[z], n
			}
		}
		for z, other := range names {
			c := chart.Cell{Hit: y == z}
			if n := counts.At(y, z); n > 0 {
				c.Text, c.Share = terminal.Thousands(n), float64(n)/float64(row.Nodes)
				c.Dark = c.Share > 0.55
				c.About = fmt.Sprintf("%s taken for %s: %s", name, other, c.Text)
			}
			row.Cells = append(row.Cells, c)
		}
		if row.Nodes > 0 {
			row.Recall = row.Cells[y].Share
		}
		m.Rows, cells = append(m.Rows, row), append(cells, row.Cells)
	}
	if len(names) > mostCells {
		short := make([]string, len(names))
		for i, name := range names {
			short[i] = terminal.Shorten(name, 12)
		}
		m.Heat = chart.Heat(m.Title, short, cells)
	}
	return m
}
