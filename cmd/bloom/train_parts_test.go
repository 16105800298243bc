package main

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
)

// TestPartsFromDisk trains an energy that is neither linear nor convex on a graph that stays on the disk, uses the run,
// goes on, and predicts all nodes.
func TestPartsFromDisk(t *testing.T) {
	t.Chdir(t.TempDir())
	const ref = "planted:nodes=15000,edges=24000,features=8,classes=4,noise=0.3,train=0.01"
	if _, text, code := bloom(t, "data", "blocks", ref, "x.bloom"); code != exitDone {
		t.Fatal(text)
	}
	line := []string{"--data", "x.bloom", "--recipe", "heterophily", "--memory", "170MiB", "--set", "model.hidden=128",
		"--set", "energy.steps=2", "--set", "train.sample.fanout=3", "--set", "train.sample.hops=1"}
	out, text, code := bloom(t, append([]string{"train", "--epochs", "3", "--json", "--out", "disk"}, line...)...)
	var result struct{ Test struct{ Mean float64 } }
	if err := json.Unmarshal([]byte(out), &result); code != exitDone || err != nil || result.Test.Mean < 0.8 {
		t.Errorf("exit %d, %v: %s%s", code, err, out, text)
	}
	if !strings.Contains(text, "training uses mini-batches") {
		t.Errorf("it says %s", text)
	}
	if names, _ := os.ReadDir("disk"); len(names) == 0 || strings.Contains(names[len(names)-1].Name(), ".tmp") {
		t.Errorf("the folder has %v", names)
	}
	_, text, code = bloom(t, "train", "--resume", "disk", "--epochs", "+1", "--memory", "170MiB")
	if code != exitDone {
		t.Errorf("resume: exit %d, %s", code, text)
	}
	all, text, code := bloom(t, "predict", "disk", "--data", "x.bloom", "--memory", "170MiB")
	if code != exitDone || strings.Count(all, "\n") != 15001 || right(all) < 0.8 {
		t.Errorf("predict: exit %d, %d lines, %v right, %s", code, strings.Count(all, "\n"), right(all), text)
	}
	kept, text, code := bloom(t, "predict", "disk")
	if code != exitDone {
		t.Fatalf("predict: exit %d, %s", code, text)
	}
	first, _, _ := strings.Cut(kept[strings.Index(kept, "\n")+1:], ",")
	for _, args := range [][]string{{"audit", "disk", "--json"}, {"explain", "disk", "--node", first, "--json"},
		{"report", "disk"}} {
		out, text, code := bloom(t, args...)
		if code != exitDone || !strings.Contains(text, "of 15,000 nodes") ||
			len(args) > 2 && !strings.Contains(out, `"of":15000`) {
			t.Errorf("%v: exit %d, %s", args, code, text)
		}
	}
	if page, err := os.ReadFile("disk/report.html"); err != nil || !strings.Contains(string(page), "of 15,000 nodes") {
		t.Errorf("the page does not say what was kept: %v", err)
	}
	out, text, code = bloom(t, append([]string{"estimate", "--json"}, line...)...)
	var e estimateLine
	if err := json.Unmarshal([]byte(out), &e); code != exitDone || err != nil || e.Disk == 0 || e.Epoch <= 0 ||
		!strings.Contains(e.Way, "mini-batches") || e.Memory[0].Bytes > 170<<20 {
		t.Errorf("estimate: exit %d, %v, %s%s", code, err, out, text)
	}
	for _, name := range []string{"lp", "gr-mlp"} {
		_, text, code := bloom(t, "train", "--out", "none", "--data", "x.bloom", "--memory", "40MiB", "--recipe", name)
		if code != exitUsage || !strings.Contains(text, "such as base") {
			t.Errorf("%s: exit %d, %s", name, code, text)
		}
	}
}

// TestClustersFromDisk trains on clusters of a graph that stays on the disk, whose batch the memory decides, looks at
// the run, and refuses numbers of clusters that cannot be.
func TestClustersFromDisk(t *testing.T) {
	t.Chdir(t.TempDir())
	const ref = "planted:nodes=12000,edges=20000,features=8,classes=4,noise=0.3,train=0.1"
	if _, text, code := bloom(t, "data", "blocks", ref, "x.bloom"); code != exitDone {
		t.Fatal(text)
	}
	line := []string{"--data", "x.bloom", "--recipe", "heterophily", "--memory", "166MiB", "--set", "model.hidden=64",
		"--set", "energy.steps=2", "--set", "train.sample.hops=1", "--epochs", "2"}
	with := func(out, clusters string) (string, int) {
		_, text, code := bloom(t, append([]string{"train", "--out", out, "--set", "train.sample.clusters=" + clusters},
			line...)...)
		return text, code
	}
	if text, code := with("some", "1200"); code != exitDone || !strings.Contains(text, "clusters, 1,200 of them") {
		t.Errorf("exit %d, %s", code, text)
	}
	if _, text, code := bloom(t, "audit", "some"); code != exitDone {
		t.Errorf("audit: exit %d, %s", code, text)
	}
	for clusters, want := range map[string]string{"12001": "there are 12000 nodes", "1": "a cluster takes"} {
		if text, code := with("none", clusters); code == exitDone || !strings.Contains(text, want) {
			t.Errorf("%s clusters: exit %d, %s", clusters, code, text)
		}
	}
}

// right is the share of rows of a table of predictions whose label is known and predicted.
func right(table string) float64 {
	rows := strings.Split(strings.TrimSpace(table), "\n")
	column := map[string]int{}
	for i, name := range strings.Split(rows[0], ",") {
		column[name] = i
	}
	known, good := 0.0, 0.0
	for _, row := range rows[1:] {
		cells := strings.Split(row, ",")
		if label := cells[column["label"]]; label != "" {
			known++
			if label == cells[column["class"]] {
				good++
			}
		}
	}
	return good / max(1, known)
}
