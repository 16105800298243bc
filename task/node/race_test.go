package node_test

import (
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/internal/generate"
	"github.com/bloomgml/bloom/task/node"
	"github.com/bloomgml/bloom/train"
)

// undivided is a generated graph as an import leaves one that nobody has divided.
func undivided(t *testing.T, ref string) *dataset.Dataset {
	t.Helper()
	d, _, err := generate.Make(ref)
	if err != nil {
		t.Fatal(err)
	}
	d.DrawnSplit = true
	return d
}

// folded is a config of a recipe with folds.
func folded(t *testing.T, recipe string, set ...string) config.Config {
	t.Helper()
	c, err := config.Load(config.Options{Recipe: recipe, Data: "-",
		Set: append([]string{"data.folds=3", "train.epochs=20"}, set...)})
	if err != nil {
		t.Fatal(err)
	}
	return *c
}

// TestFoldsTeach: a model with folds learns from all labelled nodes but those that are held out, whatever the split of
// the data, and its folder has an out-of-fold answer for each of them.
func TestFoldsTeach(t *testing.T) {
	d := undivided(t, "csbm:nodes=120,classes=2,homophily=0.8,signal=2,seed=5")
	dir := filepath.Join(t.TempDir(), "run")
	c := folded(t, "base", "data.holdout=0.25")
	r, err := node.Run(context.Background(), c, d, node.Options{Options: train.Options{Dir: dir}})
	if err != nil {
		t.Fatal(err)
	}
	run, err := node.Load(dir, node.Of(r).Config, d, node.Options{})
	if err != nil {
		t.Fatal(err)
	}
	labelled := 0
	for _, y := range d.Labels.Class {
		if y >= 0 {
			labelled++
		}
	}
	if s := run.Split; len(s.Train)+len(s.Test) != labelled || len(s.Valid) != 0 || len(s.Test) != labelled/4 {
		t.Errorf("%d nodes teach, %d validate and %d test of %d", len(s.Train), len(s.Valid), len(s.Test), labelled)
	}
	if r.Folds != 3 || len(r.Valid.Runs) != 3 || len(r.Test.Runs) != 1 {
		t.Errorf("%d folds, valid %v, test %v", r.Folds, r.Valid, r.Test)
	}
	text, err := os.ReadFile(filepath.Join(dir, "folds.csv"))
	if err != nil || strings.Count(string(text), "\n") != 1+len(run.Split.Train) {
		t.Errorf("folds.csv has %d lines for %d nodes, %v", strings.Count(string(text), "\n"), len(run.Split.Train),
			err)
	}
	if epochs := run.Config.Train.Epochs; epochs < 5 || epochs > 20 || run.Config.Train.Patience != 0 {
		t.Errorf("it was trained for %d epochs with patience %d", epochs, run.Config.Train.Patience)
	}
}

// TestRaceDivided: a split of the data is obeyed: candidates are compared on its validation nodes, and what is trained
// is the config of the best one up to its best epoch.
func TestRaceDivided(t *testing.T) {
	d, _, err := generate.Make("csbm:nodes=200,classes=2,homophily=0.9,signal=1,seed=3")
	if err != nil {
		t.Fatal(err)
	}
	r, err := node.Race(context.Background(), d, node.RaceOptions{Names: []string{"closed", "mlp", "base"}})
	if err != nil {
		t.Fatal(err)
	}
	if r.Folds != 0 || r.Config.Data.Folds != 0 || len(r.Candidates) != 3 || r.Closed == nil {
		t.Errorf("%+v", r)
	}
	if epochs := r.Config.Train.Epochs; r.Name != "closed" && (epochs < 5 || epochs > 300 || epochs%5 != 0) {
		t.Errorf("%s is trained for %d epochs", r.Name, epochs)
	}
	for _, c := range r.Candidates {
		if c.Folds != 1 || math.IsNaN(float64(c.Score)) || math.IsNaN(float64(c.Error)) || c.Why != "" {
			t.Errorf("%+v", c)
		}
	}
}

// TestRaceBudget: whatever the time, there is the closed form; what did not end says so, and few begin.
func TestRaceBudget(t *testing.T) {
	d := undivided(t, "csbm:nodes=150,classes=2,homophily=0.8,signal=1,seed=3")
	for _, drawn := range []bool{true, false} {
		d.DrawnSplit = drawn
		r, err := node.Race(context.Background(), d, node.RaceOptions{Budget: time.Nanosecond})
		if err != nil || r.Name != "closed" || len(r.Candidates) != 2 ||
			!strings.Contains(r.Candidates[1].Why, "budget") {
			t.Errorf("%+v, %v", r, err)
		}
	}
}

// TestRaceSameBits: the same candidates with the same seed give the same scores, choice and epochs.
func TestRaceSameBits(t *testing.T) {
	race := func() *node.Raced {
		d := undivided(t, "csbm:nodes=150,classes=2,homophily=0.8,signal=1,seed=3")
		r, err := node.Race(context.Background(), d, node.RaceOptions{Names: []string{"closed", "trees", "base"}})
		if err != nil {
			t.Fatal(err)
		}
		for i := range r.Candidates {
			r.Candidates[i].Seconds = 0
		}
		return r
	}
	a, b := race(), race()
	if !reflect.DeepEqual(a.Candidates, b.Candidates) || a.Name != b.Name ||
		a.Config.Train.Epochs != b.Config.Train.Epochs {
		t.Errorf("%+v, %+v", a, b)
	}
	if a.Folds != 5 || a.Config.Data.Folds != 5 {
		t.Errorf("%d folds, %d in the config", a.Folds, a.Config.Data.Folds)
	}
}

// TestRaceResumes: a race that was stopped goes on with what it had trained, and ends as if it had not been stopped.
func TestRaceResumes(t *testing.T) {
	for _, drawn := range []bool{true, false} {
		d := undivided(t, "csbm:nodes=150,classes=2,homophily=0.8,signal=1,seed=3")
		d.DrawnSplit = drawn
		o := node.RaceOptions{Names: []string{"closed", "trees", "base"}}
		whole, err := node.Race(context.Background(), d, o)
		if err != nil {
			t.Fatal(err)
		}
		ctx, stop := context.WithCancel(context.Background())
		defer stop()
		o.Dir = t.TempDir()
		seconds := map[string]float64{}
		o.Report = func(_ string, c train.Candidate) {
			if seconds[c.Name] = c.Seconds; c.Name == "trees" {
				stop()
			}
		}
		if _, err := node.Race(ctx, d, o); !errors.Is(err, context.Canceled) {
			t.Fatalf("a race that is stopped: %v", err)
		}
		files, _ := filepath.Glob(filepath.Join(o.Dir, "*.trial"))
		if want := map[bool]int{true: 7, false: 2}[drawn]; len(files) != want {
			t.Errorf("%d trials are kept, want %d", len(files), want)
		}
		o.Report = func(_ string, c train.Candidate) {
			if was := seconds[c.Name]; was > 0 && c.Folds < 5 && c.Seconds != was {
				t.Errorf("%s took %v s, and before it was stopped %v", c.Name, c.Seconds, was)
			}
		}
		again, err := node.Race(context.Background(), d, o)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range []*node.Raced{whole, again} {
			for i := range r.Candidates {
				r.Candidates[i].Seconds = 0
			}
		}
		if !reflect.DeepEqual(whole.Candidates, again.Candidates) || whole.Name != again.Name ||
			!reflect.DeepEqual(whole.Config, again.Config) || !reflect.DeepEqual(whole.Score, again.Score) {
			t.Errorf("%+v, stopped in between %+v", whole, again)
		}
	}
}

// TestRaceUninformative: where no answer is better than the most frequent class, candidates are compared by the order
// of nodes.
func TestRaceUninformative(t *testing.T) {
	d := undivided(t, "csbm:nodes=300,classes=2,homophily=0.5,signal=0.1,seed=3")
	for v := range d.Labels.Class {
		d.Labels.Class[v] = 0
		if v%5 == 0 {
			d.Labels.Class[v] = 1
		}
	}
	r, err := node.Race(context.Background(), d, node.RaceOptions{Names: []string{"closed", "trees"}})
	if err != nil || r.Metric != "roc_auc" || string(r.Config.Train.Metric) != "roc_auc" {
		t.Errorf("%+v, %v", r, err)
	}
}

// TestRaceRefuses: data that nothing can be learnt from is turned down in words.
func TestRaceRefuses(t *testing.T) {
	names := node.RaceOptions{Names: []string{"closed", "trees"}}
	d := undivided(t, "csbm:nodes=60,classes=2,seed=3")
	d.Labels.Names = d.Labels.Names[:1]
	clear(d.Labels.Class)
	_, err := node.Race(context.Background(), d, names)
	var bad *train.BadData
	if !errors.As(err, &bad) || !strings.Contains(bad.Text, "learnt from one class") {
		t.Errorf("one class: %v", err)
	}
	d = undivided(t, "csbm:nodes=60,classes=2,seed=3")
	for v := range d.Labels.Class[1:] {
		d.Labels.Class[v+1] = -1
	}
	if _, err = node.Race(context.Background(), d, names); !errors.As(err, &bad) ||
		!strings.Contains(bad.Text, "1 label") {
		t.Errorf("one label: %v", err)
	}
	if _, err = node.Race(context.Background(), d, node.RaceOptions{Names: []string{"tree"}}); err == nil ||
		!strings.Contains(err.Error(), "trees") {
		t.Errorf("an unknown candidate: %v", err)
	}
}
