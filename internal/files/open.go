package files

import (
	"bufio"
	"errors"
	"io"
	"os"

	"github.com/klauspost/compress/gzip"
)

// Limits bound what text files may unpack to, so that a small file cannot fill the memory.
type Limits struct {
	Bytes int64 // of one unpacked file
	Ratio int64 // unpacked bytes per packed byte, checked beyond 64 MiB
	Line  int   // bytes of the longest line
}

// Bounds is what the readers of text files keep to. It is for programs that read files of strangers, or uncommonly
// large ones, and is set before the first is read.
var Bounds = Limits{Bytes: 64 << 30, Ratio: 200, Line: 64 << 20}

// Unpacked returns how many bytes a packed file of size bytes may become.
func (l Limits) Unpacked(size int64) int64 { return min(l.Bytes, max(64<<20, size*l.Ratio)) }

// Text is an open text file, unpacked if it was packed.
type Text struct {
	*bufio.Reader
	file   *os.File
	Most   int64 // bytes that can come
	budget *Budget
}

// Close closes the file.
func (t Text) Close() error { return t.file.Close() }

// OpenText opens a text file, which may be packed by gzip whatever it is called: the first two
// bytes tell. One layer is unpacked. A packed file inside is an error, and so is one that unpacks to
// more than Bounds allows. A byte order mark is passed over. What holds its text is taken from b, which may be nil.
func OpenText(path string, b *Budget) (Text, error) {
	f, err := os.Open(path)
	if err != nil {
		return Text{}, Because(path, err)
	}
	info, err := f.Stat()
	if err != nil {
		f.Close()
		return Text{}, Because(path, err)
	}
	b.Admit(path, info.Size())
	t := Text{bufio.NewReaderSize(f, 1<<16), f, info.Size(), b}
	if isGzip(t.Reader) {
		if err := t.unpack(path); err != nil {
			f.Close()
			return Text{}, err
		}
	}
	if mark, _ := t.Peek(3); string(mark) == "\ufeff" {
		t.Discard(3)
	}
	return t, nil
}

// unpack makes the reader one of the packed content.
func (t *Text) unpack(path string) error {
	z, err := gzip.NewReader(t.Reader)
	if err != nil {
		return Because(path, err)
	}
	t.Most = Bounds.Unpacked(t.Most)
	t.Reader = bufio.NewReaderSize(NewUnpacker(path, z, t.Most), 1<<16)
	if isGzip(t.Reader) {
		return Errorf(path, "holds another gzip file; only one layer is unpacked")
	}
	return nil
}

// isGzip looks for the two bytes that every gzip file begins with.
func isGzip(r *bufio.Reader) bool {
	b, _ := r.Peek(2)
	return len(b) == 2 && b[0] == 0x1f && b[1] == 0x8b
}

// Unpacker passes on what r unpacks, up to limit bytes.
type Unpacker struct {
	file        string
	r           io.Reader
	read, limit int64
}

// NewUnpacker reads r, which unpacks a file, up to limit bytes.
func NewUnpacker(file string, r io.Reader, limit int64) *Unpacker {
	return &Unpacker{file: file, r: r, limit: limit}
}

// Read fails with the name of the file.
func (u *Unpacker) Read(p []byte) (int, error) {
	n, err := u.r.Read(p)
	u.read += int64(n)
	if u.read > u.limit {
		return 0, Errorf(u.file, "unpacks to more than %d bytes, which is the limit for a file of its size", u.limit)
	}
	if err != nil && !errors.Is(err, io.EOF) {
		err = Because(u.file, err)
	}
	return n, err
}

// Watched passes on what R reads; Each is told of it, and its error ends the reading.
type Watched struct {
	R    io.Reader
	Each func(p []byte) error
}

// Read reads from R.
func (w Watched) Read(p []byte) (int, error) {
	n, err := w.R.Read(p)
	if e := w.Each(p[:n]); e != nil {
		return 0, e
	}
	return n, err
}
