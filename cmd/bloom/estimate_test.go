package main

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"github.com/bloomgml/bloom/internal/host"
)

// TestEstimateText: what a person sees, with the figures taken out.
func TestEstimateText(t *testing.T) {
	figure := regexp.MustCompile(`([0-9]+m)?[0-9.]+(ms|s| kB| MB)|ends [0-9.e-]+`)
	process := regexp.MustCompile(`(?m)^process .*\n`)
	var shown strings.Builder
	for _, line := range []string{
		"estimate --data karate --recipe base --repeat 3", "estimate --data karate --recipe gcn",
		"estimate --data karate --recipe lp",
		"estimate --data karate --recipe base --set model.adjoint=implicit",
		"estimate --data family:families=1 --recipe complex --repeat 2",
		"estimate --data family:families=1 --recipe rotate-bilevel",
		"estimate --data family:families=1,twin=1 --recipe path --set model.hidden=8",
		"estimate --data family:families=1,twin=1 --recipe refactor",
	} {
		stdout, stderr, code := bloom(t, strings.Fields(line)...)
		if code != exitDone {
			t.Fatalf("%s: exit %d, %s", line, code, stderr)
		}
		shown.WriteString("$ bloom " + line + "\n" + stderr +
			figure.ReplaceAllString(process.ReplaceAllString(stdout, ""), "…"))
	}
	snapshot(t, "estimate", shown.String())
}

// TestEstimateKeys: the keys that other programs rely on.
func TestEstimateKeys(t *testing.T) {
	stdout, stderr, code := bloom(t, "estimate", "--data", "karate", "--recipe", "base", "--json", "--set",
		"train.epochs=10")
	var e estimateLine
	if err := json.Unmarshal([]byte(stdout), &e); err != nil || code != exitDone {
		t.Fatalf("exit %d, %v, %s", code, err, stderr)
	}
	if e.Data != "karate" || e.Recipe != "base" || e.Weights != 6530 || len(e.Memory) != 3 ||
		e.Memory[0].Adjoint != "unrolled" || e.Memory[0].Bytes <= 0 ||
		e.Epochs != 10 || e.Runs != 1 || e.Epoch <= 0 || e.Total <= e.Epoch {
		t.Errorf("%+v", e)
	}
	if h := host.This(); h.Free > 0 && e.Process < e.Memory[0].Bytes {
		t.Errorf("the process takes %d bytes, the network %d", e.Process, e.Memory[0].Bytes)
	}
}
