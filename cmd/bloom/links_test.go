package main

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/link"
	"github.com/bloomgml/bloom/train"
)

// TestResumeLinks: a run on a knowledge graph that was stopped goes on, and ends as if it had not been.
func TestResumeLinks(t *testing.T) {
	t.Chdir(t.TempDir())
	typed := func(line string) string {
		stdout, stderr, code := bloom(t, checks, strings.Fields(line)...)
		if code != exitDone {
			t.Fatalf("%s: exit %d, %s", line, code, stderr)
		}
		return stdout
	}
	want := typed("train --data family:families=1 --recipe complex --set model.hidden=8 --set train.epochs=5 --out whole")
	c, err := config.Load(config.Options{File: "whole/config.yaml"})
	if err != nil {
		t.Fatal(err)
	}
	d, err := dataset.Open(c.Data.Name)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	_, err = link.Run(ctx, *c, d, link.Options{Dir: "stopped", Progress: func(train.Event) { stop() }})
	if !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "continue with: bloom train --resume stopped") {
		t.Fatal(err)
	}
	if got := typed("train --resume stopped"); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	a, err1 := os.ReadFile("whole/model.safetensors")
	b, err2 := os.ReadFile("stopped/model.safetensors")
	if err1 != nil || err2 != nil || string(a) != string(b) {
		t.Errorf("another model, errors %v and %v", err1, err2)
	}
}
