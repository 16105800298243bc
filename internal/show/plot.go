package show

import (
	"fmt"
	"html"
	"math"
	"strings"
)

// letters is the size of letters.
const letters = 11

type point struct{ x, y float64 }

// plot is a chart that is being drawn.
type plot struct {
	Axes
	width, height            float64
	left, right, top, bottom float64 // margins around what is drawn
	curves                   []Curve
	lo, hi                   point     // what the axes show, of data
	atX, atY                 []float64 // ticks
	body                     strings.Builder
}

func newPlot(a Axes, width, height float64) *plot {
	if a.X == nil {
		a.X = Compact
	}
	if a.Y == nil {
		a.Y = Compact
	}
	inf := math.Inf(1)
	p := &plot{Axes: a, width: width, height: height, left: 2, right: 8, top: 8, bottom: 2*letters + 14,
		lo: point{inf, inf}, hi: point{-inf, -inf}}
	if a.Below == "" {
		p.bottom -= letters + 4
	}
	return p
}

// measure keeps the curves that can be drawn and returns their legend.
func (p *plot) measure(curves []Curve) (legend []Key) {
	for _, c := range curves {
		c = c.drawn(p.Log)
		if len(c.X) == 0 {
			continue
		}
		for i := range c.X {
			p.lo = point{min(p.lo.x, c.X[i]), min(p.lo.y, c.Y[i])}
			p.hi = point{max(p.hi.x, c.X[i]), max(p.hi.y, c.Y[i])}
		}
		p.curves = append(p.curves, c)
		if c.Name != "" {
			legend = append(legend, c.key())
		}
	}
	return legend
}

// scale chooses limits, ticks and the margins that their labels need.
func (p *plot) scale() {
	p.lo.x, p.hi.x = widened(p.lo.x, p.hi.x)
	p.atX = inside(p.lo.x, p.hi.x, 5, p.Count)
	switch {
	case p.Log:
		p.atY = decades(p.lo.y, p.hi.y, 4)
	case p.Fixed:
		p.atY = inside(p.Low, p.High, 4, false)
	default:
		p.atY = outside(p.lo.y, p.hi.y, 4)
	}
	p.lo.y, p.hi.y = p.atY[0], p.atY[len(p.atY)-1]
	widest := 0.0
	for _, y := range p.atY {
		widest = max(widest, textWidth(p.Y(y)))
	}
	p.left += widest + 10
}

// x returns the position of a value on the x axis.
func (p *plot) x(v float64) float64 {
	return p.left + (v-p.lo.x)/(p.hi.x-p.lo.x)*(p.width-p.left-p.right)
}

// y returns the position of a value on the y axis.
func (p *plot) y(v float64) float64 {
	lo, hi := p.lo.y, p.hi.y
	if p.Log {
		v, lo, hi = math.Log(v), math.Log(lo), math.Log(hi)
	}
	return p.height - p.bottom - (v-lo)/(hi-lo)*(p.height-p.top-p.bottom)
}

// drawAxes draws a horizontal rule at every tick of y, and the labels.
func (p *plot) drawAxes() {
	for _, v := range p.atY {
		p.stroke("rule", 1, false, at(p.left-4, p.y(v))+"H"+number(p.width-p.right+4))
		p.text("text", p.left-8, p.y(v)+0.35*letters, "end", p.Y(v))
	}
	base := p.height - p.bottom + letters + 5
	for _, v := range p.atX {
		half := textWidth(p.X(v))/2 + 1
		p.text("text", max(half, min(p.width-half, p.x(v))), base, "middle", p.X(v))
	}
	if p.Below != "" {
		p.text("text", (p.left+p.width-p.right)/2, base+letters+4, "middle", p.Below)
	}
}

func (p *plot) drawCurves() {
	for _, c := range p.curves {
		var path strings.Builder
		for i, x := range c.X {
			if i > 0 {
				path.WriteByte('L')
			}
			path.WriteString(at(p.x(x), p.y(c.Y[i])))
		}
		width := 1.75
		if c.Thin {
			width = 0.75
		}
		p.stroke(c.Ink, width, c.Dash, path.String())
		if !c.Marks && len(c.X) > 1 {
			continue
		}
		for i, x := range c.X {
			p.f(`<circle class="a %s" cx="%s" cy="%s" r="2.6"/>`, c.Ink, number(p.x(x)), number(p.y(c.Y[i])))
		}
	}
}

// stroke draws a line along a path, which begins with a point.
func (p *plot) stroke(k Ink, width float64, dash bool, path string) {
	dashes := ""
	if dash {
		dashes = ` stroke-dasharray="4 3"`
	}
	p.f(`<path class="l %s" stroke-width="%s"%s d="M%s"/>`, k, number(width), dashes, path)
}

func (p *plot) text(k Ink, x, y float64, anchor, text string) {
	p.f(`<text class="a %s" x="%s" y="%s" font-size="%d" text-anchor="%s">%s</text>`, k, number(x), number(y), letters,
		anchor, html.EscapeString(text))
}

func (p *plot) f(format string, args ...any) { fmt.Fprintf(&p.body, format+"\n", args...) }

// svg returns the drawing as an image with a name for those who do not see it.
func (p *plot) svg(name string) string {
	return fmt.Sprintf(`<svg class="chart" viewBox="0 0 %s %s" role="img" aria-label="%s">`+"\n%s</svg>",
		number(p.width), number(p.height), html.EscapeString(name), p.body.String())
}

// file returns the drawing as a file with its style.
func (p *plot) file(name string) string {
	return fmt.Sprintf(ChartBeginning+`<svg xmlns="http://www.w3.org/2000/svg" width="%[1]s" height="%[2]s" viewBox="0 0 %[1]s %[2]s">`+
		"\n<title>%[3]s</title>\n<style>%[4]s</style>\n%[5]s</svg>\n",
		number(p.width), number(p.height), html.EscapeString(name), html.EscapeString(Style), p.body.String())
}

// at returns a point of a path.
func at(x, y float64) string { return number(x) + " " + number(y) }

// number returns x with two decimals, without zeros at the end.
func number(x float64) string {
	s := strings.TrimRight(strings.TrimRight(fmt.Sprintf("%.2f", x), "0"), ".")
	if s == "-0" {
		return "0"
	}
	return s
}

// textWidth is about how wide a text is in DejaVu Sans, the widest of the fonts that it may get.
func textWidth(text string) float64 {
	width := 0.0
	for _, c := range text {
		switch {
		case strings.ContainsRune(" \u00a0.,:;|'iIlj", c):
			width += 0.32
		case strings.ContainsRune("%MWmw", c):
			width += 0.95
		default:
			width += 0.64
		}
	}
	return width * letters
}
