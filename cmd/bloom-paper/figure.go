package main

import (
	"bytes"
	"fmt"
	"image/color"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bloomgml/bloom/internal/durable"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/plotutil"
	"gonum.org/v1/plot/vg"
)

// Figure is a picture of lines.
type Figure struct {
	Name   string // of its files, without ending
	Title  string
	X, Y   string // labels of the axes
	Log    bool   // whether y is logarithmic; values that are not above 0 are left out
	Curves []Curve
}

// inks are the colours of curves, as in reports: blue and orange first, which everyone can tell apart.
var inks = []color.Color{
	color.RGBA{0x2b, 0x6c, 0xb0, 0xff}, color.RGBA{0xd9, 0x7a, 0x1e, 0xff}, color.RGBA{0x2f, 0x94, 0x67, 0xff},
	color.RGBA{0xb8, 0x43, 0x7a, 0xff}, color.RGBA{0x7d, 0x5b, 0xbe, 0xff}, color.RGBA{0xa6, 0x83, 0x12, 0xff},
}

// axis is the y axis of the panels whose name ends in a word.
type axis struct {
	panel, label string
	log          bool
}

// drawCurves makes a figure of every panel, of the curves of the first runs. Its y axis is the first that fits.
func drawCurves(x string, axes ...axis) func(*Report) []Figure {
	return func(r *Report) []Figure {
		var figures []Figure
		place := map[string]int{}
		for _, result := range r.Results {
			if len(result.Outcomes) == 0 {
				continue
			}
			for _, c := range result.Outcomes[0].Curves {
				i, ok := place[c.Panel]
				if !ok {
					i = len(figures)
					place[c.Panel] = i
					y := axes[slices.IndexFunc(axes, func(a axis) bool { return strings.HasSuffix(c.Panel, a.panel) })]
					figures = append(figures, Figure{Name: r.Experiment.ID + "-" + fileName(c.Panel), Title: c.Panel,
						X: x, Y: y.label, Log: y.log})
				}
				figures[i].Curves = append(figures[i].Curves, c)
			}
		}
		return figures
	}
}

// fileName is text in letters that every file system takes.
func fileName(text string) string {
	return strings.Join(strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= '0' && r <= '9')
	}), "-")
}

// Figures are the figures of the experiment; none where it is a table alone.
func (r *Report) Figures() []Figure {
	if r.Experiment.draw == nil {
		return nil
	}
	return r.Experiment.draw(r)
}

// Save writes the figure into a folder, as SVG and as PNG, and returns the two paths. Files of that name that are no
// such figures are replaced by force alone.
func (f Figure) Save(dir string, force bool) ([]string, error) {
	p := plot.New()
	p.Title.Text, p.X.Label.Text, p.Y.Label.Text = f.Title, f.X, f.Y
	p.Legend.Top, p.Legend.Padding = true, vg.Points(3)
	p.Add(plotter.NewGrid())
	if f.Log {
		p.Y.Scale, p.Y.Tick.Marker = plot.LogScale{}, powers{}
	}
	for i, c := range f.Curves {
		line, err := plotter.NewLine(c.points(f.Log))
		if err != nil {
			return nil, fmt.Errorf("figure %s: curve %q: %w", f.Name, c.Name, err)
		}
		line.Width, line.Color, line.Dashes = vg.Points(1.5), inks[i%len(inks)], plotutil.Dashes(i/len(inks))
		p.Add(line)
		p.Legend.Add(c.Name, line)
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	var files []string
	before, _ := os.ReadFile(filepath.Join(dir, f.Name+".svg"))
	rules := durable.Options{Force: force, Ours: func([]byte) bool { return bytes.Contains(before, []byte("SVGo")) }}
	for _, ending := range []string{"svg", "png"} {
		if err := rules.Allow(filepath.Join(dir, f.Name+"."+ending)); err != nil {
			return nil, err
		}
	}
	for _, ending := range []string{"svg", "png"} {
		name := filepath.Join(dir, f.Name+"."+ending)
		drawn, err := p.WriterTo(18*vg.Centimeter, 12*vg.Centimeter, ending)
		if err != nil {
			return nil, err
		}
		write := func(w io.Writer) error { _, err := drawn.WriteTo(w); return err }
		if err := durable.Replace(name, rules, write); err != nil {
			return nil, err
		}
		files = append(files, name)
	}
	return files, nil
}

// points are what can be drawn of a curve.
func (c Curve) points(log bool) plotter.XYs {
	var xy plotter.XYs
	for i := range c.X {
		if y := c.Y[i]; !math.IsNaN(y) && !math.IsInf(y, 0) && (!log || y > 0) {
			xy = append(xy, plotter.XY{X: c.X[i], Y: y})
		}
	}
	return xy
}

// powers are ticks at powers of ten, not too many of them.
type powers struct{}

// Ticks labels at most about ten powers.
func (powers) Ticks(lo, hi float64) []plot.Tick {
	first, last := int(math.Floor(math.Log10(lo))), int(math.Ceil(math.Log10(hi)))
	every := 1 + (last-first)/10
	var ticks []plot.Tick
	for k := first; k <= last; k++ {
		t := plot.Tick{Value: math.Pow10(k)}
		if (k-first)%every == 0 {
			t.Label = fmt.Sprintf("1e%d", k)
		}
		ticks = append(ticks, t)
	}
	return ticks
}
