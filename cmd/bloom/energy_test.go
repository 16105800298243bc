package main

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/bloomgml/bloom/internal/inspect"
	"github.com/bloomgml/bloom/internal/show"
	"github.com/bloomgml/bloom/recipe"
)

// TestEnergySnapshots compares what the user sees when the output is no terminal with testdata; -update rewrites it.
func TestEnergySnapshots(t *testing.T) {
	for _, c := range []struct {
		name, line string
		code       int
	}{
		{"help", "energy --help", exitDone},
		{"base", "energy base --nodes 12 --steps 4", exitDone},
		{"heterophily-huber", "energy heterophily-huber", exitDone},
		{"distmult", "energy distmult --steps 3 --seed 7", exitDone},
		{"adam", "energy adam --steps 2", exitDone},
		{"file", "energy testdata/energy/mine.yaml", exitDone},
		{"json-file", "energy testdata/energy/mine.json", exitDone},
		{"message-holds", "energy --message transe", exitDone},
		{"message-fails", "energy --message relu-difference", exitDone},
		{"message-phi", "energy --message gcn-phi", exitDone},
		{"message-typo", "energy --message lapalce", exitUsage},
		{"message-recipe", "energy base --message gcn", exitUsage},
		{"none", "energy", exitUsage},
		{"typo", "energy robst", exitUsage},
		{"steps", "energy base --steps -5", exitUsage},
		{"nodes", "energy base --nodes 1", exitUsage},
		{"missing", "energy testdata/energy/absent.yaml", exitData},
		{"key", "energy testdata/energy/key.yaml", exitData},
		{"word", "energy testdata/energy/word.yaml", exitData},
		{"value", "energy testdata/energy/value.yaml", exitData},
		{"syntax", "energy testdata/energy/syntax.yaml", exitData},
		{"coupled", "energy testdata/energy/coupled.yaml", exitData},
		{"long", "energy testdata/energy/long.yaml", exitFailed},
		{"config", "energy testdata/config/mine.yaml --nodes 12 --steps 4", exitDone},
		{"path", "energy path", exitDone},
		{"zero", "energy zero --nodes 12 --steps 2", exitDone},
		{"config-path", "energy testdata/config/path.yaml --nodes 12", exitDone},
		{"config-key", "energy testdata/config/key.yaml", exitData},
		{"config-baseline", "energy testdata/config/baseline.yaml", exitData},
	} {
		t.Run(c.name, func(t *testing.T) {
			stdout, stderr, code := bloom(t, strings.Fields(c.line)...)
			if code != c.code {
				t.Errorf("exit code %d, want %d", code, c.code)
			}
			nearSnapshot(t, "energy-"+c.name, fmt.Sprintf("$ bloom %s\n-- stdout\n%s-- stderr\n%s-- exit %d\n", c.line,
				stdout, stderr, code))
		})
	}
}

// nearSnapshot is snapshot for text with numbers that rounding may change: other kernels and double precision round
// differently. Words must be equal, numbers to 1e-3.
func nearSnapshot(t *testing.T, name, got string) {
	t.Helper()
	got = strings.ReplaceAll(got, "float64", "float32")
	want, err := os.ReadFile(filepath.Join("testdata", name+".txt"))
	if *update || err != nil {
		snapshot(t, name, got)
		return
	}
	words, numbers := split(got)
	wantWords, wantNumbers := split(strings.ReplaceAll(string(want), "\r\n", "\n"))
	same := words == wantWords && len(numbers) == len(wantNumbers)
	for i := range numbers {
		same = same && math.Abs(numbers[i]-wantNumbers[i]) <= 6e-3+1e-3*math.Abs(wantNumbers[i])
	}
	if !same {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
}

var (
	aNumber = regexp.MustCompile(` *-?\d+(\.\d+)?(e[-+]\d+)?`)
	spaces  = regexp.MustCompile(` +`)
)

// split takes the numbers out of a text.
func split(text string) (words string, numbers []float64) {
	words = aNumber.ReplaceAllStringFunc(text, func(s string) string {
		v, err := strconv.ParseFloat(strings.TrimSpace(s), 64)
		if err != nil {
			return s
		}
		numbers = append(numbers, v)
		return " #"
	})
	return spaces.ReplaceAllString(words, " "), numbers
}

// TestEnergySVG: the drawing is well formed, has a point for every step and the terms that are not 0, and is replaced
// when it is drawn again.
func TestEnergySVG(t *testing.T) {
	t.Chdir(t.TempDir())
	for range 2 {
		if _, stderr, code := bloom(t, "energy", "base", "--nodes", "8", "--steps", "5", "--svg", "trace.svg"); code !=
			exitDone || stderr != "" {
			t.Fatalf("exit %d, %s", code, stderr)
		}
	}
	text, err := os.ReadFile("trace.svg")
	if err != nil {
		t.Fatal(err)
	}
	circles, words := 0, ""
	for in := xml.NewDecoder(bytes.NewReader(text)); ; {
		token, err := in.Token()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatalf("%v in %s", err, text)
		}
		switch x := token.(type) {
		case xml.StartElement:
			if x.Name.Local == "circle" {
				circles++
			}
		case xml.CharData:
			words += string(x) + "|"
		}
	}
	if circles != 6 || !strings.Contains(words, "Energy of base per step") || !strings.Contains(words, "nodes, κ") ||
		strings.Contains(words, "constraint") {
		t.Errorf("%d points and %q in %s", circles, words, text)
	}
	if _, stderr, code := bloom(t, "energy", "--message", "gcn", "--svg", "x.svg"); code != exitUsage {
		t.Errorf("exit %d, %s", code, stderr)
	}
}

// TestEnergyJSON: for every recipe the output is one line, an inspect.Report without other keys.
func TestEnergyJSON(t *testing.T) {
	for _, name := range recipe.Names() {
		stdout, stderr, code := bloom(t, "energy", name, "--json", "--nodes", "8", "--steps", "3")
		var got inspect.Report
		decoder := json.NewDecoder(strings.NewReader(stdout))
		decoder.DisallowUnknownFields()
		if err := decoder.Decode(&got); err != nil || code != exitDone || stderr != "" {
			t.Fatalf("%s: exit %d, %v, %s", name, code, err, stderr)
		}
		if got.Recipe != name || len(got.Trace) != 4 || !got.Gradient.OK || got.Graph.Nodes != 8 ||
			strings.Count(stdout, "\n") != 1 {
			t.Errorf("%s: %+v", name, got)
		}
	}
	stdout, _, _ := bloom(t, "energy", "base", "--json", "--nodes", "8", "--steps", "0")
	for _, key := range []string{"recipe", "summary", "source", "formula", "layer", "graph", "real_bits", "gradient",
		"bound", "descent", "steps"} {
		if !strings.Contains(stdout, `"`+key+`":`) {
			t.Errorf("no key %q in %s", key, stdout)
		}
	}
	var j inspect.Judgement
	stdout, _, _ = bloom(t, "energy", "--message", "mlp", "--json")
	if err := json.Unmarshal([]byte(stdout), &j); err != nil || j.Holds || j.Worst.I == 0 {
		t.Errorf("%v, %s", err, stdout)
	}
}

// TestEnergyStdin runs the example with a pipe.
func TestEnergyStdin(t *testing.T) {
	_, rest, ok := strings.Cut(newEnergy().Example, "echo '")
	text, tail, ok2 := strings.Cut(rest, "' | bloom energy -")
	if !ok || !ok2 || strings.TrimSpace(tail) != "" {
		t.Fatalf("no such example: %q", rest)
	}
	cmd := newEnergy()
	var out strings.Builder
	cmd.SetIn(strings.NewReader(text))
	cmd.SetOut(&out)
	cmd.SetArgs([]string{"-"})
	if err := cmd.ExecuteContext(t.Context()); err != nil || !strings.Contains(out.String(), "exp(−z²") {
		t.Errorf("%v, %s", err, out.String())
	}
}

// TestEnergyTerminal: on a terminal long traces are thinned; colours are another matter.
func TestEnergyTerminal(t *testing.T) {
	r, err := recipe.Find("base")
	if err != nil {
		t.Fatal(err)
	}
	found, err := inspect.Run(t.Context(), r, inspect.Options{Nodes: 6, Steps: 100, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	var plain, coloured strings.Builder
	printEnergy(&plain, false, true, found)
	printEnergy(show.NewWriter(&coloured), true, true, found)
	if strings.Contains(plain.String(), "\x1b") ||
		strings.Count(plain.String(), "\n") > 60 {
		t.Errorf("plain:\n%s", plain.String())
	}
	if !strings.Contains(coloured.String(), "\x1b[") {
		t.Error("no colour")
	}
}

// TestEnergyLevels: every level of a stack is shown, and descends in every step.
func TestEnergyLevels(t *testing.T) {
	stdout, stderr, code := bloom(t, "energy", "stack-bundle", "--steps", "3", "--json")
	var found inspect.Report
	if err := json.Unmarshal([]byte(stdout), &found); err != nil || code != exitDone {
		t.Fatalf("%v, exit %d, %s", err, code, stderr)
	}
	if len(found.Levels) != 24 { // the setting for minesweeper
		t.Fatalf("%d levels", len(found.Levels))
	}
	for _, l := range found.Levels {
		if len(l.Energy) != 4 || l.Drop <= 0 {
			t.Errorf("level %d: %v", l.Level, l.Energy)
		}
		for i := 1; i < len(l.Energy); i++ {
			if l.Energy[i] > l.Energy[i-1] {
				t.Errorf("level %d: %v", l.Level, l.Energy)
			}
		}
	}
	text, _, _ := bloom(t, "energy", "stack-laplace")
	if !strings.Contains(text, "Energy per level") || strings.Count(text, "\n") < 30 {
		t.Errorf("no levels in\n%s", text)
	}
	if text, _, _ = bloom(t, "energy", "base"); strings.Contains(text, "level") {
		t.Errorf("levels in\n%s", text)
	}
}
