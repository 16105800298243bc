package report

import (
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Charts are small, so that their letters are as large on a phone as beside a paragraph: the page puts several in a row
// where there is room.
const (
	chartWidth  = 360
	chartHeight = 220
	letterSize  = 11
)

// figure is a chart with the words around it.
type figure struct {
	Title  string
	About  string // what it says, a sentence or two
	Legend []key
	SVG    string
}

// key is a line of a legend.
type key struct {
	Ink  ink
	Name string
	Mark string // line, dash, area or dot
}

// curve is a line of a chart.
type curve struct {
	name  string
	ink   ink
	xs    []float64
	ys    []float64
	dash  bool
	thin  bool // one of many
	marks bool // a dot at every point
}

// axes describes the axes of a chart. below says what x is, the title of the figure what y is.
type axes struct {
	below     string
	x, y      format // nil means compact
	low, high float64
	fixed     bool // low and high are the limits of y, and round
	log       bool // y is logarithmic
	count     bool // x counts, so that halves mean nothing
}

// lines draws curves. Points that are not finite, or not positive where y is logarithmic, are left out; without any
// there is no chart and it returns nil.
func lines(title string, a axes, curves ...curve) *figure {
	p := newPlot(a)
	f := &figure{Title: title}
	any := false
	for _, c := range curves {
		points := c.points(a.log)
		if len(points) == 0 {
			continue
		}
		any = true
		c.draw(p, points)
		if c.name != "" {
			f.Legend = append(f.Legend, key{c.ink, c.name, c.mark()})
		}
	}
	if !any {
		return nil
	}
	f.render(p, a)
	return f
}

// points are the points of c that are finite and, where positive is set, above 0.
func (c curve) points(positive bool) plotter.XYs {
	var xys plotter.XYs
	for i, x := range c.xs {
		y := c.ys[i]
		if finite(x) && finite(y) && (!positive || y > 0) {
			xys = append(xys, plotter.XY{X: x, Y: y})
		}
	}
	return xys
}

// draw adds c to p.
func (c curve) draw(p *plot.Plot, points plotter.XYs) {
	line := &plotter.Line{XYs: points, LineStyle: draw.LineStyle{Color: c.ink, Width: 1.75}}
	if c.thin {
		line.Width = 0.75
	}
	if c.dash {
		line.Dashes = []vg.Length{4, 3}
	}
	p.Add(line)
	if c.marks || len(points) == 1 {
		p.Add(&plotter.Scatter{XYs: points, GlyphStyle: draw.GlyphStyle{Color: c.ink, Radius: 2.6,
			Shape: draw.CircleGlyph{}}})
	}
}

func (c curve) mark() string {
	switch {
	case c.dash:
		return "dash"
	case c.marks && len(c.xs) == 1:
		return "dot"
	}
	return "line"
}

// newPlot is an empty plot in the style of the page: no frame, light horizontal rules, small letters.
func newPlot(a axes) *plot.Plot {
	p := plot.New()
	p.BackgroundColor = nil
	grid := plotter.NewGrid()
	grid.Vertical.Color = nil
	grid.Horizontal = draw.LineStyle{Color: inkRule, Width: 1}
	p.Add(grid)
	for _, axis := range []*plot.Axis{&p.X, &p.Y} {
		axis.LineStyle.Width, axis.Tick.Length = 0, 0
		axis.Padding = 4
		axis.Tick.Label.Font.Variant, axis.Label.TextStyle.Font.Variant = "Sans", "Sans"
		axis.Tick.Label.Font.Size, axis.Label.TextStyle.Font.Size = letterSize, letterSize
		axis.Tick.Label.Color, axis.Label.TextStyle.Color = inkText, inkText
		axis.Label.Padding = 3
	}
	p.X.Label.Text = a.below
	return p
}

// render chooses limits and ticks and draws.
func (f *figure) render(p *plot.Plot, a axes) {
	if a.x == nil {
		a.x = compact
	}
	if a.y == nil {
		a.y = compact
	}
	a.limits(p)
	c := newCanvas(chartWidth, chartHeight)
	whole := draw.NewCanvas(c, chartWidth, chartHeight)
	p.Draw(draw.Crop(whole, 2, -4, 2, -6))
	f.SVG = c.svg(f.Title)
}

// limits sets the range and the ticks of both axes.
func (a axes) limits(p *plot.Plot) {
	p.X.Min, p.X.Max = apart(p.X.Min, p.X.Max)
	p.X.Tick.Marker = labelled(inside(p.X.Min, p.X.Max, 5, a.count), a.x)
	var at []float64
	switch {
	case a.log:
		at = decades(p.Y.Min, p.Y.Max, 4)
		p.Y.Scale = plot.LogScale{}
	case a.fixed:
		at = inside(a.low, a.high, 4, false)
	default:
		at = outside(p.Y.Min, p.Y.Max, 4)
	}
	p.Y.Min, p.Y.Max = at[0], at[len(at)-1]
	p.Y.Tick.Marker = labelled(at, a.y)
}

// finite reports whether x can be drawn: it is a number, and the distance of two such is one too.
func finite(x float64) bool { return math.Abs(x) < 1e100 }
