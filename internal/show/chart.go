package show

import (
	_ "embed" // for the style
	"fmt"
	"html"
	"math"
	"slices"
)

// Style is the style sheet of charts.
//
//go:embed chart.css
var Style string

// Ink is a colour by its role, a class of Style.
type Ink string

// Palette is the number of series that have a colour of their own.
const Palette = 8

// Series returns the ink of the i-th series, from 0; beyond Palette it is grey.
func Series(i int) Ink {
	if i < 0 || i >= Palette {
		return "k0"
	}
	return Ink(fmt.Sprintf("k%d", i+1))
}

// Chart is a drawing with the words around it.
type Chart struct {
	Title  string
	About  string // what it says, a sentence or two
	Legend []Key
	SVG    string
}

// Key is a line of a legend.
type Key struct {
	Ink  Ink
	Name string
	Mark string // line, dash, area, dot or ring
}

// Saying returns c with a sentence below it; nil stays nil.
func (c *Chart) Saying(about string) *Chart {
	if c != nil {
		c.About = about
	}
	return c
}

// Axes describes the axes of a chart.
type Axes struct {
	Below, Left string // what x and y are; Left is for charts that stand alone
	X, Y        Format // of ticks; nil means Compact
	Low, High   float64
	Fixed       bool // Low and High are the limits of y
	Log         bool // y is logarithmic
	Count       bool // x counts, so it has ticks at whole numbers only
}

// Curve is a line of a chart.
type Curve struct {
	Name  string // in the legend; none for ""
	Ink   Ink
	X, Y  []float64
	Dash  bool
	Thin  bool // one of many
	Marks bool // a dot at every point
}

// finite reports whether x can be drawn: it is neither NaN nor so large that a difference overflows.
func finite(x float64) bool { return math.Abs(x) < 1e100 }

// drawn returns c without the points that cannot be drawn.
func (c Curve) drawn(log bool) Curve {
	var xs, ys []float64
	for i, x := range c.X {
		if y := c.Y[i]; finite(x) && finite(y) && (!log || y > 1e-100) {
			xs, ys = append(xs, x), append(ys, y)
		}
	}
	c.X, c.Y = xs, ys
	return c
}

func (c Curve) key() Key {
	switch {
	case c.Dash:
		return Key{c.Ink, c.Name, "dash"}
	case c.Marks && len(c.X) == 1:
		return Key{c.Ink, c.Name, "dot"}
	}
	return Key{c.Ink, c.Name, "line"}
}

// LineChart draws curves. Points that are not finite, or not positive on a logarithmic axis, are left out; it returns
// nil if none is left.
func LineChart(title string, a Axes, curves ...Curve) *Chart {
	p := newPlot(a, 360, 220)
	legend := p.measure(curves)
	if len(p.curves) == 0 {
		return nil
	}
	p.scale()
	p.drawAxes()
	p.drawCurves()
	return &Chart{Title: title, Legend: legend, SVG: p.svg(title)}
}

// Group is the values of one kind: counts in equal bins or, of Histogram, what is counted.
type Group struct {
	Name   string
	Ink    Ink
	Values []float64
}

// Histogram counts the values of groups in equal bins from lo to hi and draws them; what is outside is in the first or
// the last bin.
func Histogram(title string, a Axes, lo, hi float64, bins int, groups ...Group) *Chart {
	for i, g := range groups {
		counts := make([]float64, bins)
		for _, x := range g.Values {
			counts[Bin(x, lo, hi, bins)]++
		}
		groups[i].Values = counts
	}
	return BarChart(title, a, lo, hi, groups...)
}

// Bin returns the bin of x among n from lo to hi; the first or the last one if x is outside.
func Bin(x, lo, hi float64, n int) int {
	return max(0, min(n-1, int(float64(n)*(x-lo)/(hi-lo))))
}

// BarChart draws the counts of groups on top of one another. Bin i reaches from lo + i·w to lo + (i+1)·w with
// w = (hi − lo)/bins. It returns nil unless lo < hi, both finite, and there is a count.
func BarChart(title string, a Axes, lo, hi float64, groups ...Group) *Chart {
	if len(groups) == 0 || !(hi > lo) || !finite(lo) || !finite(hi) {
		return nil
	}
	c := &Chart{Title: title}
	base := make([]float64, len(groups[0].Values))
	for _, g := range groups {
		for i, n := range g.Values {
			base[i] += n
		}
		c.Legend = append(c.Legend, Key{g.Ink, g.Name, "area"})
	}
	p := newPlot(a, 360, 220)
	p.lo, p.hi = point{lo, 0}, point{hi, slices.Max(base)}
	if p.hi.y == 0 {
		return nil
	}
	p.scale()
	p.drawAxes()
	clear(base)
	width := (hi - lo) / float64(len(base))
	for _, g := range groups {
		for i, n := range g.Values {
			if n > 0 {
				left, right := p.x(lo+float64(i)*width)+0.75, p.x(lo+float64(i+1)*width)-0.75
				bottom, top := p.y(base[i]), p.y(base[i]+n)
				p.f(`<path class="a %s" d="M%sV%sH%sV%sZ"/>`, g.Ink, at(left, bottom), number(top), number(right),
					number(bottom))
			}
			base[i] += n
		}
	}
	c.SVG = p.svg(title)
	return c
}

// ChartBeginning is the text that a ChartFile begins with.
const ChartBeginning = "<!-- drawn by bloom -->\n"

// ChartFile returns a LineChart as an SVG file of its own, with its title, what y is, a legend and its colours.
func ChartFile(title string, a Axes, curves ...Curve) string {
	const width, height, line = 680, 450, 16
	p := newPlot(a, width, height)
	legend := p.measure(curves)
	for _, k := range legend {
		p.right = max(p.right, 34+textWidth(k.Name))
	}
	p.right, p.top, p.left = p.right+16, 36, 24
	p.f(`<rect class="a card" width="%d" height="%d"/>`, width, height)
	p.text("ink", width/2, 20, "middle", title)
	p.f(`<text class="a text" transform="translate(14 %d) rotate(-90)" font-size="%d" text-anchor="middle">%s</text>`,
		height/2, letters, html.EscapeString(a.Left))
	p.scale()
	p.drawAxes()
	p.drawCurves()
	for i, k := range legend {
		x, y := p.width-p.right+12, p.top+line*float64(i)
		p.stroke(k.Ink, 1.75, k.Mark == "dash", at(x, y)+"h16")
		p.text("text", x+22, y+0.35*letters, "start", k.Name)
	}
	return p.file(title)
}
