package catalogue

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/bloomgml/bloom/internal/files"
)

const (
	maxDownload = 16 << 30         // bytes of a file whose size is not pinned
	tries       = 5                // of one address, as long as each try makes progress
	stallAfter  = 60 * time.Second // without a byte
)

// fetch downloads f to the path to, from the first of the addresses that has it, and verifies it. The data of a broken
// connection stays next to it, in a .part file, for the next try, if a checksum tells whether the rest belongs to it.
func (g *getter) fetch(ctx context.Context, at []string, f setFile, to string) error {
	if g.verify(to, f) == nil {
		return nil // an earlier call got this far
	}
	var all []error
	for _, address := range at {
		err := g.fetchFrom(ctx, address, f, to)
		if err == nil || ctx.Err() != nil {
			return err
		}
		all = append(all, err)
	}
	return errors.Join(all...)
}

// fetchFrom downloads from one address. If a resumed download turns out wrong, it is repeated once from the beginning.
func (g *getter) fetchFrom(ctx context.Context, address string, f setFile, to string) error {
	d := &download{getter: g, file: g.record.pinned(g.key(f), f), address: address, part: to + ".part"}
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	for {
		if err := d.complete(ctx); err != nil {
			return err
		}
		err := verifyFile(d.part, d.file)
		if err == nil {
			return os.Rename(d.part, to)
		}
		_ = os.Remove(d.part)
		if !d.resumed {
			var wrong *files.Error
			if errors.As(err, &wrong) {
				return files.Errorf(address, "%s", wrong.Text)
			}
			return err
		}
		d.resumed = false
	}
}

// download is a file being downloaded.
type download struct {
	*getter
	file    setFile
	address string
	part    string // path of what is there so far
	resumed bool   // the part began with an earlier response
}

// complete requests the rest of the file until it is complete.
func (d *download) complete(ctx context.Context) error {
	for try := 1; ; try++ {
		before := d.size()
		err := d.request(ctx)
		if err == nil || ctx.Err() != nil || try == tries || d.size() <= before {
			return err
		}
	}
}

// size returns how many bytes were downloaded.
func (d *download) size() int64 {
	info, err := os.Stat(d.part)
	if err != nil {
		return 0
	}
	return info.Size()
}

// request sends one request and appends the response to the part.
func (d *download) request(ctx context.Context) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	have := d.size()
	if d.file.SHA256 == "" || have >= d.file.Bytes {
		have = 0
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, d.address, nil)
	if err != nil {
		return err
	}
	if have > 0 {
		request.Header.Set("Range", fmt.Sprintf("bytes=%d-", have))
	}
	stall := time.AfterFunc(stallAfter, func() { stop(fmt.Errorf("no data for %v", stallAfter)) })
	defer stall.Stop()
	response, err := d.Client.Do(request)
	if err != nil {
		return d.because(ctx, err)
	}
	defer response.Body.Close()
	if have, err = d.accept(response, have); err != nil {
		return err
	}
	return d.because(ctx, d.receive(response, have, stall))
}

// accept checks the status and returns where in the file the body begins.
func (d *download) accept(r *http.Response, have int64) (int64, error) {
	switch {
	case r.StatusCode == http.StatusOK:
		return 0, nil
	case r.StatusCode == http.StatusPartialContent && have > 0:
		if !strings.HasPrefix(r.Header.Get("Content-Range"), fmt.Sprintf("bytes %d-", have)) {
			_ = os.Remove(d.part)
			return 0, fmt.Errorf("%s: asked for bytes from %d on, got %q", d.address, have,
				r.Header.Get("Content-Range"))
		}
		d.resumed = true
		return have, nil
	case r.StatusCode == http.StatusRequestedRangeNotSatisfiable:
		_ = os.Remove(d.part)
	}
	return 0, fmt.Errorf("%s: the server answers %s", d.address, r.Status)
}

// receive writes the body to the part, from byte have on.
func (d *download) receive(r *http.Response, have int64, stall *time.Timer) error {
	f, err := os.OpenFile(d.part, os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := f.Truncate(have); err != nil {
		return err
	}
	if _, err := f.Seek(have, io.SeekStart); err != nil {
		return err
	}
	limit, total := int64(maxDownload), int64(0)
	if r.ContentLength >= 0 {
		total = have + r.ContentLength
	}
	if d.file.SHA256 != "" {
		limit, total = d.file.Bytes, d.file.Bytes
	}
	done := have
	body := files.Watched{R: r.Body, Each: func(p []byte) error {
		if done += int64(len(p)); len(p) > 0 {
			stall.Reset(stallAfter)
		}
		if d.Progress != nil && len(p) > 0 {
			d.Progress(path.Base(d.file.Path), done, total)
		}
		return nil
	}}
	n, err := io.Copy(f, io.LimitReader(body, limit-have+1))
	if err != nil {
		return err
	}
	if have+n > limit {
		f.Close() // Windows removes no open file
		_ = os.Remove(d.part)
		return files.Errorf(d.address, "has more than %d bytes", limit)
	}
	return f.Close()
}

// because adds the address to err, and prefers the reason why ctx ended to the fact that it did. A network error is not
// a mistake in a file.
func (d *download) because(ctx context.Context, err error) error {
	var known *files.Error
	var inner *url.Error
	switch cause := context.Cause(ctx); {
	case err == nil || errors.As(err, &known):
		return err
	case errors.Is(cause, context.Canceled):
		return cause
	case cause != nil:
		err = cause
	case errors.As(err, &inner):
		err = inner.Err
	}
	return fmt.Errorf("%s: %w", d.address, err)
}
