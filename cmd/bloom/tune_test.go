package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/dataset/catalogue"
	"github.com/bloomgml/bloom/internal/show"
	"github.com/bloomgml/bloom/internal/tune"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/task/node"
	"github.com/bloomgml/bloom/train"
)

// TestTuneSnapshots compares what the user sees with testdata; -update rewrites it.
func TestTuneSnapshots(t *testing.T) {
	out := t.TempDir()
	for _, c := range []struct {
		name, line string
		code       int
	}{
		{"tune-help", "tune --help", exitDone},
		{"tune-two", "tune a b", exitUsage},
		{"tune-no-space", "tune --data karate --recipe gcn", exitUsage},
		{"tune-space-typo", "tune --data karate --space heterofily", exitUsage},
		{"tune-sampler", "tune --data karate --space testdata/tune/good.yaml --sampler gp", exitUsage},
		{"tune-pruner", "tune --data karate --space testdata/tune/good.yaml --pruner all", exitUsage},
		{"tune-trials", "tune --data karate --space testdata/tune/good.yaml --trials 0", exitUsage},
		{"tune-jobs", "tune --data karate --space testdata/tune/good.yaml --jobs 3 --threads 2", exitUsage},
		{"tune-key", "tune --data karate --space testdata/tune/key.yaml", exitData},
		{"tune-range", "tune --data karate --space testdata/tune/range.yaml", exitData},
		{"tune-word", "tune --data karate --space testdata/tune/word.yaml", exitData},
		{"tune-fixed", "tune --data karate --space testdata/tune/fixed.yaml", exitData},
		{"tune-recipe", "tune --data karate --recipe base --space testdata/tune/recipe.yaml", exitUsage},
		{"tune-data", "tune --data nowhere --space testdata/tune/good.yaml", exitUsage},
	} {
		snapshotOf(t, c.name, c.line, c.code, "--out", out)
	}
	if files, _ := os.ReadDir(out); len(files) > 0 {
		t.Errorf("mistakes left %v behind", files)
	}
}

// csbmStudy is the command line of a small study.
func csbmStudy(dir string, more ...string) []string {
	line := "tune --data csbm --recipe base --set train.epochs=12 --space testdata/tune/good.yaml --sampler random " +
		"--seed 3 --out " + dir
	return append(strings.Fields(line), more...)
}

// TestTune: a study prints its best trials and the command that repeats the best one, which has exactly its validation
// metric; the config that is left behind is the same.
func TestTune(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "study")
	stdout, stderr, code := bloom(t, csbmStudy(dir, "--trials", "6", "--pruner", "none")...)
	if code != exitDone {
		t.Fatalf("exit %d: %s", code, stderr)
	}
	lines := strings.Split(strings.TrimSpace(stdout), "\n")
	if len(lines) != 9 || !strings.HasPrefix(lines[0], "valid accuracy  trial  train.rate") ||
		strings.Contains(stdout, "test") {
		t.Errorf("table:\n%s", stdout)
	}
	stdout, stderr, code = bloom(t, csbmStudy(dir, "--trials", "6", "--pruner", "none", "--json")...)
	var result tuneResult
	if err := json.Unmarshal([]byte(stdout), &result); err != nil || code != exitDone || result.Trials != 6 ||
		result.Complete != 6 || strings.Contains(stderr, "trial ") {
		t.Fatalf("nothing is left to do, but: exit %d, %v, %s%s", code, err, stdout, stderr)
	}
	for _, args := range [][]string{strings.Fields(lines[8])[1:], {"train", filepath.Join(dir, "best.yaml")}} {
		stdout, stderr, code := bloom(t, append(args, "--json", "--out", t.TempDir())...)
		var again train.Result
		if err := json.Unmarshal([]byte(stdout), &again); err != nil || code != exitDone ||
			again.Valid.Mean != result.Best.Valid {
			t.Errorf("%v: exit %d, %v, %s%s, want %v", args, code, err, stdout, stderr, result.Best.Valid)
		}
	}
}

// TestTuneRaces: without a recipe for the user's own data, the search starts from the best recipe of a race, and a
// study that goes on keeps its beginning.
func TestTuneRaces(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "n.csv", tableOf("id,a,b,y", 60, func(i int) string {
		return fmt.Sprintf("n%d,%d,%d,%s", i, i%2*3+i%5, i%7, []string{"no", "yes"}[i%2])
	}))
	write(t, "e.csv", tableOf("source,target", 60, func(i int) string { return fmt.Sprintf("n%d,n%d", i, (i+2)%60) }))
	done(t, "data import --nodes n.csv --edges e.csv --id id --label y --out n.bloom")
	write(t, "space.yaml", []byte("train.rate: {float: [0.001, 0.1], log: true}\n"))
	line := "tune --data n.bloom --set train.epochs=20 --space space.yaml --out study --json --trials "
	_, said, code := bloom(t, strings.Fields(line+"1")...)
	if code != exitDone || !strings.Contains(said, "candidate  ") {
		t.Fatalf("exit %d: %s", code, said)
	}
	var begin beginning
	if err := json.Unmarshal([]byte(readText(t, "study/begin.json")), &begin); err != nil || begin.Recipe == "" {
		t.Fatalf("%v: %+v", err, begin)
	}
	stdout, said, code := bloom(t, strings.Fields(line+"2")...)
	if code != exitDone || strings.Contains(said, "candidate  ") || !strings.Contains(stdout, `"trials":2`) ||
		!strings.Contains(stdout, `"recipe":"`+begin.Recipe+`"`) {
		t.Errorf("exit %d: %s%s", code, stdout, said)
	}
}

// TestTuneJobs: two trials at a time give the values of one at a time.
func TestTuneJobs(t *testing.T) {
	var values [2]string
	for i, jobs := range []string{"1", "2"} {
		dir := filepath.Join(t.TempDir(), "study")
		stdout, stderr, code := bloom(t, csbmStudy(dir, "--trials", "6", "--pruner", "none", "--jobs", jobs,
			"--threads", "3")...)
		if code != exitDone {
			t.Fatalf("exit %d: %s", code, stderr)
		}
		var rows []string // without the numbers of trials, which follow the order of their beginnings
		for _, line := range strings.Split(strings.TrimSpace(stdout), "\n")[1:7] {
			rows = append(rows, strings.Join(slices.Delete(strings.Fields(line), 1, 2), " "))
		}
		slices.Sort(rows)
		values[i] = strings.Join(rows, "\n")
	}
	if values[0] != values[1] {
		t.Errorf("one at a time:\n%s\ntwo:\n%s", values[0], values[1])
	}
}

// stopper is standard error that stops the command when the first trial is told.
type stopper struct {
	bytes.Buffer
	stop func()
}

func (s *stopper) Write(b []byte) (int, error) {
	if bytes.HasPrefix(b, []byte("trial 2")) {
		s.stop()
	}
	return s.Buffer.Write(b)
}

// TestTuneStopped: Ctrl-C ends with 130 and a sentence that says how to go on, and going on gives the study that was
// not stopped.
func TestTuneStopped(t *testing.T) {
	threads := mat.Threads()
	t.Cleanup(func() { mat.SetThreads(threads) })
	whole, dir := filepath.Join(t.TempDir(), "whole"), filepath.Join(t.TempDir(), "stopped")
	want, _, _ := bloom(t, csbmStudy(whole, "--trials", "6", "--json")...)
	ctx, stop := context.WithCancel(t.Context())
	stderr := &stopper{stop: stop}
	code := execute(ctx, newRoot(commands()...), csbmStudy(dir, "--trials", "6", "--json"), io.Discard, stderr)
	if code != exitStopped || !strings.Contains(stderr.String(),
		"the same command with --out "+show.ShellCommand(dir)+" continues it.\nbloom: stopped\n") {
		t.Fatalf("exit %d: %s", code, stderr)
	}
	got, _, code := bloom(t, csbmStudy(dir, "--trials", "6", "--json")...)
	if code != exitDone || strings.ReplaceAll(got, dir, whole) != want {
		t.Errorf("exit %d\ngot  %swant %s", code, got, want)
	}
}

// TestTuneNeverReadsTest: the value of a trial does not change when the labels of all test nodes do.
func TestTuneNeverReadsTest(t *testing.T) {
	d, err := catalogue.Open("csbm")
	if err != nil {
		t.Fatal(err)
	}
	cfg, err := config.Load(config.Options{Recipe: "base", Data: "csbm", Set: []string{"train.epochs=12"}})
	if err != nil {
		t.Fatal(err)
	}
	turned := *d
	turned.Labels.Class = slices.Clone(d.Labels.Class)
	for _, v := range d.Splits[0].Test {
		turned.Labels.Class[v] = (d.Labels.Class[v] + 1) % int32(len(d.Labels.Names))
	}
	var results []string
	for _, data := range []*dataset.Dataset{d, &turned} {
		s := &search{cmd: newTune(), options: config.Options{Recipe: "base", Data: "csbm",
			Set: []string{"train.epochs=12"}}, base: cfg, data: data}
		study := tune.Study{Space: tune.Space{{Key: "train.rate",
			Domain: tune.Domain{Low: 0.001, High: 0.1, Log: true}}}, Trials: 5, Pruner: tune.Median{Startup: 2}}
		r, err := study.Run(t.Context(), s.objective)
		if err != nil || r.Best() == nil {
			t.Fatal(err)
		}
		text := ""
		for _, x := range r.Trials {
			text += fmt.Sprintln(x.State, x.Point, x.Value, x.Reports, x.Error)
		}
		results = append(results, text)
	}
	if results[0] != results[1] {
		t.Errorf("with other test labels:\n%s\n%s", results[0], results[1])
	}
}

// always prunes at a step.
type always struct{ step int }

func (a always) Prune(_ tune.Direction, _ []*tune.Record, t *tune.Record) bool {
	return t.Reports[len(t.Reports)-1].Step >= a.step
}

// TestTunePrunes: a trial that is to end does end, early and with the last report.
func TestTunePrunes(t *testing.T) {
	d, err := catalogue.Open("csbm")
	if err != nil {
		t.Fatal(err)
	}
	o := config.Options{Recipe: "base", Data: "csbm", Set: []string{"train.epochs=1000000", "train.patience=0"}}
	cfg, err := config.Load(o)
	if err != nil {
		t.Fatal(err)
	}
	cfg.Train.Epochs = 100 // reports every second epoch
	s := &search{cmd: newTune(), options: o, base: cfg, data: d}
	study := tune.Study{Space: tune.Space{{Key: "train.rate", Domain: tune.Domain{Choices: []any{0.01}}}}, Trials: 1,
		Pruner: always{6}}
	r, err := study.Run(t.Context(), s.objective)
	if err != nil || r.Count(tune.Pruned) != 1 || r.Trials[0].Value != r.Trials[0].Reports[2].Value {
		t.Fatalf("%v, %+v", err, r)
	}
	for i, x := range r.Trials[0].Reports {
		if x.Step != 2*(i+1) {
			t.Errorf("report %d is at step %d", i, x.Step)
		}
	}
}

// TestWatch: over several runs a report is the mean of the best of each so far, at steps that go on from run to run.
func TestWatch(t *testing.T) {
	var reports []tune.Report
	study := tune.Study{Space: tune.Space{{Key: "x", Domain: tune.Domain{Choices: []any{1}}}}, Trials: 1}
	r, err := study.Run(t.Context(), func(_ context.Context, trial *tune.Trial) (float64, error) {
		w := watch{trial: trial, epochs: 200}
		var failed error
		for _, e := range []struct {
			run, epoch int
			best       float64
		}{{0, 3, 0.1}, {0, 5, 0.2}, {0, 6, 0.3}, {0, 9, 0.4}, {1, 4, 0.6}, {1, 8, 0.8}} {
			failed = errors.Join(failed, w.report(train.Event{Run: e.run, Record: train.Record{Epoch: e.epoch},
				Best: train.Record{Scores: train.Scores{Valid: e.best}}}))
		}
		return 0, failed
	})
	if err != nil {
		t.Fatal(err)
	}
	reports = r.Trials[0].Reports
	want := []tune.Report{{Step: 4, Value: 0.2}, {Step: 8, Value: 0.4}, {Step: 204, Value: 0.5},
		{Step: 208, Value: 0.6}}
	if len(reports) != len(want) {
		t.Fatalf("got %v, want %v", reports, want)
	}
	for i, x := range reports {
		if x.Step != want[i].Step || math.Abs(x.Value-want[i].Value) > 1e-12 {
			t.Errorf("got %v, want %v", reports, want)
		}
	}
}

// TestShippedSpaces: every value of every space makes a config of the recipes that it is for.
func TestShippedSpaces(t *testing.T) {
	for name, recipes := range map[string][]string{
		"heterophily":          {"heterophily", "heterophily-huber", "heterophily-edge", "base"},
		"halo":                 {"halo", "halo-huber", "halo-logcosh"},
		"heterophily-training": {"heterophily", "heterophily-huber"},
		"robust":               {"base", "robust", "robust-logcosh"},
	} {
		space, err := tune.FindSpace(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, recipe := range recipes {
			s := &search{cmd: newTune(), space: name, options: config.Options{Recipe: recipe}}
			for _, p := range space {
				for _, value := range p.Domain.Extremes() {
					if _, err := s.load([]string{p.Key + "=" + tune.Text(value)}); err != nil {
						t.Errorf("%s with %s: %v", recipe, name, err)
					}
				}
			}
		}
	}
}

// TestTuneLeavesIdleKeysOut: at a point whose other keys make one idle, the best config is one that can be trained.
func TestTuneLeavesIdleKeysOut(t *testing.T) {
	d, err := catalogue.Open("csbm:nodes=60")
	if err != nil {
		t.Fatal(err)
	}
	s := &search{cmd: newTune(), data: d, options: config.Options{Recipe: "base", Data: "csbm:nodes=60"}}
	for _, x := range []struct{ set, left string }{
		{"model.before=0 model.hidden=8 train.rate=0.1", "model.before=0 train.rate=0.1"},
		{"model.before=1 model.hidden=8", "model.before=1 model.hidden=8"},
	} {
		cfg, left, err := s.read(strings.Fields(x.set))
		if err != nil || strings.Join(left, " ") != x.left {
			t.Fatalf("%s: %v, %v", x.set, left, err)
		}
		if _, err := node.Build(*cfg, d, node.Trials(*cfg, d)[0], node.Options{}); err != nil {
			t.Errorf("%s: %v", x.set, err)
		}
	}
}
