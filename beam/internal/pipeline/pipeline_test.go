package pipeline_test

import (
	"context"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/beam/internal/job"
	"github.com/bloomgml/bloom/beam/internal/pipeline"
	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/input"
	"github.com/bloomgml/bloom/internal/generate"
	"github.com/bloomgml/bloom/internal/ondisk"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/task/node"
	"github.com/bloomgml/bloom/train"
)

func TestMain(m *testing.M) {
	flag.Parse()
	beam.Init()
	os.Exit(m.Run())
}

// stored is a planted graph in blocks, nodes near their neighbours.
func stored(t *testing.T) string {
	t.Helper()
	src, ok, err := generate.Stream("planted:nodes=400,edges=1600,features=6,classes=4")
	if err != nil || !ok {
		t.Fatal(ok, err)
	}
	dir := filepath.Join(t.TempDir(), "data.bloom")
	if _, err := ondisk.Build(dir, src, ondisk.Options{Order: "ldg"}); err != nil {
		t.Fatal(err)
	}
	return dir
}

// cut is the folder of n parts of a set.
func cut(t *testing.T, data string, n int) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "parts")
	if _, err := pipeline.Partition(context.Background(), data, dir, n); err != nil {
		t.Fatal(err)
	}
	return dir
}

// trained is a run of two epochs on a set, with the data and the config that it was trained with.
func trained(t *testing.T, data, recipe string, set ...string) (*node.Trained, *config.Config) {
	t.Helper()
	c, err := config.Load(config.Options{Recipe: recipe, Data: data, Set: append([]string{"train.epochs=2",
		"model.hidden=8"}, set...)})
	if err != nil {
		t.Fatal(err)
	}
	d, err := ondisk.Read(data)
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "run")
	if _, err := node.Run(context.Background(), *c, d, node.Options{Options: train.Options{Dir: dir}}); err != nil {
		t.Fatal(err)
	}
	out, err := node.Load(dir, *c, d, node.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return out, c
}

// whole are the states of a run on one machine, with everything in memory.
func whole(t *testing.T, r *node.Trained) []mat.Real {
	t.Helper()
	h, err := r.Stack.Embed(input.Evaluation(), r.On)
	if err != nil {
		t.Fatal(err)
	}
	return ad.Eval(h).Slice()
}

// begun is the folder of a job that has not done anything.
func begun(t *testing.T, parts string, c *config.Config, runDir string) string {
	t.Helper()
	s, err := job.NewSpec(parts, *c, runDir)
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "job")
	if err := job.CreateFolder(dir, s); err != nil {
		t.Fatal(err)
	}
	return dir
}

// states are the rows of all parts after the last step.
func states(t *testing.T, dir string) []mat.Real {
	t.Helper()
	w, err := job.Work(dir)
	if err != nil {
		t.Fatal(err)
	}
	var all []mat.Real
	for i := range w.Graph.Len() {
		rows, err := w.State(i, w.Steps)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, rows...)
	}
	return all
}

// near compares numbers; sums of some ten terms in another order differ by a few units in the last place.
func near(t *testing.T, what string, got, want []mat.Real) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d numbers, want %d", what, len(got), len(want))
	}
	for i := range got {
		if d := math.Abs(float64(got[i] - want[i])); !(d <= 1e-5*(1+math.Abs(float64(want[i])))) {
			t.Fatalf("%s: number %d is %v, want %v", what, i, got[i], want[i])
		}
	}
}

// TestEqual wants the states of one machine from any number of parts and any chunk, for every kind of step.
func TestEqual(t *testing.T) {
	data := stored(t)
	parts := map[int]string{1: cut(t, data, 1), 3: cut(t, data, 3), 7: cut(t, data, 7)}
	for _, kind := range []struct {
		recipe string
		set    []string
	}{
		{"base", nil}, {"base", []string{"energy.f.norm=none"}}, {"robust", nil}, {"robust-logcosh", nil},
		{"robust", []string{"energy.eta=nonnegative"}},
	} {
		r, c := trained(t, data, kind.recipe, kind.set...)
		want := whole(t, r)
		for n, dir := range parts {
			for _, chunk := range []int{1, 3, 99} {
				if chunk != 3 && (n != 3 || testing.Short()) {
					continue
				}
				j := begun(t, dir, c, r.Dir)
				if err := pipeline.Propagate(t.Context(), j, pipeline.Options{Chunk: chunk}); err != nil {
					t.Fatal(err)
				}
				near(t, fmt.Sprint(kind, n, chunk), states(t, j), want)
			}
		}
	}
}

// TestRefused wants to hear what of a run looks at more than neighbours.
func TestRefused(t *testing.T) {
	data := stored(t)
	parts := cut(t, data, 2)
	for want, args := range map[string][]string{
		"numbers of neighbours":    {"heterophily"},
		"more than numbers":        {"stack-laplace", "stack.levels=2"},
		"energy of the features":   {"lp-trained", "model.hidden=64", "train.label_rate=1"}, // hidden is not read
		"with an energy of the fe": {"gcn"},
	} {
		r, c := trained(t, data, args[0], args[1:]...)
		if _, err := job.NewSpec(parts, *c, r.Dir); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v, want %q", args, err, want)
		}
	}
}

// TestResume wants a job that failed in the middle of a chunk to go on after the last complete one, and to end at the
// same states.
func TestResume(t *testing.T) {
	data := stored(t)
	r, c := trained(t, data, "robust")
	parts := cut(t, data, 3)
	whole := begun(t, parts, c, r.Dir)
	if err := pipeline.Propagate(t.Context(), whole, pipeline.Options{}); err != nil {
		t.Fatal(err)
	}
	j := begun(t, parts, c, r.Dir)
	state := filepath.Join(j, "state-00001-00003")
	var kept []byte
	spoil := func(round, _ int) {
		if round == 3 {
			var err error
			if kept, err = os.ReadFile(state); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(state, kept[:len(kept)-1], 0o666); err != nil {
				t.Fatal(err)
			}
		}
	}
	err := pipeline.Propagate(t.Context(), j, pipeline.Options{Chunk: 3, Progress: spoil})
	if err == nil || !strings.Contains(err.Error(), "state-00001-00003") {
		t.Fatalf("a state that was cut: %v", err)
	}
	if err := os.WriteFile(state, kept, 0o666); err != nil {
		t.Fatal(err)
	}
	var rounds []int
	err = pipeline.Propagate(t.Context(), j, pipeline.Options{Chunk: 2, Progress: func(round, _ int) {
		rounds = append(rounds, round)
	}})
	if err != nil || rounds[0] != 5 {
		t.Fatalf("rounds %v, %v: want the first to be 5", rounds, err)
	}
	near(t, "resumed", states(t, j), states(t, whole))
	left, err := filepath.Glob(filepath.Join(j, "state-*"))
	if err != nil || len(left) != 3 {
		t.Errorf("%v, %v: want the states of the last round alone", left, err)
	}
}
