package table

import (
	"bufio"
	"bytes"
	"io"
	"os"
	"sync/atomic"

	"github.com/klauspost/compress/gzip"

	"github.com/bloomgml/bloom/internal/files"
)

// file is an open file, decompressed if it is compressed.
type file struct {
	path string
	size int64
	f    *os.File
	done atomic.Int64 // bytes read of f
	zip  *gzip.Reader // nil when it is not compressed
	buf  *bufio.Reader

	budget *files.Budget
}

var gzipMagic = []byte{0x1f, 0x8b}

// openFile opens a file, which must not be a folder, to be read within a budget.
func openFile(path string, b *files.Budget) (*file, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, files.Because(path, err)
	}
	t := &file{path: path, f: f, budget: b}
	if err := t.start(); err != nil {
		f.Close()
		return nil, err
	}
	b.Admit(path, t.size)
	return t, nil
}

// start starts reading at the first byte.
func (t *file) start() error {
	info, err := t.f.Stat()
	switch {
	case err != nil:
		return files.Because(t.path, err)
	case info.IsDir():
		return files.Errorf(t.path, "a folder, want a file")
	case info.Size() == 0 && info.Mode().IsRegular():
		return files.Errorf(t.path, "the file is empty")
	}
	t.size = info.Size()
	t.buf = bufio.NewReaderSize(counted{t}, 1<<16)
	if magic, _ := t.buf.Peek(2); bytes.Equal(magic, gzipMagic) {
		if t.zip, err = gzip.NewReader(t.buf); err != nil {
			return t.failed(err)
		}
		t.buf = bufio.NewReaderSize(t.zip, 1<<16)
	}
	if mark, _ := t.buf.Peek(2); len(mark) == 2 {
		if is, big := isUTF16(mark); is {
			t.buf = bufio.NewReaderSize(&utf16Reader{in: t.buf, big: big}, 1<<16)
		}
	}
	return nil
}

// again restarts at the first byte.
func (t *file) again() error {
	if _, err := t.f.Seek(0, io.SeekStart); err != nil {
		return files.Because(t.path, err)
	}
	t.done.Store(0)
	t.zip = nil
	return t.start()
}

// head returns the first bytes of the content. A file that was compressed twice is an error.
func (t *file) head() ([]byte, error) {
	head, err := t.buf.Peek(512)
	if err != nil && err != io.EOF {
		return nil, t.failed(err)
	}
	switch {
	case len(head) == 0:
		return nil, files.Errorf(t.path, "the file is empty")
	case t.zip != nil && bytes.HasPrefix(head, gzipMagic):
		return nil, files.Errorf(t.path, "compressed more than once")
	}
	return head, nil
}

// Read reads the content.
func (t *file) Read(p []byte) (int, error) {
	n, err := t.buf.Read(p)
	if err != nil && err != io.EOF {
		err = t.failed(err)
	}
	return n, err
}

// failed returns a read error, with an explanation if the file is compressed.
func (t *file) failed(err error) error {
	if t.zip == nil {
		return files.Because(t.path, err)
	}
	e := files.ErrorAtByte(t.path, t.done.Load(), "the compressed file is damaged or cut off: %v", err)
	e.Err = err
	return e
}

// Progress returns how much was read of the file on disk.
func (t *file) Progress() (done, total int64) { return t.done.Load(), t.size }

// Close closes the file.
func (t *file) Close() error { return t.f.Close() }

// counted counts what is read of a file.
type counted struct{ t *file }

func (c counted) Read(p []byte) (int, error) {
	n, err := c.t.f.Read(p)
	c.t.done.Add(int64(n))
	return n, err
}
