package main

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/bloomgml/bloom/metric"
	"github.com/bloomgml/bloom/train"
)

// tableOf is a table of n rows by a format of their numbers.
func tableOf(header string, n int, row func(i int) string) []byte {
	b := []byte(header + "\n")
	for i := range n {
		b = append(b, row(i)+"\n"...)
	}
	return b
}

// TestBadInput: data that little or nothing can be learnt from gets a sentence that says what to do, or the best honest
// answer, and never a score that means nothing.
func TestBadInput(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "e.csv", tableOf("source,target", 60, func(i int) string { return fmt.Sprintf("n%d,n%d", i, (i+7)%60) }))
	write(t, "one.csv", []byte("source,target\nn0,n1\n"))
	y := func(i int) int { return i * 7 % 3 % 2 }
	for name, c := range map[string]struct {
		header string
		row    func(i int) string
		edges  string
		code   int
		want   string
	}{
		"no-labels": {"id,a,y", func(i int) string { return fmt.Sprintf("n%d,%d,", i, i) }, "e.csv", exitData, "label"},
		"one-class": {"id,a,y", func(i int) string { return fmt.Sprintf("n%d,%d,yes", i, i) }, "e.csv", exitData,
			`all labelled nodes have the class "yes"`},
		"copy": {"id,a,y", func(i int) string { return fmt.Sprintf("n%d,%d,%d", i, y(i)*2, y(i)) }, "e.csv", exitDone,
			`column "a" is a copy of the label`},
		"all-missing": {"id,a,b,y", func(i int) string { return fmt.Sprintf("n%d,,,%d", i, y(i)) }, "e.csv", exitDone,
			"cross-validated"},
		"wide": {"id," + wideHeader(90) + ",y",
			func(i int) string { return fmt.Sprintf("n%d,%s,%d", i, wideRow(i, 90), y(i)) }, "e.csv", exitDone,
			"cross-validated"},
		"few-edges": {"id,a,y", func(i int) string { return fmt.Sprintf("n%d,%d,%d", i, i%5, y(i)) }, "one.csv",
			exitDone, "cross-validated"},
		"three": {"id,a,y", func(i int) string {
			return fmt.Sprintf("n%d,%d,%s", i, i%5, []string{"yes", "no", "yes", ""}[min(i, 3)])
		}, "e.csv", exitDone, "cross-validated"},
	} {
		write(t, name+".csv", tableOf(c.header, 60, c.row))
		_, said, code := bloom(t, "data", "import", "--nodes", name+".csv", "--edges", c.edges, "--id", "id", "--label",
			"y", "--task", "class", "--out", name+".bloom")
		if code == exitDone {
			var out, more string
			out, more, code = bloom(t, "train", "--data", name+".bloom", "--candidates", "closed,trees", "--out",
				"run-"+name)
			said += out + more
		}
		if code != c.code || !strings.Contains(said, c.want) {
			t.Errorf("%s: exit %d, want %d and %q:\n%s", name, code, c.code, c.want, said)
		}
		if strings.Contains(said, "test accuracy") {
			t.Errorf("%s: there is no test set:\n%s", name, said)
		}
	}
}

// readText is the text of a file.
func readText(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func wideHeader(n int) string {
	var names []string
	for j := range n {
		names = append(names, fmt.Sprintf("c%d", j))
	}
	return strings.Join(names, ",")
}

func wideRow(i, n int) string {
	var cells []string
	for j := range n {
		cells = append(cells, fmt.Sprint((i*31+j*17)%23))
	}
	return strings.Join(cells, ",")
}

// TestRace: on tables that nobody has divided, train compares recipes by folds, trains the best one on all labels, says
// what its score is, and gives conformal sets by out-of-fold answers. A test set is there where one is asked for; a
// split in the table is obeyed.
func TestRace(t *testing.T) {
	t.Chdir(t.TempDir())
	part := []string{"train", "train", "valid", "test"}
	write(t, "n.csv", tableOf("id,a,b,y", 120, func(i int) string {
		return fmt.Sprintf("n%d,%d,%d,%s", i, i%2*3+i%5, i%7, []string{"no", "yes"}[i%2])
	}))
	write(t, "s.csv", tableOf("id,a,b,y,split", 120, func(i int) string {
		return fmt.Sprintf("n%d,%d,%d,%s,%s", i, i%2*3+i%5, i%7, []string{"no", "yes"}[i%2], part[i/2%4])
	}))
	write(t, "e.csv", tableOf("source,target", 120, func(i int) string { return fmt.Sprintf("n%d,n%d", i, (i+2)%120) }))
	result := func(line string) (r train.Result) {
		text := done(t, line+" --json")
		if err := json.Unmarshal([]byte(text), &r); err != nil {
			t.Fatal(err, text)
		}
		return r
	}
	for _, name := range []string{"n", "s"} {
		done(t, "data import --nodes "+name+".csv --edges e.csv --id id --label y --out "+name+".bloom")
	}
	r := result("train --data n.bloom --candidates closed,trees --out folds")
	if r.Folds != 5 || len(r.Test.Runs) != 0 || len(r.Valid.Runs) != 5 || len(r.Candidates) != 2 || r.Closed == nil {
		t.Errorf("%+v", r)
	}
	again := result("train --data n.bloom --candidates closed,trees --out again")
	for _, file := range []string{"model.safetensors", "folds.csv"} {
		if readText(t, "folds/"+file) != readText(t, "again/"+file) {
			t.Errorf("%s differs between two runs, with %v and %v", file, r.Valid, again.Valid)
		}
	}
	if _, said, code := bloom(t, "predict", "folds", "--coverage", "0.9"); code != exitDone ||
		!strings.Contains(said, "calibrated on 120 nodes that were not trained on") ||
		strings.Contains(said, "test nodes") {
		t.Errorf("exit %d: %s", code, said)
	}
	if r = result("train --data n.bloom --candidates closed,trees --holdout 0.25 --out held"); r.Folds != 5 ||
		len(r.Test.Runs) != 1 {
		t.Errorf("with a test set: %+v", r)
	}
	if r = result("train --data s.bloom --candidates closed,trees --out split"); r.Folds != 0 ||
		len(r.Test.Runs) != 1 || len(r.Candidates) != 2 {
		t.Errorf("with a split: %+v", r)
	}
	if _, said, code := bloom(t, "train", "--data", "n.bloom", "--recipe", "base", "--budget", "5s"); code !=
		exitUsage || !strings.Contains(said, "--recipe") {
		t.Errorf("exit %d: %s", code, said)
	}
}

// TestScored wants scores and errors without exponents, whatever their size.
func TestScored(t *testing.T) {
	for _, c := range []struct {
		score, err float64
		want       string
	}{{0.5683, 0.0284, "0.568 ± 0.028"}, {37521.8, 982.4, "37,522 ± 982"}, {61264.1, 1608.2, "61,264 ± 1,608"},
		{4.7, 0.67, "4.70 ± 0.67"}} {
		got := scored(train.Candidate{Score: metric.Nullable(c.score), Error: metric.Nullable(c.err)})
		if got != c.want {
			t.Errorf("%g with an error of %g is %q, want %q", c.score, c.err, got, c.want)
		}
	}
}
