package train

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/internal/files"
	"github.com/bloomgml/bloom/mat"
)

// toy is a job without a graph: w goes down on ½‖w − target‖², where the target of batch i of an epoch is 1 + i and a
// hash of both. Its state counts batches.
type toy struct {
	trial   Trial
	w, seen *ad.Param
	target  *mat.Dense
	grad    *mat.Dense
	loss    *mat.Dense
	spoil   int // the epoch from which the loss is NaN; 0 for none
}

var _ Job = (*toy)(nil)

func newToy(trial Trial) *toy {
	return &toy{trial: trial, w: ad.NewParam("w", mat.New(2, 2)), seen: ad.NewParam("seen", mat.New(1, 1)),
		target: mat.New(2, 2), grad: mat.New(2, 2), loss: mat.New(1, 1)}
}

func (j *toy) Params() []*ad.Param { return []*ad.Param{j.w} }
func (j *toy) State() []*ad.Param  { return []*ad.Param{j.seen} }
func (j *toy) Batches() int        { return 3 }

func (j *toy) Batch(epoch, i int) error {
	mat.Uniform(j.target, mat.Real(i), mat.Real(2+i), mat.Mix(mat.Mix(j.trial.Seed, uint64(epoch)), uint64(i)))
	mat.Axpby(j.grad, j.w.Value(), j.target, 1, -1)
	mat.Dot(j.loss, j.grad, j.grad)
	if j.spoil > 0 && epoch >= j.spoil {
		mat.Fill(j.loss, mat.Real(math.NaN()))
		return nil
	}
	mat.Affine(j.seen.Value(), j.seen.Value(), 1, 1)
	return nil
}

func (j *toy) Loss() *mat.Dense    { return j.loss }
func (j *toy) Grads() []*mat.Dense { return []*mat.Dense{j.grad} }
func (j *toy) Metric() string      { return "nearness" }

func (j *toy) Measure(ctx context.Context) (Scores, error) {
	if err := ctx.Err(); err != nil {
		return Scores{}, err
	}
	near := -math.Abs(float64(j.w.Value().Slice()[0]) - 1.2)
	return Scores{Train: near, Valid: near, Test: near, Start: math.NaN(), End: math.NaN()}, nil
}

func (j *toy) Finish(_ context.Context, best Record) (valid, test float64, err error) {
	return best.Valid, best.Test, nil
}

func (j *toy) Write(w io.Writer, epoch int) error {
	return WriteWeights(w, map[string]string{"epoch": fmt.Sprint(epoch)}, []*ad.Param{j.w, j.seen})
}

func (j *toy) WritePredictions(w io.Writer) error {
	_, err := fmt.Fprintln(w, "w", j.w.Value().Slice())
	return err
}

func (j *toy) Describe(r *Result)  { r.Data = "nothing" }
func (j *toy) Card(r *Result) Card { return Card{Task: "toy", About: "A toy."} }

func build(t Trial) (Job, error) { return newToy(t), nil }

func settings(epochs int) config.Config {
	return config.Config{Recipe: "toy",
		Train: config.Train{Epochs: epochs, Rate: 0.05, Schedule: "linear", Every: 2, Seed: 3, Repeat: 1}}
}

func trials(c config.Config) (list []Trial) {
	for i := range c.Train.Repeat {
		list = append(list, Trial{Seed: c.Train.Seed + uint64(i)})
	}
	return list
}

func trained(t testing.TB, c config.Config, o Options) *Result {
	t.Helper()
	r, err := Run(context.Background(), c, trials(c), build, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func contents(t testing.TB, path ...string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(path...))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// saved is the epoch of the checkpoint in a folder.
func saved(t testing.TB, c config.Config, dir string) (int, error) {
	t.Helper()
	l, err := NewLoop(c.Train, newToy(trials(c)[0]))
	if err != nil {
		t.Fatal(err)
	}
	seconds := 0.0
	err = l.checkpoint(trials(c)[0].identity(c), &seconds).Read(filepath.Join(dir, lastCheckpoint))
	return l.epoch, err
}

// after is a context that ends when its error has been asked for a number of times.
type after struct {
	context.Context
	left int
}

func (c *after) Err() error {
	if c.left--; c.left < 0 {
		return context.Canceled
	}
	return nil
}

// TestResume: a run that is interrupted before any batch and in any evaluation, and resumed, has the files of an
// undisturbed one.
func TestResume(t *testing.T) {
	inMemory(t)
	c := settings(5)
	c.Train.Repeat = 2
	for _, rule := range []string{"adam", "sgd", "adagrad"} {
		c.Train.Optimizer = rule
		whole := t.TempDir()
		want := trained(t, c, Options{Dir: whole})
		for step := 1; step < 6; step++ {
			dir, stops := t.TempDir(), 0
			for ; ; stops++ {
				ctx := &after{context.Background(), step}
				r, err := Run(ctx, c, trials(c), build, Options{Dir: dir, Resume: stops > 0})
				var in *Interrupted
				if errors.As(err, &in) && stops < 100 {
					continue
				}
				if err != nil {
					t.Fatal(err)
				}
				if !slices.Equal(r.Test.Runs, want.Test.Runs) || !slices.Equal(r.Best, want.Best) {
					t.Errorf("%s: tests %v, want %v", rule, r.Test.Runs, want.Test.Runs)
				}
				break
			}
			for _, file := range []string{"model.safetensors", "predictions.csv", "run-01/model.safetensors",
				"run-01/metrics.jsonl"} {
				if !bytes.Equal(contents(t, dir, file), contents(t, whole, file)) {
					t.Errorf("%s: %s after %d stops differs from that of an undisturbed run", rule, file, stops)
				}
			}
			if stops < 2 {
				t.Errorf("it stopped %d times", stops)
			}
		}
	}
}

// TestLog: every epoch is logged, and measured where that is due.
func TestLog(t *testing.T) {
	dir, measured := t.TempDir(), 0
	trained(t, settings(5), Options{Dir: dir, Progress: func(e Event) {
		if !math.IsNaN(e.Valid) {
			measured++
		}
	}})
	lines := strings.Split(strings.TrimSpace(string(contents(t, dir, "metrics.jsonl"))), "\n")
	for i, line := range lines {
		var r struct {
			Epoch int
			Valid map[string]float64
		}
		if err := json.Unmarshal([]byte(line), &r); err != nil || r.Epoch != i+1 ||
			(len(r.Valid) > 0) != (i%2 == 1 || i == 4) {
			t.Errorf("line %q: %v", line, err)
		}
	}
	if len(lines) != 5 || measured != 3 {
		t.Errorf("%d lines, %d of them measured; want 5 and 3", len(lines), measured)
	}
}

func TestTiesAndPatience(t *testing.T) {
	c := settings(500).Train
	c.Patience = 7
	l, err := NewLoop(c, newToy(Trial{}))
	if err != nil {
		t.Fatal(err)
	}
	for epoch, valid := range []float64{0.5, 0.7, 0.7, 0.6} {
		l.epoch = epoch + 1
		l.choose(Record{Epoch: epoch + 1, Scores: Scores{Valid: valid}})
	}
	if l.Best.Epoch != 3 || l.improved != 2 {
		t.Errorf("best epoch %d, last rise %d; want 3 and 2", l.Best.Epoch, l.improved)
	}
	for l.epoch, l.improved = 8, 2; !l.Done(); l.epoch++ {
	}
	if l.epoch != 9 {
		t.Errorf("stopped in epoch %d, want 9", l.epoch)
	}
}

// TestNotFinite: the error says when, the best model so far is kept, and a checkpoint of weights that are of no use is
// not written.
func TestNotFinite(t *testing.T) {
	dir, c := t.TempDir(), settings(9)
	_, err := Run(context.Background(), c, trials(c), func(t Trial) (Job, error) {
		j := newToy(t)
		j.spoil = 4
		return j, nil
	}, Options{Dir: dir})
	var bad *NotFinite
	if !errors.As(err, &bad) || bad.Epoch != 4 || bad.Kept != dir || bad.Best != 2 ||
		!strings.Contains(err.Error(), "epoch 4: the loss") {
		t.Fatalf("error %v", err)
	}
	if len(contents(t, dir, "model.safetensors")) == 0 {
		t.Error("there is no model")
	}
	if _, err := os.Stat(filepath.Join(dir, lastCheckpoint)); err == nil {
		t.Error("there is a checkpoint of weights that are of no use")
	}
}

// TestPrecision: rounded products that the device does not have are refused, before anything is written.
func TestPrecision(t *testing.T) {
	if mat.Default() != mat.CPU {
		t.Skip("another device, which may round")
	}
	c, dir := settings(3), filepath.Join(t.TempDir(), "run")
	c.Train.Precision = "tf32"
	_, err := Run(context.Background(), c, trials(c), build, Options{Dir: dir})
	var bad *BadSetting
	if !errors.As(err, &bad) || bad.Key != "train.precision" || !strings.Contains(err.Error(), "to bf16 only") {
		t.Errorf("tf32 without a GPU: %v", err)
	}
	if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a run that was refused left its folder: %v", err)
	}
}

func TestFolderIsTaken(t *testing.T) {
	dir, c := t.TempDir(), settings(1)
	trained(t, c, Options{Dir: dir})
	_, err := Run(context.Background(), c, trials(c), build, Options{Dir: dir})
	if err == nil || !strings.Contains(err.Error(), "holds a run already") {
		t.Errorf("a folder with a run was taken: %v", err)
	}
}

// TestRefusedLeavesNothing: a run that cannot be built leaves the folder as it was, and none that was not there; one
// that has an epoch stays.
func TestRefusedLeavesNothing(t *testing.T) {
	root, c := t.TempDir(), settings(1)
	there := filepath.Join(root, "there")
	if err := os.MkdirAll(there, 0o777); err != nil {
		t.Fatal(err)
	}
	own := filepath.Join(there, "notes.txt")
	if err := os.WriteFile(own, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	refuse := func(Trial) (Job, error) { return nil, errors.New("refused") }
	for _, dir := range []string{there, filepath.Join(root, "new", "run")} {
		_, err := Run(t.Context(), c, trials(c), refuse, Options{Dir: dir})
		if err == nil || err.Error() != "refused" {
			t.Fatalf("%v, want refused", err)
		}
	}
	if list, err := os.ReadDir(there); err != nil || len(list) != 1 || !files.Exists(own) {
		t.Errorf("%v %v is left of a folder that had notes.txt", list, err)
	}
	if files.Exists(filepath.Join(root, "new")) {
		t.Error("a folder is left that did not exist")
	}
}
