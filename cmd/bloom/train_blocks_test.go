package main

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// TestTrainFromDisk trains on a graph that stays on the disk, uses the run, and looks at what cannot be trained so.
func TestTrainFromDisk(t *testing.T) {
	t.Chdir(t.TempDir())
	const ref = "planted:nodes=6000,edges=40000,features=12,classes=4,noise=0.3"
	out, _, code := bloom(t, "data", "blocks", ref, "x.bloom")
	if code != exitDone || !strings.Contains(out, "bloom train --data x.bloom") {
		t.Fatal(code, out)
	}
	wide := []string{"--data", "x.bloom", "--set", "model.hidden=2048", "--set", "energy.steps=3"}
	small := append([]string{"--memory", "300MiB"}, wide...)
	out, text, code := bloom(t, append([]string{"train", "--epochs", "4", "--json", "--out", "disk"}, small...)...)
	var result struct{ Test struct{ Mean float64 } }
	if err := json.Unmarshal([]byte(out), &result); code != exitDone || err != nil || result.Test.Mean < 0.9 {
		t.Errorf("exit %d, %v: %s", code, err, out)
	}
	if !strings.Contains(text, "3 steps are run once") || !strings.Contains(text, "π has one layer") {
		t.Errorf("it says %s", text)
	}
	if out, text, code := bloom(t, "predict", "disk"); code != exitDone || strings.Count(out, "\n") != 6001 {
		t.Errorf("predict: exit %d, %d lines, %s", code, strings.Count(out, "\n"), text)
	}
	all, text, code := bloom(t, "predict", "disk", "--data", "x.bloom", "--memory", "600MiB")
	if few, _, _ := bloom(t, "predict", "disk"); code != exitDone || !alike(all, few) {
		t.Errorf("predict of all nodes: exit %d, %d lines, %s", code, strings.Count(all, "\n"), text)
	}
	if _, text, code := bloom(t, "audit", "disk", "--data", "x.bloom"); code != exitUsage ||
		!strings.Contains(text, "stays on disk") {
		t.Errorf("audit of all nodes: exit %d, %s", code, text)
	}
	if _, text, code := bloom(t, append([]string{"train", "--out", "disk"}, small...)...); code != exitFailed ||
		!strings.Contains(text, "holds a run already") {
		t.Errorf("again: exit %d, %s", code, text)
	}
	out, text, code = bloom(t, append([]string{"estimate", "--json"}, small...)...)
	var e estimateLine
	if err := json.Unmarshal([]byte(out), &e); code != exitDone || err != nil || e.Disk == 0 || e.Way == "" ||
		e.Before <= 0 || e.Memory[0].Bytes > 300<<20 {
		t.Errorf("estimate: exit %d, %v, %s%s", code, err, out, text)
	}
	for _, c := range []struct {
		set, want string
		code      int
	}{
		{"--corrupt=rows=0.1", "on disk", exitUsage},
		{"--memory=1MiB", "need at least", exitData},
	} {
		line := append([]string{"train", "--out", "none"}, small...)
		if _, text, code := bloom(t, append(line, c.set)...); code != c.code || !strings.Contains(text, c.want) {
			t.Errorf("%s: exit %d, %s", c.set, code, text)
		}
	}
	if _, err := os.Stat("none"); err == nil {
		t.Error("a run that could not begin left a folder")
	}
}

// TestDropoutFromDisk trains with dropout of features on settled rows, which have their spread then, estimates that and
// goes on.
func TestDropoutFromDisk(t *testing.T) {
	t.Chdir(t.TempDir())
	if _, text, code := bloom(t, "data", "blocks", "planted:nodes=3000,edges=20000,features=12,classes=4,noise=0.3",
		"x.bloom"); code != exitDone {
		t.Fatal(text)
	}
	line := []string{"--data", "x.bloom", "--memory", "300MiB", "--set", "model.hidden=4096", "--set",
		"energy.steps=3", "--set", "model.input_dropout=0.5"}
	out, text, code := bloom(t, append([]string{"train", "--epochs", "4", "--json", "--out", "disk"}, line...)...)
	var result struct {
		Test     struct{ Mean float64 }
		Warnings []string
	}
	if err := json.Unmarshal([]byte(out), &result); code != exitDone || err != nil || result.Test.Mean < 0.9 ||
		strings.Contains(fmt.Sprint(result.Warnings), "spread") || !strings.Contains(text, "of 25 columns at a time") {
		t.Errorf("exit %d, %v: %s%s", code, err, out, text)
	}
	for _, args := range [][]string{append([]string{"estimate"}, line...), {"predict", "disk"},
		{"train", "--resume", "disk", "--epochs", "+1"}} {
		if _, text, code := bloom(t, args...); code != exitDone {
			t.Errorf("%v: exit %d, %s", args, code, text)
		}
	}
}

// TestRowsFromDisk trains with the rows that train on the disk, as they do not fit, and has the predictions of rows in
// memory; estimates that, and goes on to the same weights.
func TestRowsFromDisk(t *testing.T) {
	t.Chdir(t.TempDir())
	mostKept = 500
	t.Cleanup(func() { mostKept = 0 })
	if _, text, code := bloom(t, "data", "blocks", "planted:nodes=50000,edges=100000,features=12,classes=4,noise=0.3",
		"x.bloom"); code != exitDone {
		t.Fatal(text)
	}
	line := []string{"--data", "x.bloom", "--set", "model.hidden=256", "--set", "energy.steps=3", "--set",
		"model.input_dropout=0.2", "--memory"}
	train := func(memory, out, epochs string) string {
		args := append([]string{"train", "--epochs", epochs, "--out", out}, append(line, memory)...)
		_, text, code := bloom(t, args...)
		if code != exitDone {
			t.Fatalf("%s: exit %d, %s", memory, code, text)
		}
		return text
	}
	weights := func(out string) string {
		b, err := os.ReadFile(filepath.Join(out, "model.safetensors"))
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	if text := train("250MiB", "memory", "3"); strings.Contains(text, "read from the disk") {
		t.Errorf("it says %s", text)
	}
	if text := train("177MiB", "disk", "3"); !strings.Contains(text, "are read from the disk in every epoch") {
		t.Errorf("it says %s", text)
	}
	for _, memory := range []string{"177MiB", "190MiB"} {
		train("177MiB", memory, "1")
		_, text, code := bloom(t, "train", "--resume", memory, "--epochs", "+2", "--memory", memory)
		if code != exitDone {
			t.Errorf("resume: exit %d, %s", code, text)
		}
	}
	if weights("177MiB") != weights("disk") {
		t.Error("the run that went on has other weights")
	}
	all, _, _ := bloom(t, "predict", "memory")
	for _, dir := range []string{"disk", "190MiB"} {
		if some, text, code := bloom(t, "predict", dir); code != exitDone || !alike(all, some) {
			t.Errorf("predict %s: exit %d, %d lines, %s", dir, code, strings.Count(some, "\n"), text)
		}
	}
	out, text, code := bloom(t, append([]string{"estimate", "--json"}, append(line, "177MiB")...)...)
	var e estimateLine
	if err := json.Unmarshal([]byte(out), &e); code != exitDone || err != nil || e.Memory[0].Bytes > 177<<20 ||
		!strings.Contains(e.Way, "are read from the disk in every epoch") || e.Epoch <= 0 {
		t.Errorf("estimate: exit %d, %v, %s%s", code, err, out, text)
	}
}

// alike reports whether two tables of predictions have the rows of the second, with probabilities that differ by
// rounding alone.
func alike(all, some string) bool {
	of := func(text string) map[string]float64 {
		by := map[string]float64{}
		for _, line := range strings.Split(strings.TrimSpace(text), "\n")[1:] {
			cells := strings.Split(line, ",")
			by[cells[0]+cells[1]], _ = strconv.ParseFloat(cells[2], 64)
		}
		return by
	}
	a, b := of(all), of(some)
	for id, p := range b {
		if q, ok := a[id]; !ok || math.Abs(p-q) > 1e-3 {
			return false
		}
	}
	return len(a) >= len(b) && len(b) > 0
}

// TestNotLinear: where the descent is not linear, or π is not, parts of the graph are trained on.
func TestNotLinear(t *testing.T) {
	t.Chdir(t.TempDir())
	if _, text, code := bloom(t, "data", "blocks", "planted:nodes=6000,edges=40000,features=12,classes=4",
		"x.bloom"); code != exitDone {
		t.Fatal(text)
	}
	for set, why := range map[string]string{"--recipe=robust": "such as base", "--set=model.before=2": "a linear π"} {
		out, text, code := bloom(t, "estimate", "--json", "--data", "x.bloom", "--memory", "300MiB", "--set",
			"model.hidden=2048", "--set", "energy.steps=3", set)
		var e estimateLine
		if err := json.Unmarshal([]byte(out), &e); code != exitDone || err != nil || !strings.Contains(e.Way, why) ||
			!strings.Contains(e.Way, "training uses mini-batches") {
			t.Errorf("%s: exit %d, %v, %s%s", set, code, err, out, text)
		}
	}
}
