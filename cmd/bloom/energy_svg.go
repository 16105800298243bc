package main

import (
	"io"

	"github.com/spf13/cobra"

	"github.com/bloomgml/bloom/internal/inspect"
	"github.com/bloomgml/bloom/internal/show"
)

// isDrawing recognises the drawings that bloom writes.
var isDrawing = beginsWith(show.ChartBeginning)

// writeSVG writes the trace as the SVG file of --svg: the energy after every step, and the terms that it is the sum of.
func (c *energyCommand) writeSVG(cmd *cobra.Command, found *inspect.Report, inputs ...string) error {
	if c.svg.path == "" {
		return nil
	}
	text := show.ChartFile("Energy of "+found.Recipe+" per step", show.Axes{Below: "step", Left: "energy", Count: true},
		traceCurves(found.Trace)...)
	return c.svg.write(cmd, c.svg.rules(isDrawing, inputs...), func(w io.Writer) error {
		_, err := io.WriteString(w, text)
		return err
	})
}

// traceCurves returns the energy and its terms; a term that is 0 at every step is left out.
func traceCurves(steps []inspect.Step) []show.Curve {
	var curves []show.Curve
	for i, term := range []struct {
		name  string
		value func(inspect.Step) float64
	}{
		{"energy", func(s inspect.Step) float64 { return s.Energy }},
		{"edges, f", func(s inspect.Step) float64 { return s.F }},
		{"nodes, κ", func(s inspect.Step) float64 { return s.Kappa }},
		{"constraint, η", func(s inspect.Step) float64 { return s.Eta }},
	} {
		curve := show.Curve{Name: term.name, Ink: show.Series(i), Dash: i > 0, Marks: i == 0}
		zero := true
		for _, s := range steps {
			y := term.value(s)
			zero = zero && y == 0
			curve.X, curve.Y = append(curve.X, float64(s.Step)), append(curve.Y, y)
		}
		if i == 0 || !zero {
			curves = append(curves, curve)
		}
	}
	return curves
}
