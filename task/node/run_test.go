package node

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/descent"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/metric"
	"github.com/bloomgml/bloom/recipe"
	"github.com/bloomgml/bloom/train"
)

func trained(t testing.TB, c config.Config, d *dataset.Dataset, o Options) *train.Result {
	t.Helper()
	r, err := Run(context.Background(), c, d, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func contents(t testing.TB, path ...string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(path...))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestRunFolder(t *testing.T) {
	d, dir := clusters(200), filepath.Join(t.TempDir(), "run")
	c := settings(t, "base")
	c.Train.Every = 5
	events := 0
	r := trained(t, c, d, Options{Energies: true, Options: train.Options{Dir: dir, Progress: func(e train.Event) {
		events++
		if e.Epoch%5 == 0 && !(e.End < e.Start) || e.Epochs != 20 || e.Runs != 1 || e.Epoch != events ||
			math.IsNaN(e.Valid) == (e.Epoch%5 == 0) {
			t.Errorf("event %+v", e)
		}
	}}})
	if events != 20 || r.Epochs != 20 || r.Test.Mean < 0.8 || r.Run != dir || r.Metric != "accuracy" ||
		len(r.Best) != 1 {
		t.Errorf("%d events, result %+v", events, r)
	}
	lines := strings.Split(strings.TrimSpace(string(contents(t, dir, "metrics.jsonl"))), "\n")
	for i, line := range lines {
		var rec struct {
			Epoch  int
			Loss   float64
			Valid  map[string]float64
			Energy struct{ Start, End float64 }
		}
		if err := json.Unmarshal([]byte(line), &rec); err != nil || rec.Epoch != i+1 || rec.Loss <= 0 ||
			(i%5 == 4) != (rec.Valid["accuracy"] > 0 && rec.Energy.End > 0) {
			t.Errorf("line %q: %v", line, err)
		}
	}
	names, _ := filepath.Glob(filepath.Join(dir, "events.out.tfevents.*"))
	if len(names) != 1 || len(lines) != 20 {
		t.Fatalf("events %v, %d lines", names, len(lines))
	}
	file, records, last := contents(t, names[0]), 0, 0
	for at := 0; at < len(file); at += 16 + int(binary.LittleEndian.Uint64(file[at:])) {
		records, last = records+1, at
	}
	if tags := bytes.Count(file[last:], []byte{0x15}); records != 21 || tags < 7 { // before every number
		t.Errorf("%d records, %d numbers in the last", records, tags)
	}
	for _, name := range []string{"config.yaml", "README.md", "result.json", "model.safetensors"} {
		if len(contents(t, dir, name)) == 0 {
			t.Errorf("%s is empty", name)
		}
	}
	var again train.Result
	if err := json.Unmarshal(contents(t, dir, "result.json"), &again); err != nil || again.Test.Mean != r.Test.Mean {
		t.Errorf("result.json: %v", err)
	}
	if bytes.Contains(contents(t, dir, "model.safetensors"), []byte(dir)) {
		t.Error("the model names its folder")
	}
	if _, err := Run(context.Background(), c, d, Options{Options: train.Options{Dir: dir}}); err == nil ||
		!strings.Contains(err.Error(), "holds a run already") {
		t.Errorf("a folder with a run was taken: %v", err)
	}
}

func TestPredictions(t *testing.T) {
	d, dir := clusters(200), t.TempDir()
	d.IDs = dataset.NewIDs(strings.Fields(strings.Repeat("a ", 200)))
	d.Labels.Class[199] = -1
	d.Splits[0].Test = d.Splits[0].Test[:len(d.Splits[0].Test)-1]
	r := trained(t, settings(t, "robust"), d, Options{Options: train.Options{Dir: dir}})
	rows, err := csv.NewReader(bytes.NewReader(contents(t, dir, "predictions.csv"))).ReadAll()
	if err != nil || len(rows) != 201 ||
		strings.Join(rows[0], " ") != "id class probability label split residual energy p:even p:odd" {
		t.Fatalf("%d rows, first %v, %v", len(rows), rows[0], err)
	}
	if rows[1][4] != "train" || rows[200][3] != "" || rows[200][4] != "" || rows[1][0] != "a" {
		t.Errorf("rows %v and %v", rows[1], rows[200])
	}
	right := 0
	for _, row := range rows[1:] {
		if row[4] == "test" && row[1] == row[3] {
			right++
		}
	}
	if got := float64(right) / float64(len(d.Splits[0].Test)); math.Abs(got-r.Test.Mean) > 1e-12 {
		t.Errorf("the rows have the accuracy %v, the result %v", got, r.Test.Mean)
	}
	// energies of nodes: as the model's own explanation has them
	i, err := Of(r).Inspect(0)
	if err != nil {
		t.Fatal(err)
	}
	p, err := Of(r).Predict()
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range []int32{0, 17, 199} {
		if want := i.Node(v); math.Abs(want.Total-p.Energy[v]) > 1e-5*(1+want.Total) || want.Residual != p.Residual[v] {
			t.Errorf("node %d: energy %v and residual %v, want %v and %v", v, p.Energy[v], p.Residual[v], want.Total,
				want.Residual)
		}
	}
}

// checkPredictions holds a model that was read from a folder to the predictions there.
func checkPredictions(t *testing.T, back *Trained, dir string) {
	t.Helper()
	p, err := back.Predict()
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := p.WriteCSV(&b); err != nil || !bytes.Equal(b.Bytes(), contents(t, dir, "predictions.csv")) {
		t.Errorf("%s: other predictions than the run's, %v", back.Config.Recipe, err)
	}
}

// TestLoad: a folder gives its predictions back, bit for bit.
func TestLoad(t *testing.T) {
	d := clusters(200)
	for _, name := range []string{"base", "heterophily", "gcn", "lp"} {
		c, dir := settings(t, name), t.TempDir()
		if name != "lp" {
			c.Model.Norm, c.Data.Corrupt = "batch", "rows=0.1"
		}
		if config.IsBaseline(name) {
			c.Model.Layers = 3
		} else if name != "lp" {
			c.Model.Before = 2
		}
		trained(t, c, d, Options{Options: train.Options{Dir: dir}})
		back, err := Load(dir, c, d, Options{})
		if err != nil {
			t.Fatal(err)
		}
		checkPredictions(t, back, dir)
	}
	c, dir := settings(t, "base"), t.TempDir()
	trained(t, c, d, Options{Options: train.Options{Dir: dir}})
	c.Model.Hidden++
	if _, err := Load(dir, c, d, Options{}); err == nil || !strings.Contains(err.Error(), "another network") {
		t.Errorf("weights of another network were taken: %v", err)
	}
}

// TestRepeat: the runs of a repeat equal single runs with their seeds and splits, files included.
func TestRepeat(t *testing.T) {
	d, dir := clusters(200), t.TempDir()
	c := settings(t, "base")
	c.Data.Splits, c.Train.Repeat = "all", 3
	r := trained(t, c, d, Options{Options: train.Options{Dir: dir}})
	var best []byte
	top := -1.0
	for i := range 3 {
		single, alone := c, t.TempDir()
		single.Data.Splits, single.Data.Split = "one", i%2
		single.Train.Repeat, single.Train.Seed = 1, c.Train.Seed+uint64(i)
		s := trained(t, single, d, Options{Options: train.Options{Dir: alone}})
		if s.Test.Mean != r.Test.Runs[i] || s.Valid.Mean != r.Valid.Runs[i] || s.Best[0] != r.Best[i] {
			t.Errorf("run %d: %v, alone %v", i, r.Test.Runs[i], s.Test.Mean)
		}
		sub := filepath.Join(dir, fmt.Sprintf("run-%02d", i))
		for _, name := range []string{"model.safetensors", "predictions.csv", "metrics.jsonl"} {
			if !bytes.Equal(contents(t, sub, name), contents(t, alone, name)) {
				t.Errorf("run %d: %s is not that of a single run", i, name)
			}
		}
		if s.Valid.Mean > top {
			top, best = s.Valid.Mean, contents(t, alone, "model.safetensors")
		}
	}
	if !bytes.Equal(best, contents(t, dir, "model.safetensors")) {
		t.Error("the model at the top is not that of the best run")
	}
	mean := (r.Test.Runs[0] + r.Test.Runs[1] + r.Test.Runs[2]) / 3
	variance := 0.0
	for _, x := range r.Test.Runs {
		variance += (x - mean) * (x - mean) / 3
	}
	if math.Abs(r.Test.Mean-mean) > 1e-12 || math.Abs(r.Test.SD-math.Sqrt(variance)) > 1e-12 {
		t.Errorf("mean %v and deviation %v of %v", r.Test.Mean, r.Test.SD, r.Test.Runs)
	}
}

// TestResume: a run that is interrupted in any epoch and resumed has the files of an undisturbed one.
func TestResume(t *testing.T) {
	d := clusters(200)
	for _, name := range []string{"adam", "sgd", "batch", "parts"} {
		c := settings(t, "robust")
		c.Train.Epochs, c.Train.Patience, c.Train.Repeat = 4, 3, 2
		variants[name](&c)
		whole := t.TempDir()
		want := trained(t, c, d, Options{Options: train.Options{Dir: whole}})
		dir := t.TempDir()
		for stop := 1; ; stop++ {
			ctx, cancel := context.WithCancel(context.Background())
			seen := 0
			r, err := Run(ctx, c, d, Options{Options: train.Options{Dir: dir, Resume: stop > 1,
				Progress: func(train.Event) {
					if seen++; seen == stop%3+1 {
						cancel()
					}
				}}})
			cancel()
			var in *train.Interrupted
			if errors.As(err, &in) {
				if !strings.Contains(err.Error(), "bloom train --resume "+dir) || !errors.Is(err, context.Canceled) {
					t.Fatalf("error %v", err)
				}
				continue
			}
			if err != nil {
				t.Fatal(err)
			}
			if stop < 3 || !slices.Equal(r.Test.Runs, want.Test.Runs) || !slices.Equal(r.Best, want.Best) {
				t.Errorf("%s: resumed %d times, tests %v, want %v", name, stop, r.Test.Runs, want.Test.Runs)
			}
			break
		}
		for _, file := range []string{"model.safetensors", "predictions.csv", "run-01/model.safetensors",
			"run-01/metrics.jsonl", "run-00/metrics.jsonl"} {
			if !bytes.Equal(contents(t, dir, file), contents(t, whole, file)) {
				t.Errorf("%s: %s differs from that of an undisturbed run", name, file)
			}
		}
	}
}

func TestEarlyStopping(t *testing.T) {
	c := settings(t, "base")
	c.Train.Epochs, c.Train.Patience = 500, 7
	if r := trained(t, c, clusters(200), Options{}); r.Epochs >= 500 {
		t.Error("patience of 7 epochs never ended")
	}
}

// TestNotFinite: the error says which number and when, the best model so far is kept, and a checkpoint is not
// overwritten.
func TestNotFinite(t *testing.T) {
	d, dir := clusters(200), t.TempDir()
	c := settings(t, "base")
	c.Train.Rate, c.Train.Optimizer, c.Model.Before, c.Model.After = 1e6, "sgd", 3, 3
	_, err := Run(context.Background(), c, d, Options{Options: train.Options{Dir: dir}})
	var bad *train.NotFinite
	if !errors.As(err, &bad) || bad.Epoch < 2 || bad.Kept != dir ||
		!strings.Contains(err.Error(), fmt.Sprintf("epoch %d: ", bad.Epoch)) {
		t.Fatalf("error %v", err)
	}
	if back, err := Load(dir, c, d, Options{}); err != nil || back.Epoch != bad.Best || bad.Best >= bad.Epoch {
		t.Errorf("%v, %v", back, err)
	}
	task, l := started(t, settings(t, "base"), d)
	advance(t, l, 3)
	p := task.network.Params()
	p[1].Value().Write(slices.Repeat([]mat.Real{mat.Real(math.Inf(1))}, p[1].Shape().Len()))
	before := p[0].Value().Slice()
	if err := l.Step(); !errors.As(err, &bad) || bad.Epoch != 4 || l.Epoch() != 3 ||
		!slices.Equal(before, p[0].Value().Slice()) {
		t.Errorf("epoch %d, error %v", l.Epoch(), err)
	}
}

func TestOddData(t *testing.T) {
	good := clusters(60)
	empty, err := graph.Build(graph.Spec{Nodes: 60, Undirected: true})
	if err != nil {
		t.Fatal(err)
	}
	for name, x := range map[string]struct {
		change        func(*dataset.Dataset)
		warning, fail string
	}{
		"no training nodes": {func(d *dataset.Dataset) { d.Splits = []dataset.Split{{Test: []int32{1}}} }, "",
			"no training nodes"},
		"no labels": {func(d *dataset.Dataset) { d.Labels = dataset.Labels{} }, "", "no labels"},
		"no splits": {func(d *dataset.Dataset) { d.Splits = nil }, "", "split 0 of 0"},
		"train, unlabelled": {func(d *dataset.Dataset) { d.Labels.Class = slices.Repeat([]int32{-1}, 60) }, "",
			"node 0 has no label"},
		"twice": {func(d *dataset.Dataset) { d.Splits = []dataset.Split{{Train: []int32{1, 1}}} }, "",
			"in the split twice"},
		"class only in test": {func(d *dataset.Dataset) {
			d.Splits = []dataset.Split{{Train: []int32{0, 2}, Valid: []int32{4}, Test: []int32{1}}}
		}, `"odd" (1 nodes)`, ""},
		"no edges": {func(d *dataset.Dataset) { d.Graph = empty }, "no edges", ""},
		"zeros":    {func(d *dataset.Dataset) { d.Features[0].Values = make([]mat.Real, 360) }, "are 0", ""},
		"NaN": {func(d *dataset.Dataset) {
			d.Features[0].Values = slices.Repeat([]mat.Real{mat.Real(math.NaN())},
				360)
		}, "", "not a finite number"},
		"no validation": {func(d *dataset.Dataset) {
			d.Splits = []dataset.Split{{Train: []int32{0, 1},
				Test: []int32{5, 6}}}
		}, "the last epoch is used", ""},
		"validation drawn": {func(d *dataset.Dataset) {
			d.Splits = []dataset.Split{{Train: good.Splits[0].Valid, Test: []int32{55, 56}}}
		}, "3 training nodes are used", ""},
		"no test": {func(d *dataset.Dataset) {
			d.Splits = []dataset.Split{{Train: []int32{0, 1},
				Valid: []int32{5, 6}}}
		}, "no test nodes", ""},
	} {
		d := *good
		d.Features = slices.Clone(good.Features)
		x.change(&d)
		r, err := Run(context.Background(), settings(t, "base"), &d, Options{Options: train.Options{Dir: t.TempDir()}})
		var bad *train.BadData
		switch {
		case x.fail != "":
			if !errors.As(err, &bad) || !strings.Contains(err.Error(), x.fail) {
				t.Errorf("%s: error %v, want %q", name, err, x.fail)
			}
		case err != nil || !strings.Contains(strings.Join(r.Warnings, "\n"), x.warning):
			t.Errorf("%s: error %v, result %+v", name, err, r)
		}
	}
}

func TestBadSettings(t *testing.T) {
	d := clusters(60)
	for want, change := range map[string]func(*config.Config){
		`"adm": want adam, adamw, sgd or adagrad`: func(c *config.Config) { c.Train.Optimizer = "adm" },
		"train.schedule":            func(c *config.Config) { c.Train.Schedule = "x" },
		"train.metric":              func(c *config.Config) { c.Train.Metric = "mrr" },
		"model.norm":                func(c *config.Config) { c.Model.Norm = "group" },
		"model.adjoint":             func(c *config.Config) { c.Model.Adjoint = "x" },
		"data.scale":                func(c *config.Config) { c.Data.Scale = "x" },
		"data.corrupt":              func(c *config.Config) { c.Data.Corrupt = "rows=2" },
		`train.rate: "0"`:           func(c *config.Config) { c.Train.Rate = 0 },
		`train.rate: "NaN"`:         func(c *config.Config) { c.Train.Rate = math.NaN() },
		"model.dropout":             func(c *config.Config) { c.Model.Dropout = 1 },
		"model.hidden":              func(c *config.Config) { c.Model.Hidden = 0 },
		"features are not logits":   func(c *config.Config) { c.Model.Before, c.Model.After = 0, 0 },
		"train.patience":            func(c *config.Config) { c.Train.Patience = -1 },
		"longest that is certified": func(c *config.Config) { c.Energy = tooLong(t) },
	} {
		c := settings(t, "base")
		change(&c)
		if _, err := Run(context.Background(), c, d, Options{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

// TestMetricWords: every word of train.metric is a metric, and classes take those that say something about them.
func TestMetricWords(t *testing.T) {
	for _, name := range words("train.metric")[1:] {
		m, ok := metric.ByName(name)
		if !ok {
			t.Errorf("%s is no metric", name)
		}
		c := settings(t, "base")
		c.Train.Metric = metric.Choice(name)
		d := clusters(100)
		if _, err := Build(c, d, Trials(c, d)[0], Options{}); (err == nil) != (m.About(metric.TaskClasses) != "") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// tooLong is base with steps that are too long.
func tooLong(t testing.TB) *recipe.Recipe {
	r := *settings(t, "base").Energy
	r.A = descent.Proximal(descent.Fixed(100), nil)
	return &r
}

// TestWeightsOfEdges: weights change what a recipe or a baseline learns, and those that do not use them refuse
// them, but not a graph whose weights are left out.
func TestWeightsOfEdges(t *testing.T) {
	plain := clusters(60)
	heavy := *plain
	triples := plain.Graph.Triples()
	spec := graph.Spec{Nodes: plain.Graph.NumNodes(), Triples: triples, Undirected: plain.Graph.Undirected()}
	for i := range triples {
		spec.Weights = append(spec.Weights, mat.Real(1+i%3))
	}
	var err error
	if heavy.Graph, err = graph.Build(spec); err != nil {
		t.Fatal(err)
	}
	for name, used := range map[string]bool{"base": true, "heterophily-huber": true, "attention": true, "gcn": true,
		"gat": false, "rgcn": false} {
		var logits [2][]mat.Real
		refused := false
		for i, d := range []*dataset.Dataset{plain, &heavy} {
			c := settings(t, name)
			task, err := Build(c, d, train.Trial{}, Options{})
			if err != nil && d == &heavy {
				refused, c.Data.Weights = true, "none"
				task, err = Build(c, d, train.Trial{}, Options{})
			}
			if err != nil {
				t.Fatal(err)
			}
			p, err := task.Predict()
			if err != nil {
				t.Fatal(err)
			}
			logits[i] = p.Logits.Slice()
		}
		if same := slices.Equal(logits[0], logits[1]); same == used || refused == used {
			t.Errorf("%s: the same logits %v, refused %v", name, same, refused)
		}
	}
}
