package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/dataset/catalogue"
	"github.com/bloomgml/bloom/task/kinds"
)

// TestCells validates every file: it is read by an experiment, its keys are known, its settings decode, every number
// has what the paper says, and our result has a value for every seed.
func TestCells(t *testing.T) {
	seen := map[string]bool{}
	for _, e := range experiments {
		cells, err := e.Cells("cells")
		if err != nil {
			t.Fatal(err)
		}
		if len(cells) == 0 {
			t.Errorf("%s has no cells", e.ID)
		}
		for _, c := range cells {
			if seen[c.file] {
				continue
			}
			seen[c.file] = true
			if err := c.checkSettings(); err != nil {
				t.Error(err)
			}
			if strings.Contains(c.Data, ":") {
				var absent *catalogue.NotHereError
				if _, err := load(c.Data); err != nil && !errors.As(err, &absent) {
					t.Errorf("%s: %v", c.file, err)
				}
			} else if catalogue.Find(c.Data) == nil {
				t.Errorf("%s: %q is not in the catalogue", c.file, c.Data)
			}
		}
	}
	err := filepath.WalkDir("cells", func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && !seen[name] {
			t.Errorf("%s belongs to no experiment", name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// anyNumber is a number other than 0 in a configuration.
var anyNumber = regexp.MustCompile(`[0-9.]*[1-9][0-9.]*(e[-+]?[0-9]+)?`)

// kindOf is what of a data set says whether a key is read.
func kindOf(d *dataset.Dataset) string {
	return fmt.Sprint(d.IsLinks(), d.NumFeatures() > 0, len(d.Features) > 1, d.Literals > 0, len(d.Types) > 1,
		len(d.Relations) > 1, len(d.Splits) > 1, d.DrawnSplit, d.DrawnValid, d.Labels.Task, len(d.Labels.Names) > 2,
		d.Metric, d.Times != nil, d.Events != nil, d.Twin != nil, d.False[0] != nil)
}

// TestNoIdleKeys: the first and the last point of every cell whose data is here set no key that nothing reads. Whether
// something reads a key may hang on its being 0, and on no other number: of the settings on data of one kind that
// differ in such numbers alone one is tried.
func TestNoIdleKeys(t *testing.T) {
	if testing.Short() || os.Getenv("BLOOM_DATA") == "" {
		t.Skip("loads every data set of $BLOOM_DATA")
	}
	r, tried := &runner{open: map[string]*dataset.Dataset{}}, map[string]bool{}
	for _, e := range experiments {
		cells, err := e.Cells("cells")
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range cells {
			d, err := r.data(c.Data)
			if err != nil {
				continue // it is not here
			}
			points := c.Search.Points()
			for _, set := range [][]string{points[0], points[len(points)-1]} {
				cfg, err := c.Config(set...)
				if err != nil {
					t.Errorf("%s with %v: %v", c.file, set, err)
					continue
				}
				unnamed := *cfg
				unnamed.Data.Name = ""
				shape := kindOf(d) + string(anyNumber.ReplaceAll(plain(unnamed), []byte("#")))
				if tried[shape] {
					continue
				}
				tried[shape] = true
				if _, err := kinds.Of(cfg).Check(*cfg, d); err != nil {
					t.Errorf("%s with %v: %v", c.file, set, err)
				}
			}
		}
	}
	t.Log(len(tried), "shapes")
}

// TestResultsDiffer fails where two data sets have the very same runs: a result that was copied, not measured.
func TestResultsDiffer(t *testing.T) {
	first := map[string]*Cell{}
	for _, e := range experiments {
		cells, err := e.Cells("cells")
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range cells {
			for _, name := range []string{test, splits} {
				if c.Ours == nil || len(c.Ours.Numbers[name].Runs) < 3 {
					continue
				}
				runs := fmt.Sprint(c.Ours.Numbers[name].Runs)
				if o := first[runs]; o != nil && o.Data != c.Data {
					t.Errorf("%v and %v have the same runs %s", o, c, runs)
				}
				first[runs] = c
			}
		}
	}
}

// whole is a file that is right.
const whole = `# why
row: robust
data: cora
about: Huber
seeds: 2
budget: none
settings:
  recipe: robust
  data: {corrupt: "rows=0.2"}
search:
  seeds: 1
  set: [train.epochs=3]
  grid: {energy.f.lambda: [1, 5], energy.descent.gamma: [0.5, {forced: 2}]}
numbers:
  - {name: test, published: {mean: 65.83, sd: 2.28}, at_least: 65.8}
  - {name: detect, published: {none: the paper does not have it}}
ours:
  commit: abc
  date: 2026-01-02
  numbers:
    test: {mean: 66, sd: 1, runs: [65, 67]}
    detect: {mean: 90, sd: 0, runs: [90, 90]}
`

func TestParse(t *testing.T) {
	c, err := Parse("cells/noise/robust-cora.yaml", []byte(whole))
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"energy.f.lambda=1 energy.descent.gamma=0.5", "energy.f.lambda=1 energy.descent.gamma={forced: 2}",
		"energy.f.lambda=5 energy.descent.gamma=0.5", "energy.f.lambda=5 energy.descent.gamma={forced: 2}"}
	for i, p := range c.Search.Points() {
		if got := strings.Join(p, " "); got != want[i] {
			t.Errorf("point %d is %s, want %s", i, got, want[i])
		}
	}
	cfg, err := c.Config(c.Search.Points()[2]...)
	if err != nil {
		t.Fatal(err)
	}
	if cfg.Recipe != "robust" || cfg.Data.Name != "cora" || cfg.Data.Corrupt != "rows=0.2" || cfg.Energy.L != 8 {
		t.Errorf("config %+v: want robust with the settings for cora", cfg)
	}
}

// TestParseRefuses changes one thing of a file that is right.
func TestParseRefuses(t *testing.T) {
	cases := []struct{ old, new, want string }{
		{"seeds: 2\n", "seed: 2\n", "field seed not found"},
		{"seeds: 2\n", "seeds: 0\n", "seeds: 0"},
		{"seeds: 2\n", "seeds: 3\n", "2 values of 3 seeds"},
		{"about: Huber\n", "", "about: is empty"},
		{"budget: none\n", "", "budget: is empty"},
		{"row: robust\n", "row: base\n", "belongs in base-cora.yaml"},
		{"recipe: robust\n", "recip: robust\n", "recip"},
		{"recipe: robust\n", "recipe: robustt\n", "robustt"},
		{"mean: 65.83, sd: 2.28", "sd: 2.28", "mean is missing"},
		{"none: the paper does not have it", "none: ''", "mean is missing"},
		{"mean: 65.83,", "mean: 65.83, none: both,", "both a mean and none"},
		{"name: detect,", "name: test,", "is listed twice"},
		{"energy.f.lambda: [1, 5]", "energy.f.lamda: [1, 5]", "lamda"},
		{"energy.f.lambda: [1, 5]", "energy.f.lambda: 1", "want a list"},
		{"train.epochs=3", "train.epochs=-3", "train.epochs"},
		{"runs: [65, 67]", "runs: [65, 68]", "but the values have 66.5"},
		{"  commit: abc\n", "", "no commit"},
		{"date: 2026-01-02", "date: yesterday", "want a day"},
		{"    detect: {mean: 90, sd: 0, runs: [90, 90]}\n", "", "there is no result"},
		{"    detect: {mean: 90", "    recall: {mean: 90", "not among the numbers"},
		{"{mean: 66, sd: 1, runs: [65, 67]}", "{mean: 65, sd: 1, runs: [64, 66]}", "tried must say"},
	}
	for _, c := range cases {
		if !strings.Contains(whole, c.old) {
			t.Fatalf("the file has no %q", c.old)
		}
		text := strings.Replace(whole, c.old, c.new, 1)
		_, err := Parse("cells/noise/robust-cora.yaml", []byte(text))
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "robust-cora.yaml") {
			t.Errorf("%q for %q: error %v, want the file and %q", c.new, c.old, err, c.want)
		}
	}
}
