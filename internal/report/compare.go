package report

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/bloomgml/bloom/internal/chart"
	"github.com/bloomgml/bloom/run"
)

// comparison is what a comparison shows, see write.
type comparison struct {
	Rows    []comparedRow
	Figures []*chart.Chart
	Heads   []string // the names of the runs
	Differ  []difference
}

// comparedRow is a run.
type comparedRow struct {
	Ink                               chart.Ink
	Name, Recipe, Data                string
	Metric, Test, Valid               string
	Best                              bool // by validation, among the runs on its data
	Drop, Residual, Weights, Duration string
}

// difference is a key of configs that the runs do not agree on, with the value of each.
type difference struct {
	Key    string
	Values []string
}

// Compare writes a page about several runs.
func Compare(w io.Writer, runs ...*Run) error {
	var c comparison
	names := runNames(runs)
	c.Heads = names
	for i, r := range runs {
		c.Rows = append(c.Rows, r.compared(names[i], chart.Series(i)))
	}
	for i, r := range runs {
		c.Rows[i].Best = isBest(r, runs)
	}
	c.Figures = present(
		overlay("Validation while training", runs, names, chart.Axes{Below: "epoch", Y: percent, Count: true},
			func(r *Run) (epochs, valid []float64) {
				if len(r.Histories) == 0 {
					return nil, nil
				}
				return column(r.Histories[0], func(e run.Record) float64 { return e.Valid })
			}).Saying("The first run of each folder."),
		overlay("Energy per layer", runs, names, chart.Axes{Below: "layer", Y: percent, Count: true}, sharesPerLayer).
			Saying("After training, as a share of where the descent begins."),
		overlay("How far each step moves", runs, names, chart.Axes{Below: "step", Y: small, Log: true, Count: true},
			movesPerLayer).
			Saying("‖ΔH‖ / ‖H‖ after training."),
		overlay("How often it is right", runs, names, chart.Axes{Below: "how sure the model is", X: percent, Y: percent,
			Fixed: true, High: 1}, (*Run).reliability, perfect).
			Saying("On the dashed line a model is as often right as it is sure."),
	)
	c.Differ = differences(runs)
	var m markup
	m.page("Comparison of runs", compareLead(runs), func() { c.write(&m) })
	return m.to(w)
}

// compareLead says which run is best, where they can be compared.
func compareLead(runs []*Run) string {
	data := map[string]bool{}
	var best []string
	for _, r := range runs {
		data[r.Result.Data+"/"+r.Result.Metric] = true
		if isBest(r, runs) {
			best = append(best, r.Result.Recipe)
		}
	}
	switch {
	case len(data) > 1:
		return fmt.Sprintf("%d runs on different data: only those on the same can be compared.", len(runs))
	case len(best) == 1:
		return fmt.Sprintf("%d runs on %s. By validation, which is what one may choose by, %s is best.", len(runs),
			runs[0].Result.Data, best[0])
	}
	return fmt.Sprintf("%d runs on %s. Validation does not tell %s apart.", len(runs), runs[0].Result.Data,
		strings.Join(best, " and "))
}

// runNames are the names of runs.
func runNames(runs []*Run) []string {
	dirs := make([]string, len(runs))
	for i, r := range runs {
		dirs[i] = r.Dir
	}
	return namesOf(dirs)
}

// namesOf are the names of folders, with as many folders above as it takes to tell them apart.
func namesOf(dirs []string) []string {
	for depth := 1; ; depth++ {
		names, seen, deepest := make([]string, len(dirs)), map[string]bool{}, true
		for i, dir := range dirs {
			words := strings.Split(filepath.ToSlash(filepath.Clean(dir)), "/")
			deepest = deepest && len(words) <= depth
			names[i] = strings.Join(words[max(0, len(words)-depth):], "/")
			seen[names[i]] = true
		}
		if len(seen) == len(dirs) || deepest {
			return names
		}
	}
}

// compared is r as a row.
func (r *Run) compared(name string, k chart.Ink) comparedRow {
	score := func(s run.Score) string {
		switch len(s.Runs) {
		case 0:
			return "–"
		case 1:
			return percent(s.Mean)
		}
		return percent(s.Mean) + " ± " + percent(s.SD)
	}
	row := comparedRow{Ink: k, Name: name, Recipe: r.Result.Recipe, Data: r.Result.Data, Metric: words(r.Result.Metric),
		Test: score(r.Result.Test), Valid: score(r.Result.Valid), Drop: "–", Residual: "–",
		Weights: thousands(r.Result.Weights), Duration: duration(r.Result.Seconds)}
	if r.After != nil {
		row.Drop, row.Residual = percent(r.After.Drop()), small(r.After.Residual)
	}
	return row
}

// isBest reports whether no other run on the same data and metric has a better validation. A single one is not best of
// anything.
func isBest(r *Run, runs []*Run) bool {
	rivals := 0
	for _, o := range runs {
		if o == r || o.Result.Data != r.Result.Data || o.Result.Metric != r.Result.Metric {
			continue
		}
		rivals++
		if o.Result.Valid.Mean > r.Result.Valid.Mean {
			return false
		}
	}
	return rivals > 0
}

// overlay draws one curve of every run that has it, above other curves.
func overlay(title string, runs []*Run, names []string, a chart.Axes, points func(*Run) (xs, ys []float64),
	curves ...chart.Curve) *chart.Chart {
	for i, r := range runs {
		xs, ys := points(r)
		curves = append(curves, chart.Curve{Name: names[i], Ink: chart.Series(i), X: xs, Y: ys})
	}
	return chart.Lines(title, a, curves...)
}

func sharesPerLayer(r *Run) (xs, ys []float64) {
	if r.After == nil || !(r.After.Energy[0] > 0) {
		return nil, nil
	}
	for l, e := range r.After.Energy {
		xs, ys = append(xs, float64(l)), append(ys, e/r.After.Energy[0])
	}
	return xs, ys
}

func movesPerLayer(r *Run) (xs, ys []float64) {
	if r.After == nil {
		return nil, nil
	}
	c := moves(r.After)
	return c.X, c.Y
}
