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

// TestKilled takes the folder as it is at every sign of progress, which is what a kill there would leave, and resumes
// from it: the same bytes in the end as without, and less to tell the further it had come.
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
	begun := 0
	for k, all := range left {
		again := filepath.Join(t.TempDir(), "x")
		put(t, again, all)
		if _, err := ondisk.Open(again); err == nil || !strings.Contains(err.Error(), "resumes it") {
			t.Errorf("%s: reading what is not complete: %v", stages[k], err)
		}
		o, said := small, ""
		o.Say = func(text string) { said += text }
		first := ""
		o.Progress = func(stage string, _, _ int64) {
			if first == "" {
				first = stage
			}
		}
		got, err := ondisk.Build(again, src, o)
		if err != nil {
			t.Fatal(stages[k], err)
		}
		same(t, stages[k], filesOf(t, again), whole)
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v, want %+v", stages[k], got, want)
		}
		if !strings.Contains(said, "resuming") {
			t.Errorf("%s: said %q", stages[k], said)
		}
		at := slices.Index(stages, first)
		if at < begun {
			t.Errorf("killed in %s %d, it begins with %s", stages[k], k, first)
		}
		begun = at
	}
}

// TestStopped ends the context at every sign of progress: nothing is left before the first run is complete, and what
// there is afterwards goes on to the same bytes.
func TestStopped(t *testing.T) {
	src := streamed(t, "rmat:nodes=4096,edges=140000,features=3,classes=4")
	whole, _ := built(t, src, small)
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
		var unfinished *ondisk.Unfinished
		if !errors.Is(err, context.Canceled) || errors.As(err, &unfinished) != (stops > 1) {
			t.Fatalf("stop %d: %v", stops, err)
		}
		if _, err := os.Stat(dir); errors.Is(err, os.ErrNotExist) != (stops == 1) {
			t.Fatalf("stop %d leaves %v", stops, err)
		}
	}
	same(t, "stopped", filesOf(t, dir), filesOf(t, whole))
}

// halfway is what a build into dir leaves that is stopped in a stage.
func halfway(t *testing.T, dir string, src ondisk.Source, at string) map[string]string {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	o := small
	o.Context = ctx
	o.Progress = func(stage string, _, _ int64) {
		if stage == at {
			stop()
		}
	}
	if _, err := ondisk.Build(dir, src, o); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	return filesOf(t, dir)
}

// TestBeginsAnew wants a build of something else, and one whose files were spoilt, to start from scratch and say why;
// and files of others to stay.
func TestBeginsAnew(t *testing.T) {
	src := streamed(t, "rmat:nodes=4096,edges=140000,features=3,classes=4")
	whole, _ := built(t, src, small)
	left := halfway(t, filepath.Join(t.TempDir(), "x"), src, "features")
	for name, c := range map[string]struct {
		spoil func(all map[string]string, o *ondisk.Options)
		say   string
	}{
		"order": {func(_ map[string]string, o *ondisk.Options) { o.Order = "degree" }, "its source differs: it " +
			"lacks order degree"},
		"journal": {func(all map[string]string, _ *ondisk.Options) { all["building.json"] = "{" }, "building.json"},
		"cut": {func(all map[string]string, _ *ondisk.Options) { all["adjacency.bin"] = all["adjacency.bin"][1:] },
			"adjacency.bin"},
		"changed": {func(all map[string]string, _ *ondisk.Options) { all["order.tmp"] = all["order.tmp"][1:] + "x" },
			"order.tmp"},
		"gone": {func(all map[string]string, _ *ondisk.Options) { delete(all, "order.tmp") }, "order.tmp"},
	} {
		all, o, said := map[string]string{}, small, ""
		for file, text := range left {
			all[file] = text
		}
		c.spoil(all, &o)
		dir := filepath.Join(t.TempDir(), "x")
		put(t, dir, all)
		o.Say = func(text string) { said += text }
		if _, err := ondisk.Build(dir, src, o); err != nil {
			t.Fatal(name, err)
		}
		if !strings.Contains(said, "cannot be used") || !strings.Contains(said, c.say) {
			t.Errorf("%s: said %q", name, said)
		}
		if name != "order" {
			same(t, name, filesOf(t, dir), filesOf(t, whole))
		}
	}
	dir := filepath.Join(t.TempDir(), "x")
	put(t, dir, left)
	put(t, dir, map[string]string{"mine": "1"})
	if _, err := ondisk.Build(dir, src, small); err == nil || !strings.Contains(err.Error(), "it holds mine") {
		t.Errorf("beside a file of others: %v", err)
	}
}

// TestSpoiltRun wants a run that was changed to be sorted again, with those after it, and the ones before it to be
// kept.
func TestSpoiltRun(t *testing.T) {
	src := streamed(t, "rmat:nodes=4096,edges=140000,features=3,classes=4")
	whole, _ := built(t, src, small)
	dir := filepath.Join(t.TempDir(), "x")
	all := halfway(t, dir, src, "neighbours")
	all["run-1.tmp"] = "12345678" + all["run-1.tmp"][8:]
	put(t, dir, all)
	o, said := small, ""
	o.Say = func(text string) { said += text + "\n" }
	if _, err := ondisk.Build(dir, src, o); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(said, "run-1.tmp") || !strings.Contains(said, "edges from number 6") {
		t.Errorf("said %q", said)
	}
	same(t, "a run that was changed", filesOf(t, dir), filesOf(t, whole))
}
