package train

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/internal/testkit"
)

// smallDisk has room for some bytes.
type smallDisk struct{ left int }

type smallFile struct {
	io.Writer
	disk *smallDisk
}

// Write writes as much as there is room for.
func (f smallFile) Write(b []byte) (int, error) {
	n, full := len(b), error(nil)
	if n > f.disk.left {
		n, full = f.disk.left, syscall.ENOSPC
	}
	f.disk.left -= n
	n, err := f.Writer.Write(b[:n])
	return n, errors.Join(err, full)
}

// inMemory puts the temporary folders of a test where writing is fast: it writes thousands of files, and not the disk
// is tested.
func inMemory(t *testing.T) {
	if info, err := os.Stat("/dev/shm"); err == nil && info.IsDir() {
		t.Setenv("TMPDIR", "/dev/shm")
	}
}

// everyEpoch makes a checkpoint due after every epoch, by a clock that moves an hour then.
func everyEpoch(o Options) Options {
	at, progress := time.Now(), o.Progress
	o.now = func() time.Time { return at }
	o.Progress = func(e Event) {
		at = at.Add(time.Hour)
		if progress != nil {
			progress(e)
		}
	}
	return o
}

// leftovers are the files of a folder and below that no run has.
func leftovers(t *testing.T, dir string) (list []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if strings.HasPrefix(d.Name(), ".") {
			list = append(list, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// TestFullDisk: however little room there is, the error names the file, the last checkpoint is complete, and with room
// the run goes on to the same result.
func TestFullDisk(t *testing.T) {
	inMemory(t)
	whole, c := t.TempDir(), settings(6)
	c.Train.Checkpoint = time.Hour
	trained(t, c, Options{Dir: whole})
	want := contents(t, whole, "model.safetensors")
	for room := 0; ; room += 1501 {
		dir := t.TempDir()
		small := &smallDisk{room}
		o := everyEpoch(Options{Dir: dir, through: func(w io.Writer) io.Writer { return smallFile{w, small} }})
		_, err := Run(context.Background(), c, trials(c), build, o)
		if err == nil {
			if room < 10000 {
				t.Errorf("%d bytes were enough", room)
			}
			break
		}
		var failed *notWritten
		if !errors.As(err, &failed) || !errors.Is(err, syscall.ENOSPC) || !strings.Contains(err.Error(), failed.File) {
			t.Fatalf("%d bytes: error %v", room, err)
		}
		if epoch, err := saved(t, c, dir); failed.Epoch >= 0 && (err != nil || epoch != failed.Epoch) {
			t.Errorf("%d bytes: checkpoint of epoch %d, want %d, %v", room, epoch, failed.Epoch, err)
		}
		trained(t, c, Options{Dir: dir, Resume: true})
		if !bytes.Equal(contents(t, dir, "model.safetensors"), want) {
			t.Errorf("%d bytes: the resumed run has other weights", room)
		}
		if left := leftovers(t, dir); len(left) > 0 {
			t.Errorf("half written files are left: %v", left)
		}
	}
}

// childFolder is where the child process of TestKill trains.
const childFolder = "BLOOM_TEST_KILL"

// killed is the run of TestKill.
func killed() config.Config {
	c := settings(400)
	c.Train.Checkpoint = time.Hour
	return c
}

// TestMain is also the child process: it says so after its first epoch, and goes on.
func TestMain(m *testing.M) {
	dir := os.Getenv(childFolder)
	testkit.OneThread()
	if dir == "" {
		os.Exit(m.Run())
	}
	said := false
	c := killed()
	o := everyEpoch(Options{Dir: dir, Resume: true, Progress: func(Event) {
		if !said {
			fmt.Println("training")
			said = true
		}
	}})
	_, err := Run(context.Background(), c, trials(c), build, o)
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	os.Exit(0)
}

// TestKill kills a training process 50 times, at random moments, and resumes it: every time the checkpoint must be
// complete and not older than before, and in the end the weights equal those of an undisturbed run.
func TestKill(t *testing.T) {
	if testing.Short() {
		t.Skip("starts 50 processes")
	}
	const seed = 7
	rng := rand.New(rand.NewPCG(seed, 0))
	c := killed()
	dir, whole, last := t.TempDir(), t.TempDir(), -1
	trained(t, c, Options{Dir: whole})
	for i := range 50 {
		kill(t, dir, i%5 == 0, time.Duration(rng.Float64()*float64(10*time.Millisecond)))
		if _, err := os.Stat(filepath.Join(dir, lastCheckpoint)); errors.Is(err, os.ErrNotExist) {
			continue
		}
		epoch, err := saved(t, c, dir)
		if err != nil || epoch < last {
			t.Fatalf("seed %d, kill %d: checkpoint of epoch %d after %d, %v", seed, i, epoch, last, err)
		}
		last = epoch
	}
	t.Logf("seed %d: after 50 kills the checkpoint was that of epoch %d", seed, last)
	trained(t, c, Options{Dir: dir, Resume: true})
	if left := leftovers(t, dir); len(left) > 0 {
		t.Errorf("seed %d: left are %v", seed, left)
	}
	for _, name := range []string{"model.safetensors", "predictions.csv", "metrics.jsonl"} {
		if !bytes.Equal(contents(t, dir, name), contents(t, whole, name)) {
			t.Errorf("seed %d: %s differs from that of an undisturbed run", seed, name)
		}
	}
}

// kill starts a process that trains in dir and kills it after a time: at once, or once it has begun to train.
func kill(t *testing.T, dir string, atOnce bool, after time.Duration) {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	child := exec.Command(program)
	child.Env = append(os.Environ(), childFolder+"="+dir)
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	said := ""
	if !atOnce {
		said, _ = bufio.NewReader(out).ReadString('\n') // nothing where the run was complete already
	}
	time.Sleep(after)
	_ = child.Process.Kill() // it may be done already
	_ = child.Wait()
	if said != "" && said != "training\n" {
		t.Fatalf("the child process says %s", said)
	}
}

// mute is a toy that cannot make its predictions.
type mute struct{ *toy }

func (mute) WritePredictions(w io.Writer) error {
	if _, err := w.Write([]byte("node\n")); err != nil {
		return err
	}
	return errors.New("no predictions")
}

// TestUnmadeFile: an error of what is to be written is not taken for one of the disk.
func TestUnmadeFile(t *testing.T) {
	c := settings(2)
	job := func(trial Trial) (Job, error) { return mute{newToy(trial)}, nil }
	_, err := Run(context.Background(), c, trials(c), job, Options{Dir: t.TempDir()})
	if err == nil || err.Error() != "no predictions" {
		t.Errorf("error %v", err)
	}
}
