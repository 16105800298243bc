package report

import (
	"encoding/json"
	"fmt"
	"math"
	"path/filepath"
	"strings"

	"github.com/bloomgml/bloom/internal/chart"
	"github.com/bloomgml/bloom/internal/durable"
	"github.com/bloomgml/bloom/internal/fileerr"
	"github.com/bloomgml/bloom/run"
)

// runFolder is what the folder of every run holds.
type runFolder struct {
	Dir       string
	Result    run.Result
	Histories [][]run.Record // the epochs of every run of a repeat

	config []byte // config.yaml
}

// page is what the pages of all runs show.
type page struct {
	Title, Lead   string
	Tiles         []fact // the headline numbers
	Learning      []*chart.Chart
	Notes, Repeat []string // what a reader should know; commands that make the run again and look at it
	Config        string
}

// fact is a name with a value, and perhaps with more about it in small letters.
type fact struct{ Name, Value, More string }

// read reads the folder. Epochs have a value of metric, which is that of the result if it is empty.
func (f *runFolder) read(metric string) error {
	name := filepath.Join(f.Dir, "result.json")
	text, err := durable.ReadFile(name)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(text, &f.Result); err != nil {
		return fileerr.Because(name, err)
	}
	if f.config, err = durable.ReadFile(filepath.Join(f.Dir, "config.yaml")); err != nil {
		return err
	}
	if metric == "" {
		metric = f.Result.Metric
	}
	f.Histories, err = readHistories(f.Dir, metric)
	return err
}

func (f *runFolder) folder() *runFolder { return f }

func (f *runFolder) title() string { return f.Result.Recipe + " on " + f.Result.Data }

// score is a tile of a score, or of none.
func (f *runFolder) score(part string, s run.Score, format chart.Format, none string) fact {
	t := fact{Name: part + " " + words(f.Result.Metric), Value: "–", More: none}
	if n := len(s.Runs); n > 0 {
		t.Value, t.More = format(s.Mean), ""
		if n > 1 {
			t.More = fmt.Sprintf("± %s over %d runs", format(s.SD), n)
		}
	}
	return t
}

// effort is the tiles of the weights and of the time of training.
func (f *runFolder) effort() []fact {
	return []fact{{"Weights", thousands(f.Result.Weights), "trained numbers"},
		{"Training", duration(f.Result.Seconds), thousands(f.Result.Epochs) + " epochs"}}
}

// over draws a value of the epochs of every run; only the first has a name in the legend.
func (f *runFolder) over(name string, k chart.Ink, value func(run.Record) float64) []chart.Curve {
	var curves []chart.Curve
	for _, h := range f.Histories {
		xs, ys := column(h, value)
		curves = append(curves, chart.Curve{Name: name, Ink: k, X: xs, Y: ys, Thin: len(f.Histories) > 2})
		name = ""
	}
	return curves
}

// column is a value of every epoch that has it.
func column(h []run.Record, value func(run.Record) float64) (epochs, ys []float64) {
	for _, e := range h {
		if y := value(e); !math.IsNaN(y) {
			epochs, ys = append(epochs, float64(e.Epoch)), append(ys, y)
		}
	}
	return epochs, ys
}

func valid(e run.Record) float64 { return e.Valid }
func loss(e run.Record) float64  { return e.Loss }

// lossCurves shows ℓ_up.
func (f *runFolder) lossCurves(about string) *chart.Chart {
	return chart.Lines("Training loss", chart.Axes{Below: "epoch", Count: true},
		f.over("", chart.Series(2), loss)...).Saying(about)
}

// present are the charts that there is something to show on.
func present(charts ...*chart.Chart) []*chart.Chart {
	var list []*chart.Chart
	for _, c := range charts {
		if c != nil {
			list = append(list, c)
		}
	}
	return list
}

// words is the name of a metric as people write it.
func words(metric string) string {
	switch metric {
	case "roc_auc":
		return "ROC-AUC"
	case "mrr":
		return "MRR"
	}
	return strings.ReplaceAll(metric, "_", " ")
}

// title is s with a capital letter.
func title(s string) string { return strings.ToUpper(s[:1]) + s[1:] }
