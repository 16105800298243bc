package report

import (
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// group is the bars of one kind: counts in equal bins.
type group struct {
	name   string
	ink    ink
	counts []float64
}

// bars draws groups on top of each other, bin i reaching from lo + i·w to lo + (i+1)·w where w is (hi − lo)/bins.
func bars(title string, a axes, lo, hi float64, groups ...group) *figure {
	if len(groups) == 0 || !(hi > lo) {
		return nil
	}
	p := newPlot(a)
	f := &figure{Title: title}
	base := make([]float64, len(groups[0].counts))
	for _, g := range groups {
		b := &stack{lo: lo, width: (hi - lo) / float64(len(g.counts)), ink: g.ink,
			from: append([]float64(nil), base...)}
		for i, n := range g.counts {
			base[i] += n
		}
		b.to = append([]float64(nil), base...)
		p.Add(b)
		f.Legend = append(f.Legend, key{g.ink, g.name, "area"})
	}
	f.render(p, a)
	return f
}

// stack is a plotter of bars that begin where those below them end.
type stack struct {
	lo, width float64
	ink       ink
	from, to  []float64
}

var (
	_ plot.Plotter    = (*stack)(nil)
	_ plot.DataRanger = (*stack)(nil)
)

// Plot draws the bars, with a little air between them.
func (s *stack) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	for i, top := range s.to {
		if top == s.from[i] {
			continue
		}
		left, right := x(s.lo+float64(i)*s.width)+0.75, x(s.lo+float64(i+1)*s.width)-0.75
		bottom, top := y(s.from[i]), y(top)
		c.FillPolygon(s.ink, []vg.Point{{X: left, Y: bottom}, {X: right, Y: bottom}, {X: right, Y: top},
			{X: left, Y: top}})
	}
}

// DataRange is what the axes must show.
func (s *stack) DataRange() (xmin, xmax, ymin, ymax float64) {
	for _, y := range s.to {
		ymax = math.Max(ymax, y)
	}
	return s.lo, s.lo + float64(len(s.to))*s.width, 0, math.Max(ymax, 1)
}

// bin is the bin of x among n from lo to hi, those outside being put into the first or last one.
func bin(x, lo, hi float64, n int) int {
	return max(0, min(n-1, int(float64(n)*(x-lo)/(hi-lo))))
}
