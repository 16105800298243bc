package main

import (
	"encoding/json"
	"os"
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
	if _, text, code := bloom(t, append([]string{"train", "--out", "disk"}, small...)...); code != exitFailed ||
		!strings.Contains(text, "holds a run already") {
		t.Errorf("again: exit %d, %s", code, text)
	}
	out, text, code = bloom(t, append([]string{"estimate", "--json"}, small...)...)
	var e estimateLine
	if err := json.Unmarshal([]byte(out), &e); code != exitDone || err != nil || e.Disk == 0 || e.Way == "" ||
		e.Settle <= 0 || e.Memory[0].Bytes > 300<<20 {
		t.Errorf("estimate: exit %d, %v, %s%s", code, err, out, text)
	}
	for _, c := range []struct {
		set, want string
		code      int
	}{
		{"--recipe=robust", "such as base", exitUsage},
		{"--set=model.before=2", "model.before", exitUsage},
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
