package report

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bloomgml/bloom/internal/files"
	"github.com/bloomgml/bloom/internal/show"
	"github.com/bloomgml/bloom/train"
)

// runFolder holds what every run folder has in common.
type runFolder struct {
	Dir       string
	Result    train.Result
	Histories [][]train.Record // the epochs of every run of a repeat

	config []byte // config.yaml
}

// page is the content that the pages of all runs share.
type page struct {
	Title, Lead   string
	Tiles         []tile // the headline numbers
	Learning      []*show.Chart
	Notes, Repeat []string // what a reader should know; commands that make the run again and look at it
	Config        string
}

// tile is a name with a value, and perhaps with more about it in small letters.
type tile struct{ Name, Value, More string }

// read reads the result and the config of the folder. It calls more for the metric of the epochs, which are read then;
// empty means the metric of the result.
func (f *runFolder) read(more func() (metric string, err error)) error {
	name := filepath.Join(f.Dir, "result.json")
	text, err := files.Read(name)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(text, &f.Result); err != nil {
		return files.Because(name, err)
	}
	if f.config, err = files.Read(filepath.Join(f.Dir, "config.yaml")); err != nil {
		return err
	}
	metric, err := more()
	if err == nil {
		f.Histories, err = readHistories(f.Dir, cmp.Or(metric, f.Result.Metric))
	}
	return err
}

// said returns what the data set said about itself, and what training found odd.
func (f *runFolder) said() []string { return slices.Concat(f.Result.Notes, f.Result.Warnings) }

func (f *runFolder) folder() *runFolder { return f }

func (f *runFolder) title() string { return f.Result.Recipe + " on " + f.Result.Data }

func (f *runFolder) score(part string, s train.Score, format show.Format, none string) tile {
	t := tile{Name: part + " " + words(f.Result.Metric), Value: "–", More: none}
	if n := len(s.Runs); n > 0 {
		t.Value, t.More = format(s.Mean), ""
		if n > 1 {
			t.More = fmt.Sprintf("± %s over %d runs", format(s.SD), n)
		}
	}
	return t
}

// effort returns the tiles of the weights and of the time of training.
func (f *runFolder) effort() []tile {
	return []tile{{"Parameters", show.Thousands(f.Result.Weights), "numbers learnt in training"},
		{"Training", duration(f.Result.Seconds), show.Thousands(f.Result.Epochs) + " epochs"}}
}

// over draws a value of the epochs of every run; only the first has a name in the legend.
func (f *runFolder) over(name string, k show.Ink, value func(train.Record) float64) []show.Curve {
	var curves []show.Curve
	for _, h := range f.Histories {
		xs, ys := column(h, value)
		curves = append(curves, show.Curve{Name: name, Ink: k, X: xs, Y: ys, Thin: len(f.Histories) > 2})
		name = ""
	}
	return curves
}

// column returns a value of every epoch that has it.
func column(h []train.Record, value func(train.Record) float64) (epochs, ys []float64) {
	for _, e := range h {
		if y := value(e); !math.IsNaN(y) {
			epochs, ys = append(epochs, float64(e.Epoch)), append(ys, y)
		}
	}
	return epochs, ys
}

func valid(e train.Record) float64 { return e.Valid }
func loss(e train.Record) float64  { return e.Loss }

// lossCurves shows ℓ_up.
func (f *runFolder) lossCurves(about string) *show.Chart {
	return show.LineChart("Training loss", show.Axes{Below: "epoch", Count: true},
		f.over("", show.Series(2), loss)...).Saying(about)
}

// present returns the charts that there is something to show on.
func present(charts ...*show.Chart) []*show.Chart {
	return slices.DeleteFunc(charts, func(c *show.Chart) bool { return c == nil })
}

// words returns the name of a metric as people write it.
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

// line is one of metrics.jsonl.
type line struct {
	Epoch              int
	Loss, Rate         float64
	Train, Valid, Test map[string]float64
	Energy             struct{ Start, End float64 }
}

// readRecords reads the epochs of a metrics.jsonl, by the metric that the run chose its epoch with; what a line leaves
// out is NaN. A last line that a killed run did not finish is left out.
func readRecords(name string, text []byte, metric string) ([]train.Record, error) {
	var records []train.Record
	nan := math.NaN()
	part := func(m map[string]float64) float64 {
		if v, ok := m[metric]; ok {
			return v
		}
		return nan
	}
	for one := range bytes.Lines(text) {
		if one[len(one)-1] != '\n' {
			break
		}
		l := line{Loss: nan, Rate: nan, Energy: struct{ Start, End float64 }{nan, nan}}
		if err := json.Unmarshal(one, &l); err != nil {
			return nil, files.ErrorAt(name, len(records)+1, "not a line of metrics: %v", err)
		}
		records = append(records, train.Record{Epoch: l.Epoch, Loss: l.Loss, Rate: l.Rate,
			Scores: train.Scores{Train: part(l.Train), Valid: part(l.Valid), Test: part(l.Test), Start: l.Energy.Start,
				End: l.Energy.End}})
	}
	return records, nil
}

// readHistories reads the epochs of all runs of a folder: its own, or the epochs of run-00, run-01, … below it.
func readHistories(dir, metric string) ([][]train.Record, error) {
	logs, err := fs.Glob(os.DirFS(dir), "run-*/metrics.jsonl")
	if err != nil {
		return nil, err
	}
	if files.Exists(filepath.Join(dir, "metrics.jsonl")) {
		logs = []string{"metrics.jsonl"}
	}
	var all [][]train.Record
	for _, file := range logs {
		name := filepath.Join(dir, filepath.FromSlash(file))
		text, err := files.Read(name)
		if err != nil {
			return nil, err
		}
		records, err := readRecords(name, text, metric)
		if err != nil {
			return nil, err
		}
		all = append(all, records)
	}
	return all, nil
}
