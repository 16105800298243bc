package pipeline

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"
)

// TestWatched: what stalls is started again, with twice the patience every time and not for ever; what writes files, or
// fails by itself, is left alone.
func TestWatched(t *testing.T) {
	broken := errors.New("broken")
	still := func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }
	for _, c := range []struct {
		name  string
		do    func(ctx context.Context, dir string, try int) error
		err   error
		tries int
		took  time.Duration
	}{
		{"done", func(context.Context, string, int) error { return nil }, nil, 1, 0},
		{"broken", func(context.Context, string, int) error { return broken }, broken, 1, 0},
		{"slow", func(ctx context.Context, dir string, _ int) error {
			for i := range 5 {
				time.Sleep(50 * time.Second)
				if err := os.WriteFile(filepath.Join(dir, fmt.Sprint(i)), nil, 0o666); err != nil {
					return err
				}
			}
			return ctx.Err()
		}, nil, 1, 250 * time.Second},
		{"once", func(ctx context.Context, _ string, try int) error {
			if try > 1 {
				return nil
			}
			return still(ctx)
		}, nil, 2, time.Minute},
		{"for ever", func(ctx context.Context, _ string, _ int) error { return still(ctx) }, stalled{}, tries,
			15 * time.Minute},
	} {
		synctest.Test(t, func(t *testing.T) {
			dir, try, begin := t.TempDir(), 0, time.Now()
			err := watched(t.Context(), dir, time.Minute, func(ctx context.Context) error {
				try++
				return c.do(ctx, dir, try)
			})
			var why stalled
			if errors.As(err, &why) && !errors.Is(err, context.Canceled) { // nobody has stopped it
				err = stalled{}
			}
			if !errors.Is(err, c.err) || try != c.tries || time.Since(begin) != c.took {
				t.Errorf("%s: %v after %d tries and %v, want %v after %d and %v", c.name, err, try, time.Since(begin),
					c.err, c.tries, c.took)
			}
		})
	}
}
