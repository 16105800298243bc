package report

import (
	"fmt"
	"math"

	"github.com/bloomgml/bloom/internal/show"
)

// matrix is a confusion matrix: a table of cells, with many classes small ones without texts and a list of the classes.
type matrix struct {
	Title string
	Tall  bool // names are too long to stand above columns, and are turned
	Many  bool
	Rows  []matrixRow
}

// matrixRow is a class: what its nodes are taken for.
type matrixRow struct {
	Name   string
	Cells  []cell
	Recall float64 // NaN without nodes
	Nodes  int
	Mostly string // the other class that most of its nodes are taken for
}

// cell is a count whose shade is its share of the row.
type cell struct {
	Text, About string // empty for 0; About is shown when one points at it
	Share       float64
	Hit         bool // on the diagonal
	Dark        bool // the shade is so dark that letters must be light
}

// mostCells is the maximum number of classes whose cells have texts.
const mostCells = 6

// confusion returns the confusion matrix of the measured nodes; nil if they do not have one class each.
func (r *Run) confusion() *matrix {
	if !r.ofClasses() {
		return nil
	}
	part, nodes := r.measured()
	counts := r.answers(nodes).Confusion()
	names := r.Trained.Data.Labels.Names
	m := &matrix{Title: "Confusion on the " + part + " nodes", Many: len(names) > mostCells}
	longest := 0
	for _, name := range names {
		longest = max(longest, len([]rune(name)))
	}
	m.Tall = len(names) > 3 || longest > 8
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
			c := cell{Hit: y == z}
			if n := counts.At(y, z); n > 0 {
				c.Text, c.Share = show.Thousands(n), float64(n)/float64(row.Nodes)
				c.Dark = c.Share > 0.55
				if c.About = fmt.Sprintf("%s taken for %s: %s", name, other, c.Text); m.Many {
					c.Text = ""
				}
			}
			row.Cells = append(row.Cells, c)
		}
		if row.Nodes > 0 {
			row.Recall = row.Cells[y].Share
		}
		m.Rows = append(m.Rows, row)
	}
	return m
}
