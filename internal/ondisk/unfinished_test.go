package ondisk_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/bloomgml/bloom/internal/ondisk"
)

// small makes builds sort in several runs, and in many blocks.
var small = ondisk.Options{Memory: 4<<20 + 16*4096, Rows: 1024, Order: "ldg"}

// filesOf are the contents of a folder.
func filesOf(t *testing.T, dir string) map[string]string {
	t.Helper()
	names, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	for _, n := range names {
		b, err := os.ReadFile(filepath.Join(dir, n.Name()))
		if err != nil {
			t.Fatal(err)
		}
		all[n.Name()] = string(b)
	}
	return all
}

// put writes a folder.
func put(t *testing.T, dir string, all map[string]string) {
	t.Helper()
	err := os.MkdirAll(dir, 0o777)
	for name, text := range all {
		err = errors.Join(err, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666))
	}
	if err != nil {
		t.Fatal(err)
	}
}

// same fails unless two folders have the same files.
func same(t *testing.T, what string, got, want map[string]string) {
	t.Helper()
	for name := range got {
		if _, ok := want[name]; !ok {
			t.Errorf("%s: %s is left", what, name)
		}
	}
	for name, text := range want {
		if got[name] != text {
			t.Errorf("%s: %s has %d other bytes, want %d", what, name, len(got[name]), len(text))
		}
	}
}

// TestKilled takes the folder as it is at every sign of progress, which is what a kill there would leave, and builds
// again: the same bytes in the end, and files of others stay.
func TestKilled(t *testing.T) {
	src := streamed(t, "rmat:nodes=4096,edges=140000,features=3,classes=4")
	var stages []string
	var left []map[string]string
	o := small
	dir := filepath.Join(t.TempDir(), "x")
	o.Progress = func(stage string, _, _ int64) {
		stages, left = append(stages, stage), append(left, filesOf(t, dir))
	}
	want, err := ondisk.Build(dir, src, o)
	if err != nil {
		t.Fatal(err)
	}
	whole := filesOf(t, dir)
	for _, stage := range []string{"edges", "neighbours", "order", "new numbers", "neighbours again", "features",
		"labels", "ids"} {
		if !slices.Contains(stages, stage) {
			t.Fatalf("%s is not among %q", stage, stages)
		}
	}
	for k, all := range left {
		again := filepath.Join(t.TempDir(), "x")
		put(t, again, all)
		if _, err := ondisk.Open(again); err == nil || !strings.Contains(err.Error(), "was not written completely") {
			t.Errorf("%s: reading what is not complete: %v", stages[k], err)
		}
		o, said := small, ""
		o.Say = func(text string) { said += text }
		got, err := ondisk.Build(again, src, o)
		if err != nil {
			t.Fatal(stages[k], err)
		}
		same(t, stages[k], filesOf(t, again), whole)
		if !reflect.DeepEqual(got, want) || !strings.Contains(said, "unfinished") {
			t.Errorf("%s: %+v, want %+v; said %q", stages[k], got, want, said)
		}
	}
	dir = filepath.Join(t.TempDir(), "x")
	put(t, dir, left[len(left)/2])
	put(t, dir, map[string]string{"mine": "1"})
	if _, err := ondisk.Build(dir, src, small); err == nil || !strings.Contains(err.Error(), "it holds mine") {
		t.Errorf("beside a file of others: %v", err)
	}
}

// TestStopped ends the context at every sign of progress: nothing is left.
func TestStopped(t *testing.T) {
	src := streamed(t, "rmat:nodes=4096,edges=140000,features=3,classes=4")
	dir := filepath.Join(t.TempDir(), "x")
	for stops := 1; ; stops++ {
		ctx, stop := context.WithCancel(t.Context())
		o, signs := small, 0
		o.Context = ctx
		o.Progress = func(string, int64, int64) {
			if signs++; signs == stops {
				stop()
			}
		}
		_, err := ondisk.Build(dir, src, o)
		stop()
		if err == nil {
			break
		}
		if _, left := os.Stat(dir); !errors.Is(err, context.Canceled) || !errors.Is(left, os.ErrNotExist) {
			t.Fatalf("stop %d: %v, leaves %v", stops, err, left)
		}
	}
}
