package table

import (
	"bufio"
	"bytes"
	"io"
	"os"
	"sync/atomic"
	"unicode/utf16"
	"unicode/utf8"

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
	t.buf = bufio.NewReaderSize(files.Watched{R: t.f, Each: func(p []byte) error {
		t.done.Add(int64(len(p)))
		return nil
	}}, 1<<16)
	if magic, _ := t.buf.Peek(2); bytes.Equal(magic, gzipMagic) {
		if t.zip, err = gzip.NewReader(t.buf); err != nil {
			return t.failed(err)
		}
		t.buf = bufio.NewReaderSize(t.zip, 1<<16)
	}
	mark, _ := t.buf.Peek(2) // of UTF-16, with the high byte first or last
	if big := string(mark) == "\xfe\xff"; big || string(mark) == "\xff\xfe" {
		t.buf = bufio.NewReaderSize(&utf16Reader{in: t.buf, big: big}, 1<<16)
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

func (t *file) Close() error { return t.f.Close() }

// windows1252 are the characters of the bytes 0x80 to 0x9f in that encoding; higher bytes are the characters of the
// same number, as in Latin-1.
var windows1252 = []rune("€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ")

// recode returns text with every byte that is not UTF-8 read as Windows-1252, and how many lines have one.
func recode(text []byte) (out []byte, lines int) {
	out = make([]byte, 0, len(text)+len(text)/8)
	for line := range bytes.Lines(text) {
		if utf8.Valid(line) {
			out = append(out, line...)
			continue
		}
		lines++
		for len(line) > 0 {
			at := invalidAt(line)
			if out = append(out, line[:at]...); at == len(line) {
				break
			}
			r := rune(line[at])
			if r < 0xa0 {
				r = windows1252[r-0x80]
			}
			out = utf8.AppendRune(out, r)
			line = line[at+1:]
		}
	}
	return out, lines
}

// validText returns an error if text has a zero byte. Text that is not UTF-8 is an error too, or, if recoding is set,
// read as Windows-1252 unless it has other control bytes; lines is the number of such lines.
func validText(path string, text []byte, line int, recoding bool) (_ []byte, lines int, err error) {
	if zero := bytes.IndexByte(text, 0); zero >= 0 {
		return nil, 0, files.ErrorAt(path, line+bytes.Count(text[:zero], []byte{'\n'}), "a zero byte: not a text file")
	}
	if utf8.Valid(text) {
		return text, 0, nil
	}
	at := invalidAt(text)
	if !recoding {
		return nil, 0, files.ErrorAt(path, line+bytes.Count(text[:at], []byte{'\n'}), "byte 0x%02x is not UTF-8",
			text[at])
	}
	if at := bytes.IndexFunc(text, func(r rune) bool { return r < '\t' }); at >= 0 {
		return nil, 0, files.ErrorAt(path, line+bytes.Count(text[:at], []byte{'\n'}), "byte 0x%02x: not a text file",
			text[at])
	}
	text, lines = recode(text)
	return text, lines, nil
}

// utf16Reader reads text in UTF-16 as UTF-8.
type utf16Reader struct {
	in   *bufio.Reader
	big  bool   // the high byte comes first
	rest []byte // not returned yet
}

// unit returns the next 16 bits.
func (u *utf16Reader) unit() (rune, error) {
	var b [2]byte
	if _, err := io.ReadFull(u.in, b[:]); err != nil {
		return 0, err
	}
	if u.big {
		return rune(b[0])<<8 | rune(b[1]), nil
	}
	return rune(b[1])<<8 | rune(b[0]), nil
}

// Read reads UTF-8.
func (u *utf16Reader) Read(p []byte) (int, error) {
	for len(u.rest) == 0 {
		for len(u.rest) < 4096 {
			r, err := u.unit()
			if err == io.EOF && len(u.rest) > 0 {
				break
			}
			if err != nil {
				return 0, err
			}
			if utf16.IsSurrogate(r) {
				low, err := u.unit()
				if err != nil {
					return 0, err
				}
				r = utf16.DecodeRune(r, low)
			}
			u.rest = utf8.AppendRune(u.rest, r)
		}
	}
	n := copy(p, u.rest)
	u.rest = u.rest[:copy(u.rest, u.rest[n:])]
	return n, nil
}
