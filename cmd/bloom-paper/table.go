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
	"text/tabwriter"

	"github.com/bloomgml/bloom/internal/files"
	"github.com/bloomgml/bloom/internal/show"
)

// Recorded returns the report of what the files of an experiment below a folder say we got, without running anything.
func Recorded(e *Experiment, folder string) (*Report, error) {
	cells, err := e.Cells(folder)
	if err != nil {
		return nil, err
	}
	r := &Report{Experiment: e}
	for _, c := range cells {
		r.Results = append(r.Results, Result{Cell: c, Ours: c.Ours})
	}
	return r, nil
}

// Line is a line of a table. The keys stay.
type Line struct {
	Row    string   `json:"row"`
	Data   string   `json:"data"`
	Number string   `json:"number"`
	Paper  *float64 `json:"paper"` // nil if the paper has no such number
	SD     *float64 `json:"paper_sd,omitempty"`
	Ours   *float64 `json:"ours"` // nil if it did not run
	OursSD *float64 `json:"ours_sd,omitempty"`
	Runs   int      `json:"runs,omitempty"`
	Gap    *float64 `json:"gap"` // ours − paper
	Target string   `json:"target,omitempty"`
	Met    *bool    `json:"met,omitempty"` // whether the target is reached
	// Uncertified reports whether the steps of the row are not certified, so that its energy may rise.
	Uncertified bool `json:"uncertified,omitempty"`
}

// uncertified is the sign of such a row, and legend what it means.
const (
	uncertified = " †"
	legend      = "† steps are not certified: the energy may rise"
)

// Lines returns the lines of the table: numbers of cells, then margins between rows.
func (r *Report) Lines() []Line {
	var lines []Line
	for _, x := range r.Results {
		for _, n := range x.Cell.Numbers {
			lines = append(lines, lineOf(x, n))
		}
	}
	for _, m := range r.Experiment.Margins {
		lines = append(lines, r.margin(m)...)
	}
	return lines
}

func lineOf(x Result, n Number) Line {
	l := Line{Row: x.Cell.Row, Data: x.Cell.set(), Number: n.Name, Paper: n.Published.Mean, SD: n.Published.SD}
	if x.Ours != nil {
		if s, ok := x.Ours.Numbers[n.Name]; ok {
			l.Ours, l.OursSD, l.Runs = &s.Mean, &s.SD, len(s.Runs)
		}
	}
	l.Uncertified = !x.Cell.certified(x.Ours)
	l.judge(n)
	return l
}

// judge fills gap and target.
func (l *Line) judge(n Number) {
	switch {
	case n.AtLeast != nil:
		l.Target = fmt.Sprintf("≥ %g", *n.AtLeast)
	case n.AtMost != nil:
		l.Target = fmt.Sprintf("≤ %g", *n.AtMost)
	}
	if l.Ours == nil {
		return
	}
	if l.Paper != nil {
		gap := round(*l.Ours - *l.Paper)
		l.Gap = &gap
	}
	if l.Target != "" {
		met := n.Reached(*l.Ours)
		l.Met = &met
	}
}

// margin returns a line for every data set on which both rows have the number.
func (r *Report) margin(m margin) []Line {
	var lines []Line
	of := map[string]Line{}
	for _, x := range r.Results {
		if n, ok := x.Cell.number(m.Number); ok && x.Cell.Row == m.Of {
			of[x.Cell.Data] = lineOf(x, n)
		}
	}
	for _, x := range r.Results {
		n, ok := x.Cell.number(m.Number)
		b, both := of[x.Cell.Data]
		if !ok || !both || x.Cell.Row != m.Row {
			continue
		}
		a := lineOf(x, n)
		l := Line{Row: m.Name, Data: a.Data, Number: m.Number, Paper: minus(a.Paper, b.Paper),
			Ours: minus(a.Ours, b.Ours), Uncertified: a.Uncertified || b.Uncertified}
		l.judge(Number{AtLeast: m.AtLeast})
		lines = append(lines, l)
	}
	return lines
}

func minus(a, b *float64) *float64 {
	if a == nil || b == nil {
		return nil
	}
	d := round(*a - *b)
	return &d
}

// Write prints the table for people: paper | ours | gap.
func (r *Report) Write(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "row\tdata\tnumber\tpaper\tours\tgap\ttarget")
	mark := false
	for _, l := range r.Lines() {
		fmt.Fprintln(t, strings.TrimRight(strings.Join(l.cells(), "\t"), "\t"))
		mark = mark || l.Uncertified
	}
	if err := t.Flush(); err != nil || !mark {
		return err
	}
	_, err := fmt.Fprintln(w, legend)
	return err
}

func (l Line) cells() []string {
	target := l.Target
	if l.Met != nil {
		target += map[bool]string{true: " reached", false: " missed"}[*l.Met]
	}
	row := l.Row
	if l.Uncertified {
		row += uncertified
	}
	gap := "–"
	if l.Gap != nil {
		gap = fmt.Sprintf("%+.2f", *l.Gap)
	}
	return []string{row, l.Data, l.Number, plusMinus(l.Paper, l.SD), plusMinus(l.Ours, l.OursSD), gap, target}
}

func plusMinus(mean, sd *float64) string {
	switch {
	case mean == nil:
		return "–"
	case sd == nil || *sd == 0:
		return fmt.Sprintf("%.2f", *mean)
	}
	return fmt.Sprintf("%.2f ± %.2f", *mean, *sd)
}

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
