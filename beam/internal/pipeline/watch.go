package pipeline

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/log"
)

// defaultPatience is more than Flink takes to notice by itself that a worker is gone: three minutes if that has
// connected for control and not yet for data.
const defaultPatience = 10 * time.Minute

// tries is the number of times that a stalled pipeline is started, with twice the patience every time.
const tries = 4

// stalled is why a pipeline was given up: no file of its folder changed for so long.
type stalled struct {
	dir  string
	long time.Duration
}

func (s stalled) Error() string {
	return fmt.Sprintf("%s: no file was written for %v: a worker may be lost", s.dir, s.long)
}

// watched calls do, which writes files into dir, and calls it again if no file changes for patience. do must be
// idempotent.
func watched(ctx context.Context, dir string, patience time.Duration, do func(context.Context) error) error {
	for try := 1; ; try++ {
		err := once(ctx, dir, patience, do)
		var why stalled
		if !errors.As(err, &why) || try == tries {
			return err
		}
		log.Warnf(ctx, "%v: the pipeline is restarted", why)
		patience *= 2
	}
}

// once calls do, and stops it if no file of dir changes for patience.
func once(ctx context.Context, dir string, patience time.Duration, do func(context.Context) error) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	go look(ctx, dir, patience, stop)
	err := do(ctx)
	if err != nil && errors.As(context.Cause(ctx), new(stalled)) {
		return because(ctx, err)
	}
	return err
}

// look calls stop when no file of dir has changed for as long as patience.
func look(ctx context.Context, dir string, patience time.Duration, stop context.CancelCauseFunc) {
	tick := time.NewTicker(max(patience/20, time.Millisecond))
	defer tick.Stop()
	was, since := trace(dir), time.Now()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if is := trace(dir); is != was {
			was, since = is, time.Now()
		} else if time.Since(since) >= patience {
			stop(stalled{dir, patience})
			return
		}
	}
}

// mark tells whether files were added or changed: their number, and when the last was written.
type mark struct {
	files int
	last  time.Time
}

// trace returns the mark of a folder; unreadable files do not count.
func trace(dir string) (m mark) {
	list, _ := os.ReadDir(dir) // without it nothing has changed
	for _, e := range list {
		info, err := e.Info()
		if err != nil {
			continue // it was removed meanwhile
		}
		m.files++
		if t := info.ModTime(); t.After(m.last) {
			m.last = t
		}
	}
	return m
}
