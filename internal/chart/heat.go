package chart

import (
	"fmt"
	"html"
)

// Cell is a count in a table whose shade is its share of the row.
type Cell struct {
	Text  string // empty for 0
	About string // shown when one points at it
	Share float64
	Hit   bool // on the diagonal
	Dark  bool // the shade is so dark that letters must be light
}

// Heat draws a square of cells. Rows and columns are numbered from 1; texts are left out where they would be too small
// to read.
func Heat(title string, rows [][]Cell) *Chart {
	const size, left, top = 400.0, 28.0, 18.0
	p := newPlot(Axes{}, left+size+7, top+size+1)
	side := size / float64(len(rows))
	every := 1
	for _, every = range []int{1, 2, 5, 10, 20, 50, 100} {
		if float64(every)*side >= 24 {
			break
		}
	}
	for i, cells := range rows {
		y := top + float64(i)*side
		if (i+1)%every == 0 {
			p.text("text", left-5, y+side/2+4, "end", fmt.Sprint(i+1))
			p.text("text", left+(float64(i)+0.5)*side, top-5, "middle", fmt.Sprint(i+1))
		}
		for j, c := range cells {
			if c.Text == "" {
				continue
			}
			x, hit, count := left+float64(j)*side, "", Ink("ink")
			if c.Hit {
				hit = " hit"
			}
			if c.Dark {
				count = "card"
			}
			p.f(`<rect class="heat%s" style="--share:%.3f" x="%s" y="%s" width="%s" height="%[5]s"><title>%[6]s</title></rect>`,
				hit, c.Share, number(x), number(y), number(side), html.EscapeString(c.About))
			if side >= 24 {
				p.text(count, x+side/2, y+side/2+4, "middle", c.Text)
			}
		}
	}
	p.stroke("rule", 1, false, at(left, top)+fmt.Sprintf("h%[1]gv%[1]gh-%[1]gz", size))
	return &Chart{Title: title, SVG: p.svg(title)}
}
