package codec

import (
	"encoding/binary"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/bloomgml/bloom/internal/files"
)

// magic begins every .npy file.
const magic = "\x93NUMPY"

// maxHeader bounds the length of a header, which versions 2.0 and 3.0 give in 4 bytes. NumPy itself
// reads no more than 10000 bytes unless it is told to.
const maxHeader = 1 << 20

// header is what a .npy file says about its array.
type header struct {
	dtype   DType
	fortran bool
	shape   []int
	size    int64 // of the elements, in bytes
	end     int64 // where they begin
}

// readHeader reads the header of a file of the given size: magic, version, the length of a Python dict literal, and the
// literal.
func readHeader(file string, r io.Reader, bytes int64) (*header, error) {
	var b [12]byte
	if _, err := io.ReadFull(r, b[:10]); err != nil {
		return nil, short(file, 0, err, "the file ends inside the header")
	}
	if string(b[:6]) != magic {
		return nil, files.ErrorAtByte(file, 0, "not a .npy file: it begins with % x", b[:6])
	}
	start, length := int64(10), int64(binary.LittleEndian.Uint16(b[8:]))
	switch version := b[6]; {
	case version == 0 || version > 3:
		return nil, files.ErrorAtByte(file, 6, "version %d.%d of the .npy format; 1.0, 2.0 and 3.0 are read", b[6],
			b[7])
	case version > 1:
		if _, err := io.ReadFull(r, b[10:]); err != nil {
			return nil, short(file, 10, err, "the file ends inside the header")
		}
		start, length = 12, int64(binary.LittleEndian.Uint32(b[8:]))
	}
	if length > maxHeader || length > bytes-start {
		return nil, files.ErrorAtByte(file, 8, "a header of %d bytes, in a file of %d", length, bytes)
	}
	literal := make([]byte, length)
	if n, err := io.ReadFull(r, literal); err != nil {
		return nil, short(file, start+int64(n), err, "the file ends inside the header")
	}
	p := &parser{file: file, start: start, text: string(literal)}
	h, err := p.header()
	if err != nil {
		return nil, err
	}
	h.end = start + length
	return h, nil
}

// short returns the error for a read that returned too little: the end of the file, or its cause.
func short(file string, at int64, err error, text string) error {
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return files.ErrorAtByte(file, at, "%s", text)
	}
	return &files.Error{File: file, Offset: at, Text: err.Error(), Err: err}
}

// parser reads the dict literal, {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }, in any
// order and with any white space. After the first mistake, err, it reads no further.
type parser struct {
	file  string
	start int64 // of text in file
	text  string
	at    int
	err   error
}

// header reads all of the literal.
func (p *parser) header() (*header, error) {
	h, seen := &header{}, map[string]bool{}
	p.expect('{')
	for p.err == nil && p.peek() != '}' {
		place := p.at // peek has skipped white space
		key := p.quoted()
		p.expect(':')
		if seen[key] {
			p.fail(place, "the header has %q twice", key)
		}
		seen[key] = true
		p.value(h, place, key)
		if p.peek() != '}' {
			p.expect(',')
		}
	}
	p.expect('}')
	if rest := p.text[p.at:]; p.err == nil && strings.TrimSpace(rest) != "" {
		p.fail(p.at, "text after the header: %.20q", rest)
	}
	for _, key := range []string{"descr", "fortran_order", "shape"} {
		if !seen[key] {
			p.fail(0, "the header has no %q", key)
		}
	}
	if p.err != nil {
		return nil, p.err
	}
	var err error
	if h.size, err = byteSize(h.dtype, h.shape); err != nil {
		return nil, files.ErrorAtByte(p.file, p.start, "%v", err)
	}
	return h, nil
}

// value reads the value of a key into h.
func (p *parser) value(h *header, place int, key string) {
	switch key {
	case "descr":
		h.dtype = p.descr()
	case "fortran_order":
		h.fortran = p.boolean()
	case "shape":
		h.shape = p.tuple()
	default:
		p.fail(place, "the header has an unknown key %q", key)
	}
}

// descr reads the type of the elements. A record type is a list.
func (p *parser) descr() DType {
	first := p.peek()
	place := p.at
	if first == '[' {
		p.fail(place, "elements that are records are not read")
		return DType{}
	}
	d, err := ParseDType(p.quoted())
	if err != nil {
		p.fail(place, "%v", err)
	}
	return d
}

// boolean reads True or False.
func (p *parser) boolean() bool {
	p.peek()
	for word, value := range map[string]bool{"True": true, "False": false} {
		if strings.HasPrefix(p.text[p.at:], word) {
			p.at += len(word)
			return value
		}
	}
	p.fail(p.at, "neither True nor False")
	return false
}

// tuple reads (3, 4), (3,) or (). Python 2 writes 3L for large numbers.
func (p *parser) tuple() []int {
	shape := []int{}
	p.expect('(')
	for p.err == nil && p.peek() != ')' {
		place := p.at
		for p.at < len(p.text) && (p.text[p.at] == '-' || '0' <= p.text[p.at] && p.text[p.at] <= '9') {
			p.at++
		}
		digits := p.text[place:p.at]
		n, err := strconv.ParseInt(digits, 10, strconv.IntSize)
		if err != nil || n < 0 {
			p.fail(place, "a dimension %.30q, which is not a number from 0 to 2⁶³−1", digits)
		}
		shape = append(shape, int(n))
		if p.peek() == 'L' {
			p.at++
		}
		if p.peek() != ')' {
			p.expect(',')
		}
		if len(shape) > MaxDims {
			p.fail(place, "more than %d dimensions", MaxDims)
		}
	}
	p.expect(')')
	return shape
}

// quoted reads a string in either kind of quotes, without escapes.
func (p *parser) quoted() string {
	quote := p.peek()
	if quote != '\'' && quote != '"' {
		p.fail(p.at, "a quoted string is missing")
		return ""
	}
	text, _, found := strings.Cut(p.text[p.at+1:], string(quote))
	if !found {
		p.fail(p.at, "a string without an end")
		return ""
	}
	p.at += len(text) + 2
	return text
}

// peek skips white space and returns the next byte, 0 at the end.
func (p *parser) peek() byte {
	for p.at < len(p.text) && strings.IndexByte(" \t\r\n", p.text[p.at]) >= 0 {
		p.at++
	}
	if p.at == len(p.text) {
		return 0
	}
	return p.text[p.at]
}

// expect reads one byte, which must be c.
func (p *parser) expect(c byte) {
	if p.peek() != c {
		p.fail(p.at, "%q is missing in the header", c)
		return
	}
	p.at++
}

// fail records the first error, at a place of the literal.
func (p *parser) fail(place int, format string, args ...any) {
	if p.err == nil {
		p.err = files.ErrorAtByte(p.file, p.start+int64(place), "%s", fmt.Sprintf(format, args...))
	}
}
