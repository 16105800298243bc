package node_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/internal/generate"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/mat/mattest"
	"github.com/bloomgml/bloom/task/node"
	"github.com/bloomgml/bloom/train"
)

// repeated trains four runs into dir, some at a time.
func repeated(t *testing.T, ctx context.Context, dir, together string, o train.Options) (*train.Result, error) {
	t.Helper()
	d, _, err := generate.Make("csbm:nodes=120,seed=5")
	if err != nil {
		t.Fatal(err)
	}
	c, err := config.Load(config.Options{Recipe: "robust", Data: d.Name, Set: []string{"train.epochs=12",
		"model.hidden=8", "train.repeat=4", "data.splits=all", "train.together=" + together}})
	if err != nil {
		t.Fatal(err)
	}
	o.Dir = dir
	return node.Run(ctx, *c, d, node.Options{Options: o})
}

// sameFiles compares what runs left: models, predictions and logs.
func sameFiles(t *testing.T, a, b string) {
	t.Helper()
	for _, name := range []string{"model.safetensors", "predictions.csv", "run-00/metrics.jsonl",
		"run-02/model.safetensors", "run-03/metrics.jsonl", "run-03/predictions.csv"} {
		x, err1 := os.ReadFile(filepath.Join(a, name))
		y, err2 := os.ReadFile(filepath.Join(b, name))
		if err1 != nil || err2 != nil || string(x) != string(y) {
			t.Errorf("%s of %s and %s differ, or %v, %v", name, a, b, err1, err2)
		}
	}
}

// TestTogether: runs at the same time have the files, scores and choice of runs one by one, also where they were
// stopped in the middle and go on; listeners hear of one epoch at a time, and how many are done.
func TestTogether(t *testing.T) {
	threads := mat.Threads()
	mat.SetThreads(4)
	defer mat.SetThreads(threads)
	dir, ctx := t.TempDir(), context.Background()
	one, three, stopped := filepath.Join(dir, "1"), filepath.Join(dir, "3"), filepath.Join(dir, "stopped")
	want, err := repeated(t, ctx, one, "1", train.Options{})
	if err != nil {
		t.Fatal(err)
	}
	heard, last := 0, 0
	got, err := repeated(t, ctx, three, "3", train.Options{Progress: func(e train.Event) {
		heard++
		if e.Done < last {
			t.Errorf("%d epochs are done after %d", e.Done, last)
		}
		last = e.Done
	}})
	if err != nil || heard != 48 || last != 48 || mat.Threads() != 4 {
		t.Fatalf("%v, heard of %d, %d done, %d threads", err, heard, last, mat.Threads())
	}
	if got.Test.Mean != want.Test.Mean || got.Valid.SD != want.Valid.SD || len(got.Best) != 4 {
		t.Errorf("%+v, want %+v", got, want)
	}
	sameFiles(t, one, three)
	end, stop := context.WithCancel(ctx)
	_, err = repeated(t, end, stopped, "3", train.Options{Progress: func(e train.Event) {
		if e.Done > 10 {
			stop()
		}
	}})
	var told *train.Interrupted
	if !errors.As(err, &told) {
		t.Fatal(err)
	}
	if _, err := repeated(t, ctx, stopped, "2", train.Options{Resume: true}); err != nil {
		t.Fatal(err)
	}
	sameFiles(t, one, stopped)
}

// TestTogetherOnLanes: the best of runs on lanes of a device comes home, where it can be asked.
func TestTogetherOnLanes(t *testing.T) {
	before := mat.Default()
	mat.Use(mattest.Opaque)
	defer mat.Use(before)
	r, err := repeated(t, context.Background(), "", "2", train.Options{})
	if err != nil {
		t.Fatal(err)
	}
	p, err := node.Of(r).Predict()
	if err != nil {
		t.Fatal(err)
	}
	for x := range p.Each {
		if x.Class == "" {
			t.Errorf("%+v has no class", x)
		}
	}
	mat.Use(before)
	one, err := repeated(t, context.Background(), "", "1", train.Options{})
	if err != nil || one.Valid.Mean != r.Valid.Mean || one.Test.Mean != r.Test.Mean {
		t.Errorf("%+v on lanes, %+v without, %v", r.Test, one.Test, err)
	}
}
