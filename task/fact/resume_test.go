package fact

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bloomgml/bloom/internal/files"
	"github.com/bloomgml/bloom/train"
)

// TestResume: a run of any family that is told to stop says how to go on, and when it does it leaves the same files as
// one that never stopped.
func TestResume(t *testing.T) {
	for _, x := range runs {
		t.Run(x.recipe, func(t *testing.T) {
			c, d := opened(t, x.recipe, "family:families=1,twin=1", x.set...)
			dir := t.TempDir()
			whole, parts := filepath.Join(dir, "whole"), filepath.Join(dir, "parts")
			if _, err := Run(context.Background(), c, d,
				Options{Untested: true, Options: train.Options{Dir: whole}}); err != nil {
				t.Fatal(err)
			}
			ctx, stop := context.WithCancel(context.Background())
			defer stop()
			_, err := Run(ctx, c, d, Options{Options: train.Options{Dir: parts, Progress: func(e train.Event) {
				if e.Epoch == 2 {
					stop()
				}
			}}})
			var stopped *train.Interrupted
			if !errors.As(err, &stopped) || stopped.Epoch != 2 ||
				!strings.Contains(err.Error(), "bloom train --resume") {
				t.Fatal(err)
			}
			r, err := Run(context.Background(), c, d,
				Options{Untested: true, Options: train.Options{Dir: parts, Resume: true}})
			if err != nil {
				t.Fatal(err)
			}
			if r.Epochs != c.Train.Epochs {
				t.Errorf("%d epochs, want %d", r.Epochs, c.Train.Epochs)
			}
			same(t, whole, parts, "model.safetensors", "metrics.jsonl", "config.yaml")
		})
	}
}

// same compares files of two folders.
func same(t *testing.T, a, b string, names ...string) {
	t.Helper()
	for _, name := range names {
		x, err1 := os.ReadFile(filepath.Join(a, name))
		y, err2 := os.ReadFile(filepath.Join(b, name))
		if err := errors.Join(err1, err2); err != nil || !bytes.Equal(x, y) {
			t.Errorf("%s is another file, error %v", name, err)
		}
	}
}

// TestResumeRepeat: of several runs, those that were done stay as they are, the one that stopped goes on, and the
// others follow.
func TestResumeRepeat(t *testing.T) {
	c, d := opened(t, "complex", kin, "train.epochs=3", "train.repeat=3", "model.hidden=8", "train.checkpoint=1ns")
	dir := t.TempDir()
	whole, parts := filepath.Join(dir, "whole"), filepath.Join(dir, "parts")
	want, err := Run(context.Background(), c, d, Options{Options: train.Options{Dir: whole}})
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	_, err = Run(ctx, c, d, Options{Options: train.Options{Dir: parts, Progress: func(e train.Event) {
		if e.Run == 1 && e.Epoch == 2 {
			stop()
		}
	}}})
	var stopped *train.Interrupted
	if !errors.As(err, &stopped) || stopped.Run != 1 || stopped.Epoch != 2 {
		t.Fatal(err)
	}
	got, err := Run(context.Background(), c, d, Options{Options: train.Options{Dir: parts, Resume: true}})
	if err != nil {
		t.Fatal(err)
	}
	if got.Test.Mean != want.Test.Mean || got.Valid.SD != want.Valid.SD {
		t.Errorf("test %v, want %v", got.Test, want.Test)
	}
	same(t, whole, parts, "model.safetensors", "predictions.csv", "run-00/metrics.jsonl", "run-01/metrics.jsonl",
		"run-02/model.safetensors")
}

// TestResumeOther: a checkpoint of another model, or half of one, is an error with its file.
func TestResumeOther(t *testing.T) {
	c, d := opened(t, "complex", kin, "train.epochs=2", "model.hidden=8")
	dir := filepath.Join(t.TempDir(), "run")
	if _, err := Run(context.Background(), c, d, Options{Untested: true,
		Options: train.Options{Dir: dir}}); err != nil {
		t.Fatal(err)
	}
	for _, change := range []func(){func() { c.Model.Hidden = 16 }, func() { c.Train.Seed++ },
		func() { c.Recipe = "rotate" }} {
		old := c
		change()
		var bad *files.Error
		if _, err := Run(context.Background(), c, d,
			Options{Options: train.Options{Dir: dir, Resume: true}}); !errors.As(err, &bad) ||
			!strings.Contains(err.Error(), "config.yaml: the run has") {
			t.Errorf("%v", err)
		}
		c = old
	}
	file := filepath.Join(dir, "checkpoint", "last.safetensors")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, text[:len(text)/2], 0o666); err != nil {
		t.Fatal(err)
	}
	var bad *files.Error
	if _, err := Run(context.Background(), c, d,
		Options{Options: train.Options{Dir: dir, Resume: true}}); !errors.As(err, &bad) {
		t.Errorf("%v", err)
	}
}
