package codec

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"unicode/utf8"

	"github.com/bloomgml/bloom/internal/files"
)

// TermKind is the kind of a term.
type TermKind uint8

// The kinds of terms.
const (
	IRI     TermKind = iota // Text without the angle brackets, escapes resolved
	Blank                   // Text with its _:
	Literal                 // Text as it is written, with quotes, escapes, and language or datatype
)

// Term is a subject, predicate or object. Text belongs to the Reader.
type Term struct {
	Kind TermKind
	Text []byte
}

// Triple is a statement: the subject is not a literal and the predicate is an IRI.
type Triple struct{ Subject, Predicate, Object Term }

// maxLine bounds the memory of a line.
const maxLine = 64 << 20

// TripleReader reads statements one after another.
type TripleReader struct {
	file string
	scan *bufio.Scanner
	line int
}

// NewTripleReader returns a reader of r; errors call it file.
func NewTripleReader(r io.Reader, file string) *TripleReader {
	s := bufio.NewScanner(r)
	s.Buffer(make([]byte, 0, 1<<18), maxLine)
	return &TripleReader{file: file, scan: s}
}

// Next returns the next statement, whose bytes are valid until the next call. It skips empty lines and comments. The
// error after the last statement is io.EOF, any other is a *files.Error with the line.
func (r *TripleReader) Next() (Triple, error) {
	for r.scan.Scan() {
		r.line++
		line := r.scan.Bytes()
		if !utf8.Valid(line) {
			return Triple{}, files.ErrorAt(r.file, r.line, "is not valid UTF-8")
		}
		t, ok, err := ParseTriple(line)
		if err != nil {
			return Triple{}, files.ErrorAt(r.file, r.line, "%v", err)
		}
		if ok {
			return t, nil
		}
	}
	err := r.scan.Err()
	var known *files.Error
	switch {
	case err == nil:
		return Triple{}, io.EOF
	case errors.As(err, &known):
		return Triple{}, err
	case errors.Is(err, bufio.ErrTooLong):
		return Triple{}, files.ErrorAt(r.file, r.line+1, "the line is longer than %d bytes", maxLine)
	}
	return Triple{}, &files.Error{File: r.file, Line: r.line + 1, Offset: -1, Text: err.Error(), Err: err}
}

// ParseTriple reads a line of valid UTF-8. ok is false if it is empty or a comment. Terms are slices of the line,
// except for
// IRIs with escapes.
func ParseTriple(line []byte) (t Triple, ok bool, err error) {
	p := tripleParser{line: bytes.TrimSuffix(line, []byte{'\r'})}
	if p.atEnd() {
		return Triple{}, false, nil
	}
	if t.Subject, err = p.term(); err != nil {
		return Triple{}, false, err
	}
	if t.Subject.Kind == Literal {
		return Triple{}, false, p.expected(0, "a subject: an IRI in <> or a blank node _:b")
	}
	p.space()
	at := p.at
	if t.Predicate, err = p.term(); err != nil {
		return Triple{}, false, err
	}
	if t.Predicate.Kind != IRI {
		return Triple{}, false, p.expected(at, "a predicate: an IRI in <>")
	}
	p.space()
	if t.Object, err = p.term(); err != nil {
		return Triple{}, false, err
	}
	p.space()
	if p.peek() != '.' {
		return Triple{}, false, p.expected(p.at, "the full stop")
	}
	p.at++
	if !p.atEnd() {
		return Triple{}, false, p.expected(p.at, "nothing after the full stop")
	}
	return t, true, nil
}
