package report

import (
	"fmt"
	"html"
	"image"
	"image/color"
	"math"
	"strings"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
)

// ink is a colour by its role. The style sheet says what it looks like, once for light and once for dark pages.
type ink string

// The roles of colours in charts. Series have the inks of series.
const (
	inkText ink = "text" // labels of axes
	inkRule ink = "rule" // grid lines
)

// series is the ink of the i-th series or class, from 0; beyond the palette all are grey.
func seriesInk(i int) ink {
	if i < 0 || i >= palette {
		return "k0"
	}
	return ink(fmt.Sprintf("k%d", i+1))
}

// palette is the number of series that have a colour of their own.
const palette = 8

// RGBA is black: what an ink looks like is not known here.
func (ink) RGBA() (r, g, b, a uint32) { return color.Black.RGBA() }

// canvas draws SVG for a page: every element has the class of its ink in place of a colour. Coordinates of vg grow
// upwards, those of SVG downwards.
//
// It stands in for gonum's vgsvg, which writes colours that a style sheet cannot change.
type canvas struct {
	width, height float64
	body          strings.Builder
	stack         []pen
}

// pen is what a canvas draws with, and at is where: an affine map of points of vg to points of vg.
type pen struct {
	ink   ink
	width float64
	dash  string
	at    affine
}

var _ vg.Canvas = (*canvas)(nil)

func newCanvas(width, height float64) *canvas {
	c := &canvas{width: width, height: height, stack: []pen{{at: affine{1, 0, 0, 1, 0, 0}}}}
	vg.Initialize(c)
	return c
}

func (c *canvas) pen() *pen { return &c.stack[len(c.stack)-1] }

// SetLineWidth sets the width of lines.
func (c *canvas) SetLineWidth(w vg.Length) { c.pen().width = w.Points() }

// SetLineDash sets the pattern of lines.
func (c *canvas) SetLineDash(pattern []vg.Length, _ vg.Length) {
	var words []string
	for _, p := range pattern {
		words = append(words, number(p.Points()))
	}
	c.pen().dash = strings.Join(words, " ")
}

// SetColor sets the ink; a colour that is none has that of text.
func (c *canvas) SetColor(clr color.Color) {
	k, ok := clr.(ink)
	if !ok {
		k = inkText
	}
	c.pen().ink = k
}

// Rotate turns what is drawn next.
func (c *canvas) Rotate(rad float64) {
	sin, cos := math.Sincos(rad)
	c.pen().at = c.pen().at.after(affine{cos, sin, -sin, cos, 0, 0})
}

// Translate moves what is drawn next.
func (c *canvas) Translate(p vg.Point) {
	c.pen().at = c.pen().at.after(affine{1, 0, 0, 1, p.X.Points(), p.Y.Points()})
}

// Scale stretches what is drawn next.
func (c *canvas) Scale(x, y float64) { c.pen().at = c.pen().at.after(affine{x, 0, 0, y, 0, 0}) }

// Push remembers the pen.
func (c *canvas) Push() { c.stack = append(c.stack, *c.pen()) }

// Pop takes back the pen of the last Push.
func (c *canvas) Pop() { c.stack = c.stack[:len(c.stack)-1] }

// Stroke draws a line along a path.
func (c *canvas) Stroke(p vg.Path) {
	k := c.pen()
	if k.width <= 0 {
		return
	}
	dash := ""
	if k.dash != "" {
		dash = fmt.Sprintf(` stroke-dasharray="%s"`, k.dash)
	}
	fmt.Fprintf(&c.body, `<path class="l %s" stroke-width="%s"%s d="%s"/>`+"\n", k.ink, number(k.width),
		dash, c.path(p))
}

// Fill paints the inside of a path.
func (c *canvas) Fill(p vg.Path) {
	fmt.Fprintf(&c.body, `<path class="a %s" d="%s"/>`+"\n", c.pen().ink, c.path(p))
}

// FillString writes a line of text, its left end at p.
func (c *canvas) FillString(f font.Face, p vg.Point, text string) {
	x, y := c.point(p)
	turn := ""
	if angle := c.pen().at.angle(); math.Abs(angle) > 1e-9 {
		turn = fmt.Sprintf(` transform="rotate(%s %s %s)"`, number(-angle*180/math.Pi), number(x), number(y))
	}
	fmt.Fprintf(&c.body, `<text class="a %s" x="%s" y="%s" font-size="%s"%s>%s</text>`+"\n",
		c.pen().ink, number(x), number(y), number(f.Font.Size.Points()), turn, html.EscapeString(text))
}

// DrawImage is not for charts: they are lines, areas and text.
func (c *canvas) DrawImage(vg.Rectangle, image.Image) { panic("report: an image in a chart") }

// point is where p is in SVG.
func (c *canvas) point(p vg.Point) (x, y float64) {
	x, y = c.pen().at.of(p.X.Points(), p.Y.Points())
	return x, c.height - y
}

// path is the data of a path element.
func (c *canvas) path(p vg.Path) string {
	var b strings.Builder
	to := func(command string, points ...vg.Point) {
		b.WriteString(command)
		for i, q := range points {
			x, y := c.point(q)
			if i > 0 {
				b.WriteByte(' ')
			}
			fmt.Fprintf(&b, "%s %s", number(x), number(y))
		}
	}
	for _, s := range p {
		switch s.Type {
		case vg.MoveComp:
			to("M", s.Pos)
		case vg.LineComp:
			to("L", s.Pos)
		case vg.ArcComp:
			c.arc(to, s, b.Len() == 0)
		case vg.CurveComp:
			to([]string{"L", "Q", "C"}[len(s.Control)], append(s.Control, s.Pos)...)
		case vg.CloseComp:
			b.WriteString("Z")
		}
	}
	return b.String()
}

// arc draws an arc in two halves, as SVG has none that ends where it begins.
func (c *canvas) arc(to func(string, ...vg.Point), s vg.PathComp, first bool) {
	at := func(angle float64) vg.Point {
		sin, cos := math.Sincos(angle)
		return vg.Point{X: s.Pos.X + s.Radius*vg.Length(cos), Y: s.Pos.Y + s.Radius*vg.Length(sin)}
	}
	start := "L"
	if first {
		start = "M"
	}
	to(start, at(s.Start))
	sweep := 0
	if s.Angle < 0 {
		sweep = 1
	}
	r := number(s.Radius.Points() * c.pen().at.scale())
	half := fmt.Sprintf("A%s %s 0 0 %d ", r, r, sweep)
	to(half, at(s.Start+s.Angle/2))
	to(half, at(s.Start+s.Angle))
}

// svg is the whole drawing as an image with a name for those who do not see it.
func (c *canvas) svg(name string) string {
	return fmt.Sprintf(`<svg class="chart" viewBox="0 0 %s %s" role="img" aria-label="%s">`+"\n%s</svg>",
		number(c.width), number(c.height), html.EscapeString(name), c.body.String())
}

// affine maps (x, y) to (a x + c y + e, b x + d y + f).
type affine [6]float64

func (m affine) of(x, y float64) (float64, float64) {
	return m[0]*x + m[2]*y + m[4], m[1]*x + m[3]*y + m[5]
}

// after is m∘n: first n, then m.
func (m affine) after(n affine) affine {
	e, f := m.of(n[4], n[5])
	return affine{
		m[0]*n[0] + m[2]*n[1], m[1]*n[0] + m[3]*n[1],
		m[0]*n[2] + m[2]*n[3], m[1]*n[2] + m[3]*n[3], e, f,
	}
}

// angle is how far m turns, counter-clockwise.
func (m affine) angle() float64 { return math.Atan2(m[1], m[0]) }

// scale is how much m stretches lengths; where it differs by direction, their geometric mean.
func (m affine) scale() float64 { return math.Sqrt(math.Abs(m[0]*m[3] - m[1]*m[2])) }

// number is x with two decimals, without zeros at the end.
func number(x float64) string {
	s := strings.TrimRight(strings.TrimRight(fmt.Sprintf("%.2f", x), "0"), ".")
	if s == "-0" {
		return "0"
	}
	return s
}
