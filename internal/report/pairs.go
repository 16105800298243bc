package report

import (
	"bytes"
	"cmp"
	"fmt"
	"html"
	"io"
	"path/filepath"
	"slices"

	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/internal/chart"
	"github.com/bloomgml/bloom/internal/durable"
	"github.com/bloomgml/bloom/internal/family"
	"github.com/bloomgml/bloom/internal/predicted"
	"github.com/bloomgml/bloom/internal/shell"
	"github.com/bloomgml/bloom/run"
)

// Pairs is everything about a run that tells which nodes are joined that its page shows: what the run folder holds, and
// no data.
type Pairs struct {
	Dir       string
	Result    run.Result
	Histories [][]run.Record   // the epochs of every run of a repeat
	Held      []predicted.Pair // the held-out pairs of the best run

	config []byte // config.yaml
}

// FamilyOf is what the run of a folder has trained.
func FamilyOf(dir string) (family.Family, error) {
	c, err := config.Load(config.Options{File: filepath.Join(dir, "config.yaml")})
	if err != nil {
		return "", err
	}
	return c.Family(), nil
}

// OpenPairs reads the folder of a run that tells which nodes are joined.
func OpenPairs(dir string) (*Pairs, error) {
	r := &Pairs{Dir: dir}
	err := readResult(dir, &r.Result, &r.config)
	if err != nil {
		return nil, err
	}
	if r.Histories, err = readHistories(dir, r.Result.Metric); err != nil {
		return nil, err
	}
	name := filepath.Join(dir, "predictions.csv")
	held, err := durable.ReadFile(name)
	if err != nil {
		return nil, err
	}
	r.Held, err = predicted.ReadPairs(name, bytes.NewReader(held))
	return r, err
}

// Page writes the page.
func (r *Pairs) Page(w io.Writer) error {
	var m markup
	lead := fmt.Sprintf("Which nodes are joined: a model of %s, by the embeddings of %s. Edges that choose and test "+
		"were held out of the graph.", r.Result.Data, r.Result.Recipe)
	m.page(r.Result.Recipe+" on "+r.Result.Data, lead, func() { r.body(&m) })
	return m.to(w)
}

// body writes the sections.
func (r *Pairs) body(m *markup) {
	m.list("tiles", r.tiles())
	if figures := present(r.curve(title(words(r.Result.Metric))+" of held-out edges", func(e run.Record) float64 {
		return e.Valid
	}), r.curve("Training loss", func(e run.Record) float64 { return e.Loss }),
		r.histogram()); len(figures) > 0 {
		m.section("learning", "Learning", func() { m.figures(figures) })
	}
	m.section("hard", "What it does not know", func() { r.hard(m) })
	for _, n := range r.Result.Warnings {
		m.f("<p>%s</p>\n", n)
	}
	m.section("repeat", "Again", func() {
		p := page{Config: string(r.config), Repeat: []string{
			shell.Command("bloom", "train", r.Dir+"/config.yaml", "--out", "again"),
			shell.Command("bloom", "audit", r.Dir), shell.Command("bloom", "report", r.Dir)}}
		p.again(m)
	})
}

// tiles are the headline numbers.
func (r *Pairs) tiles() []fact {
	score := func(name string, s run.Score) fact {
		f := fact{Name: name + " " + words(r.Result.Metric), Value: "–", More: "no such edges"}
		if n := len(s.Runs); n > 0 {
			f.Value, f.More = fraction(s.Mean), ""
			if n > 1 {
				f.More = fmt.Sprintf("± %s over %d runs", fraction(s.SD), n)
			}
		}
		return f
	}
	return []fact{score("Test", r.Result.Test), score("Validation", r.Result.Valid),
		{"Weights", thousands(r.Result.Weights), "trained numbers"},
		{"Training", duration(r.Result.Seconds), thousands(r.Result.Epochs) + " epochs"}}
}

// curve draws a number of the epochs of every run.
func (r *Pairs) curve(title string, f func(run.Record) float64) *chart.Chart {
	var curves []chart.Curve
	for _, h := range r.Histories {
		xs, ys := column(h, f)
		curves = append(curves, chart.Curve{Ink: chart.Series(0), X: xs, Y: ys, Thin: len(r.Histories) > 2})
	}
	return chart.Lines(title, chart.Axes{Below: "epoch", Count: true}, curves...)
}

// probabilityBins is how many bars a histogram of probabilities has.
const probabilityBins = 20

// histogram counts held-out pairs by probability.
func (r *Pairs) histogram() *chart.Chart {
	yes, no := make([]float64, probabilityBins), make([]float64, probabilityBins)
	for _, x := range r.Held {
		to := no
		if x.Joined {
			to = yes
		}
		to[bin(x.Probability, 0, 1, probabilityBins)]++
	}
	if len(r.Held) == 0 {
		return nil
	}
	return chart.Bars("Held-out pairs by probability", chart.Axes{Below: "probability of being joined", Count: true},
		0, 1,
		chart.Group{Name: "joined", Ink: chart.Series(0), Counts: yes}, chart.Group{Name: "not joined",
			Ink: chart.Series(1), Counts: no}).Saying(
		"As many pairs that are not joined were drawn as there are held-out edges.")
}

// hard shows the held-out edges that were least expected.
func (r *Pairs) hard(m *markup) {
	list := slices.DeleteFunc(slices.Clone(r.Held), func(x predicted.Pair) bool { return !x.Joined })
	slices.SortStableFunc(list, func(a, b predicted.Pair) int { return cmp.Compare(a.Probability, b.Probability) })
	m.raw("<p>Held-out edges that it finds least likely: what it has not learnt, or edges to look " +
		"at.</p>\n<figure>\n<h3>Least expected</h3>\n")
	m.table([]string{"source", "target", "probability#", "part"}, func() {
		for _, x := range list[:min(12, len(list))] {
			m.row("", html.EscapeString(x.Source), cell{"", x.Target}, cell{"n", fraction(x.Probability)},
				cell{"", x.Split})
		}
	})
	m.raw("</figure>\n")
}

// ComparePairs writes a page about several runs that tell which nodes are joined.
func ComparePairs(w io.Writer, runs ...*Pairs) error {
	dirs, configs := make([]string, len(runs)), make([][]byte, len(runs))
	for i, r := range runs {
		dirs[i], configs[i] = r.Dir, r.config
	}
	names := namesOf(dirs)
	c := comparison{Heads: names, Differ: differencesOf(configs)}
	var m markup
	m.page("Comparison of runs", fmt.Sprintf("%d runs about links. Only those on the same data can be compared, and "+
		"validation is what one may choose by.", len(runs)), func() {
		m.section("runs", "Runs", func() {
			m.table([]string{"run", "recipe", "data", "metric", "test#", "validation#", "weights#", "time#"}, func() {
				for i, r := range runs {
					x := r.Result
					m.row("", html.EscapeString(names[i]), cell{"", x.Recipe}, cell{"", x.Data},
						cell{"", words(x.Metric)}, cell{"n", fraction(x.Test.Mean)}, cell{"n", fraction(x.Valid.Mean)},
						cell{"n", thousands(x.Weights)}, cell{"n", duration(x.Seconds)})
				}
			})
		})
		c.rest(&m)
	})
	return m.to(w)
}
