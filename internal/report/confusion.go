package report

import (
	"fmt"
	"math"

	"github.com/bloomgml/bloom/internal/chart"
)

// matrix is a confusion matrix.
type matrix struct {
	Part    string
	Numbers bool // columns are headed by the numbers of rows, names being too long
	Rows    []matrixRow
}

// matrixRow is a class: what its nodes are taken for.
type matrixRow struct {
	Number string
	Name   string
	Cells  []matrixCell
	Recall string
	Nodes  int
	Mostly int // the other class that most of its nodes are taken for, −1 for none
}

// matrixCell is one count, with its share of the row as a shade.
type matrixCell struct {
	Count string
	Shade string
	Dark  bool // the shade is so dark that letters must be light
	Hit   bool
}

// confusion is the confusion matrix of the measured nodes.
func (r *Run) confusion() matrix {
	part, nodes := r.measured()
	if !r.ofClasses() {
		return matrix{}
	}
	counts := r.answers(nodes).Confusion()
	names := r.Trained.Data.Labels.Names
	m := matrix{Part: part, Numbers: len(names) > 3 || longest(names) > 8}
	for y, name := range names {
		row := matrixRow{Number: fmt.Sprint(y + 1), Name: name, Recall: "–", Mostly: -1}
		most := 0
		for z := range names {
			n := counts.At(y, z)
			row.Nodes += n
			if z != y && n > most {
				row.Mostly, most = z, n
			}
		}
		for z := range names {
			row.Cells = append(row.Cells, shaded(counts.At(y, z), row.Nodes, y == z))
		}
		if row.Nodes > 0 {
			row.Recall = percent(float64(counts.At(y, y)) / float64(row.Nodes))
		}
		m.Rows = append(m.Rows, row)
	}
	return m
}

// shaded is a cell whose shade is its share of the row.
func shaded(count, total int, hit bool) matrixCell {
	share := 0.0
	if total > 0 {
		share = float64(count) / float64(total)
	}
	c := matrixCell{Shade: fmt.Sprintf("--share:%.3f", share), Dark: share > 0.55, Hit: hit}
	if count > 0 {
		c.Count = thousands(count)
	}
	return c
}

func longest(names []string) int {
	n := 0
	for _, s := range names {
		n = max(n, len([]rune(s)))
	}
	return n
}

// mostCells is how many classes a table of cells has at most; more of them are a drawing, which fits any window, beside
// a list of the classes.
const mostCells = 6

// write shows the matrix.
func (c matrix) write(m *markup) {
	m.f("<figure class=\"matrix\">\n<h3>Confusion on the %s nodes</h3>\n", c.Part)
	if len(c.Rows) <= mostCells {
		c.cells(m)
	} else {
		m.raw(c.drawing(), "\n")
	}
	m.raw("<figcaption>Rows are what nodes are, columns what they are taken for. Shades are shares of a row; the " +
		"diagonal is right.</figcaption>\n</figure>\n")
	if len(c.Rows) > mostCells {
		c.classes(m)
	}
}

// cells is the matrix as a table.
func (c matrix) cells(m *markup) {
	m.raw("<div class=\"scroll\"><table>\n<thead><tr><th scope=\"col\"></th>")
	for _, r := range c.Rows {
		head := r.Name
		if c.Numbers {
			head = r.Number
		}
		m.f("<th scope=\"col\" title=\"%s\">%s</th>", r.Name, head)
	}
	m.raw("<th scope=\"col\">recall</th></tr></thead>\n<tbody>\n")
	for _, r := range c.Rows {
		m.raw("<tr><th scope=\"row\">")
		if c.Numbers {
			m.f("<b>%s</b> ", r.Number)
		}
		m.f("<span title=\"%s\">%s</span></th>", r.Name, clipped(r.Name, 12))
		for _, x := range r.Cells {
			m.f("<td class=\"%s\" style=\"%s\">%s</td>", "cell"+when(x.Dark, " dark")+when(x.Hit, " hit"),
				x.Shade, x.Count)
		}
		m.f("<td class=\"n\">%s</td></tr>\n", r.Recall)
	}
	m.raw("</tbody></table></div>\n")
}

// drawing is the matrix as a square of 400 units, rows and columns numbered, with counts while they can be read.
func (c matrix) drawing() string {
	const size, left, top = 400.0, 28.0, 18.0
	n := len(c.Rows)
	cell := size / float64(n)
	letters := max(9, math.Min(11, 0.8*cell))
	var m markup
	m.f("<svg class=\"chart heat\" viewBox=\"0 0 %s %s\" role=\"img\" aria-label=\"Confusion on the %s nodes\">",
		chart.Compact(left+size+1), chart.Compact(top+size+1), c.Part)
	every := 1
	for _, every = range []int{1, 2, 5, 10, 20, 50, 100} {
		if float64(every)*cell >= 16 {
			break
		}
	}
	for y, r := range c.Rows {
		at := (float64(y) + 0.5) * cell
		if (y+1)%every == 0 {
			m.b.WriteString(label("a text", left-5, top+at+0.35*letters, letters, "end", r.Number))
			m.b.WriteString(label("a text", left+at, top-5, letters, "middle", r.Number))
		}
		for z, x := range r.Cells {
			if x.Count == "" {
				continue
			}
			fmt.Fprintf(&m.b, `<rect class="%s" style="%s" x="%.2f" y="%.2f" width="%.2f" height="%.2f"><title>`,
				"heat"+when(x.Hit, " hit"), x.Shade, left+float64(z)*cell, top+float64(y)*cell, cell, cell)
			m.f("%s taken for %s: %s</title></rect>", r.Name, c.Rows[z].Name, x.Count)
			if cell >= 24 {
				m.b.WriteString(label("count"+when(x.Dark, " dark"), left+(float64(z)+0.5)*cell, top+at+4, letters,
					"middle", x.Count))
			}
		}
	}
	fmt.Fprintf(&m.b, `<path class="l rule" d="M%.1f %.1fh%.1fv%.1fh-%.1fz"/></svg>`, left, top, size, size, size)
	return m.b.String()
}

// label is a text in a drawing.
func label(class string, x, y, size float64, anchor, text string) string {
	return fmt.Sprintf(`<text class="%s" x="%.2f" y="%.2f" font-size="%.1f" text-anchor="%s">%s</text>`, class, x, y,
		size, anchor, text)
}

// classes is a list of the classes with their numbers.
func (c matrix) classes(m *markup) {
	m.raw("<figure>\n<h3>Classes</h3>\n")
	m.table([]string{"class", "nodes#", "recall#", "else mostly"}, func() {
		for _, r := range c.Rows {
			mostly := "–"
			if r.Mostly >= 0 {
				mostly = clipped(c.Rows[r.Mostly].Name, 24)
			}
			m.row("", htmlNumber(r), cell{"n", thousands(r.Nodes)}, cell{"n", r.Recall}, cell{"", mostly})
		}
	})
	m.raw("</figure>\n")
}

// htmlNumber is a class with its number in front.
func htmlNumber(r matrixRow) string {
	var m markup
	m.f("<b>%s</b> %s", r.Number, clipped(r.Name, 32))
	return m.b.String()
}
