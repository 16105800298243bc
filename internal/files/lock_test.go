package files

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// childFolder is what the child process of TestLock locks.
const childFolder = "BLOOM_TEST_LOCK"

// TestMain is also the child process: it takes the lock, begins a file, says so and waits to be killed.
func TestMain(m *testing.M) {
	dir := os.Getenv(childFolder)
	if dir == "" {
		os.Exit(m.Run())
	}
	_, err := Lock(dir, nil)
	if err == nil {
		_, err = Create(filepath.Join(dir, "x"), WriteOptions{})
	}
	fmt.Println(err)
	time.Sleep(time.Minute)
	os.Exit(1)
}

// TestLock: the second process is told who has the folder; killed, it has it no longer, and what it left is swept.
func TestLock(t *testing.T) {
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "runs", "x")
	child := exec.Command(program)
	child.Env = append(os.Environ(), childFolder+"="+dir)
	out, err := child.StdoutPipe()
	if err == nil {
		err = child.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	if said, err := bufio.NewReader(out).ReadString('\n'); said != "<nil>\n" {
		t.Fatalf("the child process says %q, %v", said, err)
	}
	_, err = Lock(dir, nil)
	var held *Held
	if !errors.As(err, &held) || held.PID != child.Process.Pid ||
		!strings.Contains(err.Error(), fmt.Sprint(held.PID)) || held.Dir != dir ||
		held.Command == "" || time.Since(held.Started) > time.Minute {
		t.Errorf("the error is %v, of process %d", err, child.Process.Pid)
	}
	if err := os.WriteFile(filepath.Join(dir, SumsFile), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if err := Write(filepath.Join(dir, "report"), WriteOptions{}, text("x")); !errors.As(err, &held) {
		t.Errorf("a file was added to a folder that another process writes: %v", err)
	}
	_ = child.Process.Kill()
	_ = child.Wait()
	release, err := Lock(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := Sweep(dir); err != nil {
		t.Fatal(err)
	}
	release()
	if got := names(t, dir); len(got) != 1 {
		t.Errorf("left are %v", got)
	}
}

// TestOneHolder: whoever holds the lock is alone, though it is removed every time.
func TestOneHolder(t *testing.T) {
	dir := t.TempDir()
	var wait sync.WaitGroup
	var inside, taken atomic.Int32
	for range 16 {
		wait.Go(func() {
			for range 50 {
				release, err := Lock(dir, nil)
				if err != nil {
					continue
				}
				if n := inside.Add(1); n != 1 {
					t.Errorf("%d hold it", n)
				}
				taken.Add(1)
				inside.Add(-1)
				release()
			}
		})
	}
	wait.Wait()
	if taken.Load() == 0 || len(names(t, dir)) != 0 {
		t.Errorf("it was taken %d times; left are %v", taken.Load(), names(t, dir))
	}
}
