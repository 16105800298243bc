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

// TestServeKeepsPrecision: runs are served with products rounded as in their training, where all have the same; else it
// says which of them are not.
func TestServeKeepsPrecision(t *testing.T) {
	t.Chdir(t.TempDir())
	t.Cleanup(func() { _ = mat.Round(mat.Float32) })
	for _, p := range []string{"bf16", "float32"} {
		line := "train --data karate --recipe base --out " + p + " --set train.epochs=1 --set train.precision=" + p
		if _, stderr, code := bloom(t, strings.Fields(line)...); code != exitDone {
			t.Fatalf("%s: exit %d, %s", line, code, stderr)
		}
	}
	rounds := func() bool { // 1 + 2⁻¹⁰ needs more bits than bf16 has
		a, b, out := mat.FromSlice(1, 1, []mat.Real{1 + 1./1024}), mat.FromSlice(1, 1, []mat.Real{1}), mat.New(1, 1)
		mat.MatMul(out, a, b, mat.NN, 1, 0)
		return out.Item() == 1
	}
	for _, c := range []struct {
		runs   []string
		rounds bool
		says   string
	}{
		{[]string{"bf16"}, true, ""}, {[]string{"float32"}, false, ""},
		{[]string{"bf16", "float32"}, false, "bf16: trained with train.precision bf16, and answered in float32"},
	} {
		_ = mat.Round(mat.Float32)
		said := ""
		roundAs(func(text string) { said += text }, c.runs)
		if rounds() != c.rounds || said != c.says {
			t.Errorf("%v: products are rounded %t, and it says %q", c.runs, rounds(), said)
		}
	}
}
