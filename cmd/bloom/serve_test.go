package main

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"
)

// notes is a writer that can be read while others write.
type notes struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (n *notes) Write(p []byte) (int, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.b.Write(p)
}

func (n *notes) String() string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.b.String()
}

// TestServe: a run answers at the address that is said, until the command is stopped.
func TestServe(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "small")
	var said notes
	if code := execute(t.Context(), newRoot(commands()...), []string{"train", "--data", "csbm:nodes=60,features=3",
		"--recipe", "base", "--set", "train.epochs=3", "--out", dir}, io.Discard, &said); code != exitDone {
		t.Fatalf("train: exit %d: %s", code, &said)
	}
	if code := execute(t.Context(), newRoot(commands()...), []string{"serve", dir, "--addr", "0.0.0.0:0"}, io.Discard,
		&said); code != exitUsage {
		t.Errorf("an address that others reach: exit %d, want %d", code, exitUsage)
	}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	ended := make(chan int, 1)
	go func() {
		args := []string{"serve", dir, "--addr", "127.0.0.1" + ":0"}
		ended <- execute(ctx, newRoot(commands()...), args, io.Discard, &said)
	}()
	at := regexp.MustCompile(`small is at (\S+)`)
	for range 200 {
		if at.MatchString(said.String()) {
			break
		}
		time.Sleep(50 * time.Millisecond)
	}
	found := at.FindStringSubmatch(said.String())
	if found == nil {
		t.Fatalf("no address: %s", &said)
	}
	resp, err := http.Get(found[1])
	if err != nil {
		t.Fatal(err)
	}
	text, _ := io.ReadAll(resp.Body)
	if resp.StatusCode != http.StatusOK || !strings.Contains(string(text), `"name":"small"`) {
		t.Errorf("%d %s", resp.StatusCode, text)
	}
	stop()
	select {
	case code := <-ended:
		if code != exitDone || !strings.Contains(said.String(), "stopped") {
			t.Errorf("exit %d: %s", code, &said)
		}
	case <-time.After(20 * time.Second):
		t.Fatal("it did not stop")
	}
}
