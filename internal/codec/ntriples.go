package codec

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
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
// except for IRIs with escapes.
func ParseTriple(line []byte) (t Triple, ok bool, err error) {
	rest := bytes.TrimLeft(bytes.TrimRight(line, "\r"), " \t")
	if len(rest) == 0 || rest[0] == '#' {
		return Triple{}, false, nil
	}
	expected := func(what string) (Triple, bool, error) {
		return Triple{}, false, fmt.Errorf("column %d: expected %s, found %.40q", len(line)-len(rest)+1, what, rest)
	}
	for k, term := range []*Term{&t.Subject, &t.Predicate, &t.Object} {
		var after []byte
		*term, after, err = cutTerm(rest)
		if err != nil || term.Kind == Literal && k < 2 || term.Kind == Blank && k == 1 {
			return expected([]string{"a subject: an absolute IRI in <> or a blank node _:b",
				"a predicate: an absolute IRI in <>",
				"an object: an absolute IRI in <>, a blank node _:b or a literal in quotes"}[k])
		}
		rest = bytes.TrimLeft(after, " \t")
	}
	if !bytes.HasPrefix(rest, []byte{'.'}) {
		return expected("the full stop")
	}
	rest = bytes.TrimLeft(rest[1:], " \t")
	if len(rest) > 0 && rest[0] != '#' {
		return expected("nothing after the full stop")
	}
	return t, true, nil
}

var errTerm = errors.New("not a term")

// The parts of terms. Characters beyond ASCII may be in every label.
var (
	blankLabel = regexp.MustCompile(`^_:[0-9A-Za-z_:\x{80}-\x{10FFFF}][-.0-9A-Za-z_:\x{80}-\x{10FFFF}]*`)
	language   = regexp.MustCompile(`^@[A-Za-z]+(?:-[0-9A-Za-z]+)*`)
	escapes    = regexp.MustCompile(`^(?:[^\\]|\\[tbnrf"'\\]|\\u[0-9A-Fa-f]{4}|\\U00(?:0[0-9A-Fa-f]|10)[0-9A-Fa-f]{4})*$`)
	codePoint  = regexp.MustCompile(`\\u[0-9A-Fa-f]{4}|\\U[0-9A-Fa-f]{8}`)
)

// cutTerm reads a term of any kind and returns what follows it.
func cutTerm(b []byte) (t Term, rest []byte, err error) {
	switch {
	case len(b) == 0:
	case b[0] == '<':
		text, rest, err := cutIRI(b)
		return Term{IRI, text}, rest, err
	case b[0] == '_':
		label := blankLabel.Find(b)
		if label = bytes.TrimRight(label, "."); len(label) > 2 { // a full stop at its end ends the statement
			return Term{Blank, label}, b[len(label):], nil
		}
	case b[0] == '"':
		n := 1
		for n < len(b) && b[n] != '"' {
			if b[n] == '\\' {
				n++
			}
			n++
		}
		if n >= len(b) || bytes.IndexByte(b[:n], '\\') >= 0 && !escapes.Match(b[1:n]) {
			break
		}
		rest = b[n+1:]
		switch {
		case bytes.HasPrefix(rest, []byte("^^<")):
			if _, rest, err = cutIRI(rest[2:]); err != nil {
				return t, b, err
			}
		case bytes.HasPrefix(rest, []byte{'@'}):
			name := language.Find(rest)
			if rest = rest[len(name):]; name == nil {
				return t, b, errTerm
			}
		}
		return Term{Literal, b[:len(b)-len(rest)]}, rest, nil
	}
	return t, b, errTerm
}

// cutIRI reads <…>, which must be absolute: it has a colon.
func cutIRI(b []byte) (text, rest []byte, err error) {
	n := 1
	for n < len(b) && b[n] > ' ' && b[n] != '<' && b[n] != '>' && b[n] != '"' {
		n++
	}
	if n == len(b) || b[n] != '>' || bytes.IndexByte(b[:n], ':') < 2 {
		return nil, b, errTerm
	}
	if text = b[1:n]; bytes.IndexByte(text, '\\') >= 0 {
		if bytes.IndexByte(codePoint.ReplaceAll(text, nil), '\\') >= 0 || !escapes.Match(text) {
			return nil, b, errTerm
		}
		text = codePoint.ReplaceAllFunc(text, func(escape []byte) []byte {
			r, _ := strconv.ParseUint(string(escape[2:]), 16, 32) // hexadecimal digits, as the pattern says
			return utf8.AppendRune(nil, rune(r))
		})
	}
	return text, b[n+1:], nil
}
