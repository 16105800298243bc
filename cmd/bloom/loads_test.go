package main

import (
	"context"
	"io"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/bloomgml/bloom/internal/keys"
)

// TestLoads: a command loads one config, and hands it down.
func TestLoads(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "club")
	one := func(line string, do func()) {
		before := keys.Loads.Load()
		do()
		if n := keys.Loads.Load() - before; n != 1 {
			t.Errorf("%s: %d configs were loaded, want 1", line, n)
		}
	}
	for _, line := range []string{"train --data karate --set train.epochs=3 --out " + dir, "predict " + dir,
		"audit " + dir, "report " + dir, "explain --node 3 " + dir} {
		one(line, func() {
			if _, said, code := bloom(t, strings.Fields(line)...); code != exitDone {
				t.Errorf("%s: exit %d: %s", line, code, said)
			}
		})
	}
	one("serve", func() {
		ctx, stop := context.WithTimeout(t.Context(), 20*time.Second)
		var said notes
		ended := make(chan int, 1)
		go func() {
			args := []string{"serve", dir, "--addr", "127.0.0.1" + ":0"}
			ended <- execute(ctx, newRoot(commands()...), args, io.Discard, &said)
		}()
		for ctx.Err() == nil && !strings.Contains(said.String(), "club is at ") {
			time.Sleep(10 * time.Millisecond)
		}
		stop()
		if <-ended; !strings.Contains(said.String(), "club is at ") {
			t.Errorf("serve: %s", &said)
		}
	})
}
