package report

import (
	"fmt"
	"go.yaml.in/yaml/v3"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bloomgml/bloom"
	"github.com/bloomgml/bloom/internal/show"
	"github.com/bloomgml/bloom/train"
)

// Opened is a run folder that is open. Runs are compared with runs of their kind.
type Opened interface {
	Page(io.Writer, Options) error

	folder() *runFolder
	format() show.Format
	more() []tile // what its row of a comparison has besides
	// compared returns the text below the rows, and the figures.
	compared(runs []Opened, names []string) (about string, figures []*show.Chart)
}

// comparison is the content of a page that compares runs.
type comparison struct {
	Title, Lead string
	Heads       []tile // of More of the rows
	Rows        []comparedRow
	Fine        string // what to know about the rows
	Figures     []*show.Chart
	Differ      []difference
}

type comparedRow struct {
	Ink   show.Ink
	Name  string
	Best  bool // by validation, among the runs on its data
	Of    *runFolder
	Write show.Format // of the metric
	More  []tile
}

// difference is a key of configs that the runs do not agree on, with the value of each.
type difference struct {
	Key    string
	Values []string
}

// Compare writes a page about several runs.
func Compare(w io.Writer, runs ...Opened) error {
	return write(w, "comparison", compared(runs))
}

func compared(runs []Opened) *comparison {
	folders := make([]*runFolder, len(runs))
	for i, r := range runs {
		folders[i] = r.folder()
	}
	names := runNames(folders)
	c := &comparison{Title: "Comparison of runs", Heads: runs[0].more(), Differ: differences(folders),
		Lead: comparedLead(folders)}
	for i, r := range runs {
		c.Rows = append(c.Rows, comparedRow{show.Series(i), names[i], isBest(folders[i], folders), folders[i],
			r.format(), r.more()})
	}
	c.Fine, c.Figures = runs[0].compared(runs, names)
	c.Fine = "Bold: the best validation among the runs on the same data. " + c.Fine
	return c
}

// comparedLead says which run is best, if they can be compared.
func comparedLead(runs []*runFolder) string {
	first := runs[0].Result
	var best []string
	for _, r := range runs {
		if r.Result.Data != first.Data || r.Result.Metric != first.Metric {
			return fmt.Sprintf("%d runs on different data: only runs on the same data can be compared.", len(runs))
		}
		if isBest(r, runs) {
			best = append(best, r.Result.Recipe)
		}
	}
	if len(best) == 1 {
		return fmt.Sprintf("%d runs on %s. By validation %s is best.", len(runs), first.Data, best[0])
	}
	return fmt.Sprintf("%d runs on %s. Validation does not tell %s apart.", len(runs), first.Data,
		strings.Join(best, " and "))
}

func (r *Run) compared(runs []Opened, names []string) (about string, figures []*show.Chart) {
	sure := show.Axes{Below: "how sure the model is", X: show.Percent, Y: show.Percent, Fixed: true, High: 1}
	return "", present(
		overlay("Validation while training", runs, names, show.Axes{Below: "epoch", Y: r.format(), Count: true},
			func(r Opened) (xs, ys []float64) { return r.folder().firstRun() }).Saying("The first run of each folder."),
		overlay("Energy per layer", runs, names, show.Axes{Below: "layer", Y: show.Percent, Count: true},
			trainedDescent(shares)).Saying("After training, as a share of where the descent begins."),
		overlay("How far each step moves", runs, names, show.Axes{Below: "step", Y: small, Log: true, Count: true},
			trainedDescent(moves)).Saying("‖ΔH‖ / ‖H‖ after training."),
		overlay("How often it is right", runs, names, sure,
			func(r Opened) (xs, ys []float64) { return r.(*Run).reliability() }, perfect).
			Saying("On the dashed line accuracy equals confidence."))
}

// overlay draws one curve of every run that has it, above other curves.
func overlay(title string, runs []Opened, names []string, a show.Axes, points func(Opened) (xs, ys []float64),
	curves ...show.Curve) *show.Chart {
	for i, r := range runs {
		xs, ys := points(r)
		curves = append(curves, show.Curve{Name: names[i], Ink: show.Series(i), X: xs, Y: ys})
	}
	return show.LineChart(title, a, curves...)
}

// firstRun returns the validation of every epoch of the first run.
func (f *runFolder) firstRun() (epochs, ys []float64) {
	if len(f.Histories) == 0 {
		return nil, nil
	}
	return column(f.Histories[0], valid)
}

// trainedDescent is something of the descent after training, if there is one.
func trainedDescent(points func(*bloom.Evidence) (xs, ys []float64)) func(Opened) (xs, ys []float64) {
	return func(r Opened) (xs, ys []float64) {
		if e := r.(*Run).After; e != nil {
			return points(e)
		}
		return nil, nil
	}
}

func (r *Run) more() []tile {
	drop, residual := "–", "–"
	if r.After != nil {
		drop, residual = show.Percent(r.After.Drop()), small(r.After.Residual)
	}
	return []tile{{Name: "energy lowered by", Value: drop}, {Name: "one more step", Value: residual}}
}

// score writes a score, with its deviation of several runs.
func score(s train.Score, write show.Format) string {
	switch len(s.Runs) {
	case 0:
		return "–"
	case 1:
		return write(s.Mean)
	}
	return write(s.Mean) + " ± " + write(s.SD)
}

// isBest reports whether no other run on the same data and metric has a better validation. A single one is not best of
// anything.
func isBest(r *runFolder, runs []*runFolder) bool {
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

// runNames returns the names of folders, with enough parent folders to tell them apart.
func runNames(runs []*runFolder) []string {
	for depth := 1; ; depth++ {
		names, seen, deepest := make([]string, len(runs)), map[string]bool{}, true
		for i, r := range runs {
			words := strings.Split(filepath.ToSlash(filepath.Clean(r.Dir)), "/")
			deepest = deepest && len(words) <= depth
			names[i] = strings.Join(words[max(0, len(words)-depth):], "/")
			seen[names[i]] = true
		}
		if len(seen) == len(runs) || deepest {
			return names
		}
	}
}

// differences returns the keys on which the configs of runs do not agree, in the order in which they first appear.
func differences(runs []*runFolder) []difference {
	var order []string
	values := make([]map[string]string, len(runs))
	for i, r := range runs {
		values[i] = map[string]string{}
		var root yaml.Node
		if yaml.Unmarshal(r.config, &root) != nil {
			continue // a run that was opened has a config that can be read
		}
		flatten(&root, "", func(key, value string) {
			if old, ok := values[i][key]; ok {
				value = old + ", " + value
			}
			values[i][key] = value
			if !slices.Contains(order, key) {
				order = append(order, key)
			}
		})
	}
	var list []difference
	for _, key := range order {
		d := difference{Key: key}
		same := true
		for i := range runs {
			d.Values = append(d.Values, values[i][key])
			same = same && values[i][key] == values[0][key]
		}
		if !same {
			list = append(list, d)
		}
	}
	return list
}

// flatten calls visit for every value of a file, with its keys joined by dots; entries of lists have the key of the
// list.
func flatten(n *yaml.Node, key string, visit func(key, value string)) {
	switch n.Kind {
	case yaml.MappingNode:
		for i := 0; i+1 < len(n.Content); i += 2 {
			flatten(n.Content[i+1], strings.TrimPrefix(key+"."+n.Content[i].Value, "."), visit)
		}
	case yaml.ScalarNode:
		visit(key, n.Value)
	default:
		for _, c := range n.Content {
			flatten(c, key, visit)
		}
	}
}
