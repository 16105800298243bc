package train

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/internal/codec"
	"github.com/bloomgml/bloom/internal/files"
	"github.com/bloomgml/bloom/mat"
)

// dying is a toy whose process dies before some batch, in the sense that nothing is saved then.
type dying struct {
	*toy
	left *int
}

var errDied = errors.New("died")

func (d dying) Batch(epoch, i int) error {
	if *d.left--; *d.left < 0 {
		return errDied
	}
	return d.toy.Batch(epoch, i)
}

// interrupted is a folder of a run that died before a batch, with checkpoints after every epoch.
func interrupted(t *testing.T, c config.Config, batches int) string {
	t.Helper()
	dir := t.TempDir()
	died := func(tr Trial) (Job, error) { return dying{newToy(tr), &batches}, nil }
	_, err := Run(context.Background(), c, trials(c), died, everyEpoch(Options{Dir: dir}))
	if !errors.Is(err, errDied) {
		t.Fatalf("error %v", err)
	}
	return dir
}

// TestTimed: a run that dies anywhere and anywhere again resumes from the last checkpoint in time to the same bits.
func TestTimed(t *testing.T) {
	inMemory(t)
	c := settings(6)
	c.Train.Checkpoint = time.Minute
	whole := t.TempDir()
	trained(t, c, Options{Dir: whole})
	for step := 4; step < 9; step++ { // batches of a life: more than an epoch, or it never gets on
		dir, lives := t.TempDir(), 0
		for ; ; lives++ {
			left := step
			build := func(tr Trial) (Job, error) { return dying{newToy(tr), &left}, nil }
			_, err := Run(context.Background(), c, trials(c), build, everyEpoch(Options{Dir: dir, Resume: lives > 0}))
			if err == nil {
				break
			}
			if !errors.Is(err, errDied) || lives > 20 {
				t.Fatalf("life %d: %v", lives, err)
			}
		}
		for _, name := range []string{modelName, "metrics.jsonl", "predictions.csv"} {
			if !bytes.Equal(contents(t, dir, name), contents(t, whole, name)) {
				t.Errorf("after %d lives of %d batches %s differs", lives, step, name)
			}
		}
		if lives == 0 {
			t.Errorf("%d batches were enough", step)
		}
	}
}

// TestPace: a checkpoint is due after the time between two, or after 100 times what the last one took.
func TestPace(t *testing.T) {
	at := time.Unix(0, 0)
	p := pace{every: 30 * time.Second, now: func() time.Time { return at }}
	p.last = p.now()
	for _, x := range []struct {
		passes, takes time.Duration // since the last one, and for writing one where it is due
		due           bool
	}{
		{29 * time.Second, 0, false}, {time.Second, time.Second, true}, {99 * time.Second, 0, false},
		{time.Second, time.Millisecond, true}, {29 * time.Second, 0, false}, {time.Second, 0, true},
	} {
		at = at.Add(x.passes)
		if due := p.due(); due != x.due {
			t.Errorf("after %v: due %v", x.passes, due)
		}
		if !x.due {
			continue
		}
		if err := p.measure(func() error { at = at.Add(x.takes); return nil }); err != nil {
			t.Fatal(err)
		}
	}
	never := pace{now: func() time.Time { return at }}
	never.last = never.now()
	if at = at.Add(time.Hour); never.due() {
		t.Error("0s makes checkpoints")
	}
}

// spoil flips a bit at random.
func spoil(rng *rand.Rand, b []byte) []byte {
	b = bytes.Clone(b)
	b[rng.IntN(len(b))] ^= 1 << rng.IntN(8)
	return b
}

func store(t *testing.T, path string, b []byte) {
	t.Helper()
	if err := os.WriteFile(path, b, 0o666); err != nil {
		t.Fatal(err)
	}
}

// TestSpoilt: of 200 bits that flip in a checkpoint, every one is reported and the run resumes from the one before,
// some of them to their end, which has the same bits; where both are spoilt it does not go on.
func TestSpoilt(t *testing.T) {
	inMemory(t)
	const seed = 11
	rng := rand.New(rand.NewPCG(seed, 0))
	c := settings(5)
	c.Train.Checkpoint = time.Minute
	dir := interrupted(t, c, 10)
	last, before := filepath.Join(dir, lastCheckpoint), filepath.Join(dir, previousCheckpoint)
	good, previous := contents(t, last), contents(t, before)
	at := func() (int, string, error) {
		l, err := NewLoop(c.Train, newToy(trials(c)[0]))
		if err != nil {
			t.Fatal(err)
		}
		said, seconds := "", 0.0
		f := &folder{dir: dir}
		err = f.Resume(l.checkpoint(trials(c)[0].identity(c), &seconds), func(s string) { said = s })
		return l.epoch, said, err
	}
	if epoch, said, err := at(); epoch != 3 || said != "" || err != nil {
		t.Fatalf("epoch %d, %q, %v", epoch, said, err)
	}
	whole := t.TempDir()
	trained(t, c, Options{Dir: whole})
	for i := range 200 {
		store(t, last, spoil(rng, good))
		if epoch, said, err := at(); epoch != 2 || !strings.Contains(said, last) || err != nil {
			t.Fatalf("seed %d: epoch %d, %q, %v", seed, epoch, said, err)
		}
		if i%20 != 0 {
			continue
		}
		again := t.TempDir()
		if err := os.CopyFS(again, os.DirFS(dir)); err != nil {
			t.Fatal(err)
		}
		trained(t, c, Options{Dir: again, Resume: true})
		for _, name := range []string{modelName, "metrics.jsonl", "predictions.csv"} {
			if !bytes.Equal(contents(t, again, name), contents(t, whole, name)) {
				t.Errorf("seed %d: %s differs", seed, name)
			}
		}
	}
	store(t, before, spoil(rng, previous))
	_, _, err := at()
	if err == nil || !strings.Contains(err.Error(), last) {
		t.Errorf("seed %d: both are spoilt: %v", seed, err)
	}
	if err := os.Remove(last); err != nil {
		t.Fatal(err)
	}
	store(t, before, previous)
	if epoch, said, err := at(); epoch != 2 || said != "" || err != nil {
		t.Errorf("killed between two names: epoch %d, %q, %v", epoch, said, err)
	}
}

// TestImpossible: values that are none, and those of another run, are refused with their place, though the checksum is
// right.
func TestImpossible(t *testing.T) {
	c := settings(5)
	c.Train.Checkpoint = time.Minute
	dir := interrupted(t, c, 10)
	path := filepath.Join(dir, lastCheckpoint)
	good, err := codec.ReadSealed(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range []struct{ key, value, want string }{
		{"epoch", "-1", `epoch "-1" is not a count`},
		{"seconds", "+Inf", `seconds "+Inf" is not a number`},
		{"version", "3", `version "3", want "5"`},
		{"config", strings.Replace(good.Metadata["config"], "rate: 0.05", "rate: 0.5", 1),
			`config "rate: 0.5", want "rate: 0.05"`},
		{"tensor now/w", "", `tensor "now/w" has the shape [1 2], want`},
		{"tensor best/w", "", `tensor "best/w" has the shape [1 2], want`},
		{"nan now/w", "", `tensor "now/w" has NaN in row 0, column 0`},
	} {
		f := &codec.Safetensors{Metadata: map[string]string{}}
		for key, value := range good.Metadata {
			f.Metadata[key] = value
		}
		if !strings.Contains(x.key, " ") {
			f.Metadata[x.key] = x.value
		}
		for _, tensor := range good.Tensors {
			switch x.key {
			case "tensor " + tensor.Name:
				tensor = codec.NewTensor(tensor.Name, []int{1, 2}, []mat.Real{1, 2})
			case "nan " + tensor.Name:
				values := codec.Values[float64](tensor)
				for i := range values {
					values[i] = math.NaN()
				}
				tensor = codec.NewTensor(tensor.Name, tensor.Shape, values)
			}
			f.Tensors = append(f.Tensors, tensor)
		}
		var b bytes.Buffer
		if err := codec.WriteSealed(&b, f); err != nil {
			t.Fatal(err)
		}
		store(t, path, b.Bytes())
		if _, err := saved(t, c, dir); err == nil || !strings.Contains(err.Error(), path+": ") ||
			!strings.Contains(err.Error(), x.want) {
			t.Errorf("%s %s: error %v, want %s", x.key, x.value, err, x.want)
		}
	}
}

// TestFolderFlips: a bit that flips in any file of a run, complete or not, is reported, or what comes out is the same.
func TestFolderFlips(t *testing.T) {
	inMemory(t)
	const seed = 3
	rng := rand.New(rand.NewPCG(seed, 0))
	c := settings(3)
	c.Train.Checkpoint = time.Minute
	whole := t.TempDir()
	trained(t, c, Options{Dir: whole})
	flips := 70
	if testing.Short() {
		flips = 10
	}
	for _, from := range []string{whole, interrupted(t, c, 7)} {
		files, err := filepath.Glob(filepath.Join(from, "*"))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			name := filepath.Base(file)
			if info, err := os.Stat(file); err != nil || info.IsDir() || info.Size() == 0 {
				continue
			}
			for range flips {
				dir := t.TempDir()
				if err := os.CopyFS(dir, os.DirFS(from)); err != nil {
					t.Fatal(err)
				}
				store(t, filepath.Join(dir, name), spoil(rng, contents(t, dir, name)))
				_, err := Run(context.Background(), c, trials(c), build, Options{Dir: dir, Resume: true})
				if err != nil {
					if !strings.Contains(err.Error(), dir) {
						t.Errorf("seed %d: %s: the error %v names no file", seed, name, err)
					}
					continue
				}
				if !bytes.Equal(contents(t, dir, modelName), contents(t, whole, modelName)) {
					t.Fatalf("seed %d: a bit of %s flipped, and there is another model", seed, name)
				}
			}
		}
	}
}

// TestOneWriter: a second run in the same folder is told who is there, and changes nothing.
func TestOneWriter(t *testing.T) {
	dir, c := t.TempDir(), settings(3)
	asked := false
	trained(t, c, Options{Dir: dir, Progress: func(Event) {
		if asked {
			return
		}
		asked = true
		before := contents(t, dir, "metrics.jsonl")
		for _, resume := range []bool{false, true} {
			_, err := Run(context.Background(), c, trials(c), build, Options{Dir: dir, Resume: resume})
			var held *files.Held
			if !errors.As(err, &held) || held.PID != os.Getpid() ||
				!strings.Contains(err.Error(), fmt.Sprint(os.Getpid())) {
				t.Errorf("error %v", err)
			}
		}
		if !bytes.Equal(before, contents(t, dir, "metrics.jsonl")) {
			t.Error("the second run wrote")
		}
	}})
	if err := Save(dir, c, nil, nil); err == nil || !strings.Contains(err.Error(), "holds a run already") {
		t.Errorf("a model was saved into the folder of a run: %v", err)
	}
}

// TestSums: a complete run lists all of its files, in each of its folders.
func TestSums(t *testing.T) {
	dir, c := t.TempDir(), settings(2)
	c.Train.Repeat = 2
	trained(t, c, Options{Dir: dir})
	for name, want := range map[string]int{"SHA256SUMS": 17, "run-01/SHA256SUMS": 5} {
		if got := bytes.Count(contents(t, dir, name), []byte("\n")); got != want {
			t.Errorf("%s has %d files, want %d:\n%s", name, got, want, contents(t, dir, name))
		}
	}
	store(t, ModelFile(dir), spoil(rand.New(rand.NewPCG(1, 1)), contents(t, dir, modelName)))
	_, err := codec.ReadSafetensorsFile(ModelFile(dir))
	if err == nil || !strings.Contains(err.Error(), "has changed since") {
		t.Errorf("a changed model was read: %v", err)
	}
}

// TestInfiniteWeights: the last update of a run may leave weights that are not finite.
func TestInfiniteWeights(t *testing.T) {
	c := settings(1)
	c.Train.Rate, c.Train.Optimizer = 1e39, "sgd"
	dir := t.TempDir()
	_, err := Run(context.Background(), c, trials(c), build, Options{Dir: dir})
	var bad *NotFinite
	if !errors.As(err, &bad) || bad.Epoch != 1 {
		t.Errorf("error %v", err)
	}
	if _, err := os.Stat(ModelFile(dir)); err == nil {
		t.Error("there is a model of weights that are not finite")
	}
}
