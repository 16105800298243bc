package main

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bloomgml/bloom/internal/files"
	"github.com/bloomgml/bloom/internal/show"
)

// Figure is a picture of lines.
type Figure struct {
	Name   string // of its files, without ending
	Title  string
	X, Y   string // labels of the axes
	Log    bool   // whether y is logarithmic; values that are not above 0 are left out
	Curves []Curve
}

// drawing says how curves become figures: what x is, and the y axes of panels by how their names end.
type drawing struct {
	X    string `yaml:"x"`
	Axes []struct {
		Panel string `yaml:"panel"`
		Label string `yaml:"label"`
		Log   bool   `yaml:"log"`
	} `yaml:"axes"`
}

// Figures returns a figure of every panel, of the curves of the first runs; nil if the experiment is only a table.
func (r *Report) Figures() []Figure {
	d := r.Experiment.Draw
	if d == nil {
		return nil
	}
	var figures []Figure
	for _, result := range r.Results {
		if len(result.Outcomes) == 0 {
			continue
		}
		for _, c := range result.Outcomes[0].Curves {
			i := slices.IndexFunc(figures, func(f Figure) bool { return f.Title == c.Panel })
			if i < 0 {
				i = len(figures)
				f := Figure{Name: r.Experiment.ID + "-" + fileName(c.Panel), Title: c.Panel, X: d.X}
				for _, y := range slices.Backward(d.Axes) { // the first that fits
					if strings.HasSuffix(c.Panel, y.Panel) {
						f.Y, f.Log = y.Label, y.Log
					}
				}
				figures = append(figures, f)
			}
			figures[i].Curves = append(figures[i].Curves, c)
		}
	}
	return figures
}

// fileName is text in letters that every file system takes.
func fileName(text string) string {
	return strings.Join(strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= '0' && r <= '9')
	}), "-")
}

// Save writes the figure into a folder as SVG and returns its path. A file of that name that is not such a figure is
// replaced only with force.
func (f Figure) Save(dir string, force bool) (string, error) {
	var curves []show.Curve
	for i, c := range f.Curves {
		curves = append(curves, show.Curve{Name: c.Name, Ink: show.Series(i % show.Palette), X: c.X, Y: c.Y,
			Dash: i >= show.Palette})
	}
	axes := show.Axes{Below: f.X, Left: f.Y, Log: f.Log}
	if f.Log {
		axes.Y = func(y float64) string { return fmt.Sprintf("1e%.0f", math.Log10(y)) }
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return "", err
	}
	rules := files.WriteOptions{Force: force, Ours: func(head []byte) bool {
		return bytes.HasPrefix(head, []byte(show.ChartBeginning))
	}}
	name := filepath.Join(dir, f.Name+".svg")
	return name, files.Replace(name, rules, func(w io.Writer) error {
		_, err := io.WriteString(w, show.ChartFile(f.Title, axes, curves...))
		return err
	})
}
