package report

import (
	"fmt"
	"html"
	"io"

	"github.com/bloomgml/bloom/internal/chart"
	"github.com/bloomgml/bloom/run"
)

// CompareLinks writes a page about several runs on knowledge graphs.
func CompareLinks(w io.Writer, runs ...*Links) error {
	dirs, configs := make([]string, len(runs)), make([][]byte, len(runs))
	for i, r := range runs {
		dirs[i], configs[i] = r.Dir, r.config
	}
	names := namesOf(dirs)
	c := comparison{Heads: names, Differ: differencesOf(configs)}
	var curves []chart.Curve
	for i, r := range runs {
		if len(r.Histories) > 0 {
			xs, ys := column(r.Histories[0], func(e run.Record) float64 { return e.Valid })
			curves = append(curves, chart.Curve{Name: names[i], Ink: chart.Series(i), X: xs, Y: ys})
		}
	}
	c.Figures = present(chart.Lines("Validation MRR while training", chart.Axes{Below: "epoch", Count: true},
		curves...).Saying("The first run of each folder."))
	var m markup
	m.page("Comparison of runs", fmt.Sprintf("%d runs on knowledge graphs. Only those on the same data can be "+
		"compared, and validation is what one may choose by.", len(runs)), func() {
		m.section("runs", "Runs", func() { linkRows(&m, runs, names) })
		c.rest(&m)
	})
	return m.to(w)
}

// linkRows is a table of runs.
func linkRows(m *markup, runs []*Links, names []string) {
	m.table([]string{"run", "recipe", "data", "validation#", "MRR#", "Hits@1#", "Hits@10#", "of 50#", "weights#",
		"time#"}, func() {
		for i, r := range runs {
			name := `<i class="dot ` + string(chart.Series(i)) + `"></i>` + html.EscapeString(names[i])
			k := r.Result.Ranking
			m.row("", name, cell{"", r.Result.Recipe}, cell{"", r.Result.Data},
				cell{"n", words(r.Result.Metric) + " " + fraction(r.Result.Valid.Mean)}, cell{"n", fraction(k.MRR)},
				cell{"n", percent(k.Hits1)}, cell{"n", percent(k.Hits10)}, cell{"n", percent(k.Hits10of50)},
				cell{"n", thousands(r.Result.Weights)}, cell{"n", duration(r.Result.Seconds)})
		}
	})
	m.raw("<p class=\"fine\">MRR and Hits of the test facts, by the best run of each folder as validation " +
		"chose it.</p>\n")
}
