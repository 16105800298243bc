package table

import (
	"bytes"
	"cmp"
	"io"
	"unicode/utf8"

	"github.com/bloomgml/bloom/internal/files"
)

// blocks cuts text into blocks of whole rows. A row ends at the end of a line; if quotes count, at a line end that is
// not between quotes.
type blocks struct {
	file   *file
	quotes bool
	loose  bool   // a row that is too long may end at any line end: it has a stray quote
	size   int    // bytes of a block, batchBytes if 0
	line   int    // of the first row of the next block, from 1
	rest   []byte // the beginning of the next block, read already
	end    bool   // the file has no more
}

// next replaces dst by the next block and returns it with its first line; io.EOF after the last.
func (b *blocks) next(dst []byte) (text []byte, line int, err error) {
	text, line = append(dst[:0], b.rest...), b.line
	b.rest = b.rest[:0]
	for want := cmp.Or(b.size, batchBytes); ; want *= 2 {
		if text, err = b.fill(text, want); err != nil {
			return nil, 0, err
		}
		cut := b.cut(text)
		if b.end {
			cut = len(text)
		}
		if cut > 0 {
			return b.take(text, cut), line, nil
		}
		if b.end {
			return nil, 0, io.EOF
		}
		if cut = bytes.LastIndexByte(text, '\n') + 1; cut > 0 && b.loose && len(text) > maxRow {
			return b.take(text, cut), line, nil
		}
		if len(text) > maxRow {
			hint := ""
			if b.quotes && bytes.IndexByte(text, '"') >= 0 {
				hint = "; a quote is not closed"
			}
			return nil, 0, files.ErrorAt(b.file.path, line, "the row has no end within %d bytes%s", maxRow, hint)
		}
	}
}

// take keeps what is behind cut for the next block.
func (b *blocks) take(text []byte, cut int) []byte {
	b.rest = append(b.rest, text[cut:]...)
	b.line += bytes.Count(text[:cut], []byte{'\n'})
	return text[:cut]
}

// fill reads until text has the wanted length or the file ends.
func (b *blocks) fill(text []byte, want int) ([]byte, error) {
	if cap(text) < want {
		if err := b.file.budget.Take(int64(want-cap(text)), "a block of rows"); err != nil {
			return nil, err
		}
		text = append(make([]byte, 0, want), text...)
	}
	for len(text) < want && !b.end {
		n, err := b.file.Read(text[len(text):want])
		text = text[:len(text)+n]
		switch {
		case err == io.EOF:
			b.end = true
		case err != nil:
			return nil, err
		}
	}
	return text, nil
}

// cut returns where the last whole row of text ends, 0 if no row is whole. Text begins outside quotes, so a line end is
// outside if the number of quotes before it is even.
func (b *blocks) cut(text []byte) int {
	at := bytes.LastIndexByte(text, '\n')
	if at < 0 || !b.quotes {
		return at + 1
	}
	quotes := bytes.Count(text[:at], []byte{'"'})
	for quotes%2 != 0 {
		before := bytes.LastIndexByte(text[:at], '\n')
		if before < 0 {
			return 0
		}
		quotes -= bytes.Count(text[before:at], []byte{'"'})
		at = before
	}
	return at + 1
}

// invalidAt returns the position of the first byte that is not UTF-8, len(text) if all are.
func invalidAt(text []byte) int {
	for at := 0; at < len(text); {
		r, n := utf8.DecodeRune(text[at:])
		if r == utf8.RuneError && n == 1 {
			return at
		}
		at += n
	}
	return len(text)
}
