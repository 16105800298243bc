//go:build unix

package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// process is the program while it runs.
type process struct {
	*exec.Cmd
	stderr bytes.Buffer
	done   chan int // its exit code
}

func begin(t *testing.T, dir string, args ...string) *process {
	t.Helper()
	p := &process{Cmd: exec.Command(os.Args[0], args...), done: make(chan int, 1)}
	p.Dir, p.Stderr = dir, &p.stderr
	p.Env = append(os.Environ(), asProgram+"=1", "BLOOM_THREADS=1")
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.Process.Kill() }) // it has ended, unless something went wrong
	go func() {
		_ = p.Wait() // the exit code tells
		p.done <- p.ProcessState.ExitCode()
	}()
	return p
}

// hearHangUps lets the processes that a test begins hear SIGHUP, also where whoever began the tests ignores it, as
// nohup does: a child inherits what is ignored, but not what is caught.
func hearHangUps(t *testing.T) {
	caught := make(chan os.Signal, 1)
	signal.Notify(caught, syscall.SIGHUP)
	t.Cleanup(func() { signal.Stop(caught) })
}

// TestSimultaneousStarts: of 40 processes that begin a run in one folder at the same time, one has it and 39 are told
// which. A lost connection (SIGHUP) then stops that one with a checkpoint, from which a run goes on.
func TestSimultaneousStarts(t *testing.T) {
	const n = 40
	hearHangUps(t)
	dir := t.TempDir()
	var all []*process
	for range n {
		all = append(all, begin(t, dir, "train", "--data", "karate", "--recipe", "base", "--out", "run",
			"--set", "train.epochs=100000000", "--set", "train.patience=0"))
	}
	var winner *process
	deadline := time.After(2 * time.Minute)
	left := n
	for left > 1 {
		for _, p := range all {
			select {
			case code := <-p.done:
				left--
				if code != exitFailed || !strings.Contains(p.stderr.String(), "run is being written by process") {
					t.Fatalf("exit %d: %s", code, &p.stderr)
				}
				p.done = nil // which never comes again
			case <-deadline:
				t.Fatalf("%d processes run at the same time", left)
			case <-time.After(time.Millisecond):
			}
		}
	}
	for _, p := range all {
		if p.done != nil {
			winner = p
		}
	}
	for _, p := range all {
		if p != winner && !strings.Contains(p.stderr.String(), fmt.Sprintf("process %d on ", winner.Process.Pid)) {
			t.Errorf("process %d has the folder: %s", winner.Process.Pid, &p.stderr)
		}
	}
	if events, _ := filepath.Glob(filepath.Join(dir, "run", "events*")); len(events) != 1 {
		t.Errorf("there are the files of %d runs", len(events))
	}
	hangUp(t, winner)
	again := begin(t, dir, "train", "--resume", "run")
	await(t, filepath.Join(dir, "run", ".bloom-lock"))
	hangUp(t, again)
	if rest, _ := filepath.Glob(filepath.Join(dir, "run", ".*")); len(rest) != 0 {
		t.Errorf("left are %v", rest)
	}
}

// TestIgnoredHangUp: a process that was started with SIGHUP ignored, as nohup does, trains on after one.
func TestIgnoredHangUp(t *testing.T) {
	ignored := signal.Ignored(syscall.SIGHUP)
	signal.Ignore(syscall.SIGHUP)
	dir := t.TempDir()
	p := begin(t, dir, "train", "--data", "karate", "--recipe", "base", "--out", "run",
		"--set", "train.epochs=100000000", "--set", "train.patience=0")
	if !ignored {
		signal.Reset(syscall.SIGHUP)
	}
	await(t, filepath.Join(dir, "run", "metrics.jsonl"))
	if err := p.Process.Signal(syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	select {
	case code := <-p.done:
		t.Fatalf("exit %d: %s", code, &p.stderr)
	case <-time.After(time.Second):
	}
}

// hangUp takes the connection of a process away once it trains.
func hangUp(t *testing.T, p *process) {
	t.Helper()
	await(t, filepath.Join(p.Dir, "run", "metrics.jsonl"))
	time.Sleep(200 * time.Millisecond)
	if err := p.Process.Signal(syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	select {
	case code := <-p.done:
		if code != exitStopped || !strings.Contains(p.stderr.String(), "bloom train --resume run") {
			t.Errorf("exit %d: %s", code, &p.stderr)
		}
	case <-time.After(time.Minute):
		t.Fatal("it does not stop")
	}
	if _, err := os.Stat(filepath.Join(p.Dir, "run", "checkpoint", "last.safetensors")); err != nil {
		t.Error(err)
	}
}

// await waits until there is a file.
func await(t *testing.T, path string) {
	t.Helper()
	for range 600 {
		if _, err := os.Stat(path); err == nil {
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
	t.Fatalf("there is no %s", path)
}
