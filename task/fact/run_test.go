package fact

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/dataset/catalogue"
	"github.com/bloomgml/bloom/internal/files"
	"github.com/bloomgml/bloom/metric"
	"github.com/bloomgml/bloom/train"
)

// opened is data of a name and the config of a recipe for it, with keys set.
func opened(t testing.TB, recipe, data string, set ...string) (config.Config, *dataset.Dataset) {
	t.Helper()
	c, err := config.Load(config.Options{Recipe: recipe, Data: data, Set: set})
	if err != nil {
		t.Fatal(err)
	}
	d, err := catalogue.Open(data)
	if err != nil {
		t.Fatal(err)
	}
	return *c, d
}

// kin is a small knowledge graph with a twin.
const kin = "family:families=3,twin=2"

// runs are a quick run of every family of recipes.
var runs = []struct {
	recipe string
	set    []string
	metric string
	twin   bool // tested on the twin
	better float64
}{
	{"distmult", []string{"train.epochs=8"}, "mrr", false, 0.3},
	{"rotate", []string{"train.epochs=8"}, "mrr", false, 0.1},
	{"distmult-bilevel", []string{"train.epochs=30", "model.hidden=16", "energy.steps=4", "energy.descent.gamma=0.1",
		"link.block=0",
		"link.beside=4", "train.optimizer=adam", "train.rate=0.01", "train.every=10"}, "mrr", true, 0.05},
	{"complex-bilevel", []string{"train.epochs=4", "model.hidden=16"}, "mrr", true, 0.1},
	{"path", []string{"train.epochs=3", "model.hidden=8", "model.layers=3"}, "hits@10_50", true, 0.5},
	{"refactor", []string{"train.epochs=8", "model.hidden=8"}, "hits@10_50", true, 0.2},
}

// TestRun: every family of recipes trains, fills its folder, and gives the same ranks when the folder is opened.
func TestRun(t *testing.T) {
	for _, x := range runs {
		t.Run(x.recipe, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "run")
			c, d := opened(t, x.recipe, kin, x.set...)
			epochs := 0
			r, err := Run(context.Background(), c, d,
				Options{Options: train.Options{Dir: dir, Progress: func(e train.Event) { epochs = e.Epoch }}})
			if err != nil {
				t.Fatal(err)
			}
			if r.Metric != x.metric || epochs != c.Train.Epochs || r.Epochs != epochs || !(r.Test.Mean > x.better) ||
				!(r.Valid.Mean > x.better) {
				t.Errorf("%s %v, validation %v after %d epochs; want %s above %v", r.Metric, r.Test.Mean,
					r.Valid.Mean, epochs, x.metric, x.better)
			}
			if twin := r.Tested.Entities == d.Twin.Graph.NumNodes(); twin != x.twin ||
				r.Ranking.Facts != r.Tested.Test {
				t.Errorf("tested on %+v, on the twin: want %v", r.Tested, x.twin)
			}
			checkFolder(t, dir, c, r)
			again, err := Open(dir)
			if err != nil {
				t.Fatal(err)
			}
			var text bytes.Buffer
			if err := again.WriteRanks(context.Background(), &text); err != nil {
				t.Fatal(err)
			}
			want, err := os.ReadFile(filepath.Join(dir, "predictions.csv"))
			if err != nil || text.String() != string(want) {
				t.Errorf("the opened run ranks otherwise than the run did, error %v", err)
			}
			if _, err := Run(context.Background(), c, d, Options{Options: train.Options{Dir: dir}}); err == nil ||
				!strings.Contains(err.Error(), "holds a run already") {
				t.Errorf("a folder with a run was taken: %v", err)
			}
		})
	}
}

// checkFolder looks for everything that a run leaves behind, and compares it.
func checkFolder(t *testing.T, dir string, c config.Config, r *train.Result) {
	t.Helper()
	read := func(name string) string {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	if read("config.yaml") != string(c.YAML()) {
		t.Error("config.yaml is another config")
	}
	if n := strings.Count(read("metrics.jsonl"), "\n"); n != r.Epochs {
		t.Errorf("%d lines of metrics for %d epochs", n, r.Epochs)
	}
	for _, word := range []string{"model-index", "link-prediction", r.Metric, "Hits@10", "pessimistic"} {
		if !strings.Contains(read("README.md"), word) {
			t.Errorf("the model card has no %q", word)
		}
	}
	var kept train.Result
	if err := json.Unmarshal([]byte(read("result.json")), &kept); err != nil || kept.Ranking.MRR != r.Ranking.MRR ||
		*kept.Graph != *r.Graph || kept.Test.Mean != r.Test.Mean {
		t.Errorf("result.json holds %+v, error %v", kept, err)
	}
	ranks, err := readFacts("predictions.csv", strings.NewReader(read("predictions.csv")))
	if err != nil || len(ranks) != r.Ranking.Facts {
		t.Fatalf("%d ranks of %d facts, error %v", len(ranks), r.Ranking.Facts, err)
	}
	sum := 0.0
	for _, x := range ranks {
		sum += 1/x.TailRank + 1/x.HeadRank
	}
	if mrr := sum / float64(2*len(ranks)); math.Abs(mrr-r.Ranking.MRR) > 1e-12 {
		t.Errorf("predictions.csv has MRR %v, the result %v", mrr, r.Ranking.MRR)
	}
	if files, err := filepath.Glob(filepath.Join(dir, "events.out.tfevents.*")); err != nil || len(files) != 1 {
		t.Errorf("%d files for TensorBoard, error %v", len(files), err)
	}
	if model := read("model.safetensors"); strings.Contains(model, dir) {
		t.Error("the model names its folder")
	}
}

// TestRepeat: runs differ by their seeds, the files of the best one by validation are at the top, and the same seeds
// give the same bits.
func TestRepeat(t *testing.T) {
	var models [2]string
	for i := range models {
		dir := filepath.Join(t.TempDir(), "run")
		c, d := opened(t, "complex", kin, "train.epochs=3", "train.repeat=3", "model.hidden=8")
		r, err := Run(context.Background(), c, d, Options{Options: train.Options{Dir: dir}})
		if err != nil {
			t.Fatal(err)
		}
		if len(r.Test.Runs) != 3 || r.Test.Runs[0] == r.Test.Runs[1] || r.Test.SD == 0 {
			t.Fatalf("runs %v", r.Test)
		}
		best := 0
		for j, v := range r.Valid.Runs {
			if v > r.Valid.Runs[best] {
				best = j
			}
		}
		top, err1 := os.ReadFile(filepath.Join(dir, "model.safetensors"))
		below, err2 := os.ReadFile(filepath.Join(dir, "run-0"+string(rune('0'+best)), "model.safetensors"))
		if err1 != nil || err2 != nil || !bytes.Equal(top, below) || r.Ranking.MRR != r.Test.Runs[best] {
			t.Errorf("the best run is %d of %v, but another is at the top (%v, %v)", best, r.Valid.Runs, err1, err2)
		}
		models[i] = string(top)
	}
	if models[0] != models[1] {
		t.Error("the same seeds give other models")
	}
}

// TestProtocol: grail_50 ranks among 49 others, and is named.
func TestProtocol(t *testing.T) {
	for _, recipe := range []string{"distmult", "path"} {
		c, d := opened(t, recipe, kin, "train.epochs=1", "link.protocol=grail_50", "model.hidden=8")
		r, err := Run(context.Background(), c, d, Options{})
		if err != nil {
			t.Fatal(err)
		}
		on := Tested(c, d)
		ranked, err := Of(r).model.rank(context.Background(), on, on.Test, r.Ranking.Protocol)
		if err != nil || r.Ranking.Protocol != "grail_50" || r.Ranking.Hits10of50 != 0 {
			t.Errorf("%s: protocol %q, error %v", recipe, r.Ranking.Protocol, err)
		}
		for _, x := range ranked {
			if x.Tail.Negatives > 49 || x.Tail.Negatives < 40 || x.Tail.Rank(metric.Pessimistic) > 50 {
				t.Fatalf("%s: %+v", recipe, x)
			}
		}
	}
}

// TestNotFinite: a training that leaves the numbers ends with an error that says what to try, and not with a model.
func TestNotFinite(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	c, d := opened(t, "refactor", kin, "link.step=1e60", "model.hidden=4")
	_, err := Run(context.Background(), c, d, Options{Options: train.Options{Dir: dir}})
	var bad *train.NotFinite
	if !errors.As(err, &bad) || bad.Epoch < 1 || bad.Epoch > 8 || !strings.Contains(err.Error(), "link.step") {
		t.Errorf("%v", err)
	}
	if _, err := os.Stat(train.ModelFile(dir)); err == nil {
		t.Error("there is a model nonetheless")
	}
}

// TestTooLarge: embeddings that memory has no room for are refused with what they take and what to do.
func TestTooLarge(t *testing.T) {
	old := files.FixedMemory()
	files.SetMemory(1 << 20)
	t.Cleanup(func() { files.SetMemory(old) })
	c, d := opened(t, "distmult", kin, "model.hidden=4096")
	if _, err := Check(c, d); err == nil || !strings.Contains(err.Error(), "model.hidden") ||
		!strings.Contains(err.Error(), "MiB") {
		t.Errorf("error %v", err)
	}
}
