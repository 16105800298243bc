package main

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/bloomgml/bloom/mat"
)

// TestRunKeepsPrecision: a command on a run rounds products as its training did.
func TestRunKeepsPrecision(t *testing.T) {
	t.Chdir(t.TempDir())
	t.Cleanup(func() { _ = mat.Round(mat.Float32) })
	for _, line := range []string{
		"train --data karate --recipe heterophily --out run --set train.epochs=3 --set train.precision=bf16",
		"predict run --out again.csv",
	} {
		if _, stderr, code := bloom(t, strings.Fields(line)...); code != exitDone {
			t.Fatalf("%s: exit %d, %s", line, code, stderr)
		}
	}
	want, err := os.ReadFile("run/predictions.csv")
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile("again.csv")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("predictions of training:\n%.200s\nof the run:\n%.200s", want, got)
	}
}
