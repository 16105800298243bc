package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/internal/generate"
	"github.com/bloomgml/bloom/internal/ondisk"
	"github.com/bloomgml/bloom/task/node"
	"github.com/bloomgml/bloom/train"
)

// typed is what a command prints on standard output.
func typed(t *testing.T, args ...string) (string, error) {
	t.Helper()
	root, out := newRoot(), new(bytes.Buffer)
	root.SetArgs(args)
	root.SetOut(out)
	root.SetErr(new(bytes.Buffer))
	err := root.ExecuteContext(t.Context())
	return out.String(), err
}

// trained is the folder of a run of one epoch on data in blocks.
func trained(t *testing.T, data, recipe string, set ...string) string {
	t.Helper()
	c, err := config.Load(config.Options{Recipe: recipe, Data: data, Set: append(set, "train.epochs=1",
		"model.hidden=8")})
	if err != nil {
		t.Fatal(err)
	}
	d, err := ondisk.Read(data)
	if err != nil {
		t.Fatal(err)
	}
	dir := "run-" + recipe
	if _, err := node.Run(t.Context(), *c, d, node.Options{Options: train.Options{Dir: dir}}); err != nil {
		t.Fatal(err)
	}
	return dir
}

// TestRun asks everything of a run.
func TestRun(t *testing.T) {
	t.Chdir(t.TempDir())
	src, _, err := generate.Stream("planted:nodes=200,edges=700,features=4,classes=2")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := ondisk.Build("data", src, ondisk.Options{}); err != nil {
		t.Fatal(err)
	}
	of := trained(t, "data", "robust")
	var asked struct{ Nodes []struct{ Rank int } }
	for _, line := range []string{"partition data --parts 3 --out parts",
		"predict RUN --parts parts --chunk 1 --out job", "embed RUN --parts parts --out job",
		"audit RUN --parts parts --out job --top 5"} {
		out, err := typed(t, strings.Fields(strings.Replace(line, "RUN", of, 1))...)
		if err != nil {
			t.Fatal(line, err)
		}
		if out != "" {
			if err := json.Unmarshal([]byte(out), &asked); err != nil {
				t.Fatal(out, err)
			}
		}
	}
	if len(asked.Nodes) != 5 || asked.Nodes[4].Rank != 5 {
		t.Errorf("suspects are %+v", asked)
	}
	for _, name := range []string{"job/predictions-00002.csv", "job/embeddings-00002.csv"} {
		if _, err := os.Stat(filepath.FromSlash(name)); err != nil {
			t.Error(err)
		}
	}
}

// TestInterrupted: a command that the user stops while a pipeline runs ends as others do that are stopped.
func TestInterrupted(t *testing.T) {
	dir, err := os.MkdirTemp("", "bloom")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { // what Prism has begun writes for a moment longer
		for range 100 {
			if err = os.RemoveAll(dir); err == nil {
				return
			}
			time.Sleep(20 * time.Millisecond)
		}
		t.Error(err)
	})
	t.Chdir(dir)
	src, _, err := generate.Stream("planted:nodes=200,edges=700,features=4,classes=2")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := ondisk.Build("data", src, ondisk.Options{}); err != nil {
		t.Fatal(err)
	}
	if _, err := typed(t, "partition", "data", "--parts", "3", "--out", "parts"); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	go func() {
		for ctx.Err() == nil { // until there are states of the first pipeline of many
			if found, _ := filepath.Glob("job/state-*"); len(found) > 0 {
				stop()
			}
			time.Sleep(10 * time.Millisecond)
		}
	}()
	root := newRoot()
	root.SetArgs(strings.Fields("propagate parts --recipe base --set energy.steps=500 --set model.before=1 --chunk 2 " +
		"--out job"))
	root.SetErr(new(bytes.Buffer))
	if err := root.ExecuteContext(ctx); status(err) != 130 {
		t.Errorf("status %d: %v", status(err), err)
	}
}

// TestCommands goes from blocks to parts, states, shards and a set to train on.
func TestCommands(t *testing.T) {
	t.Chdir(t.TempDir())
	src, ok, err := generate.Stream("planted:nodes=200,edges=700,features=4,classes=2")
	if err != nil || !ok {
		t.Fatal(ok, err)
	}
	if _, err := ondisk.Build("data", src, ondisk.Options{}); err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{
		"partition data --parts 3 --out parts",
		"propagate parts --recipe base --set energy.steps=5 --set model.before=1 --chunk 2 --out job --settled settled",
		"sample parts --out shards",
	} {
		if _, err := typed(t, strings.Fields(line)...); err != nil {
			t.Fatal(line, err)
		}
	}
	for _, name := range []string{"job/state-00002-00005", "shards/shard-00002.bloom", "settled"} {
		if _, err := os.Stat(filepath.FromSlash(name)); err != nil {
			t.Error(err)
		}
	}
	text, err := os.ReadFile("job/done.json")
	var done struct{ Round int }
	if err != nil || json.Unmarshal(text, &done) != nil || done.Round != 5 {
		t.Errorf("%s, %v", text, err)
	}
	for line, want := range map[string]struct {
		status int
		text   string
	}{
		"partition data --parts 999 --out other":           {2, "999 parts of 200 nodes"},
		"partition gone --out other":                       {3, "gone"},
		"propagate parts --recipe heterophily --out other": {2, "heterophily"},
		"propagate parts --set data.scale=columns --out o": {2, "data.scale"},
		"propagate parts --recipe robust --out job":        {3, "another job"},
		"propagate gone --out other":                       {3, "parts.json"},
		"propagate --out other":                            {2, "accepts 1 arg"},
		"predict gone --parts parts --out other":           {3, "gone"},
	} {
		if _, err := typed(t, strings.Fields(line)...); err == nil || status(err) != want.status ||
			!strings.Contains(err.Error(), want.text) {
			t.Errorf("%s: %v", line, err)
		}
	}
}
