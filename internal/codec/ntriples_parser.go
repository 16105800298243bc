package codec

import (
	"bytes"
	"fmt"
	"unicode/utf8"
)

// tripleParser parses a line.
type tripleParser struct {
	line []byte
	at   int // the next byte
}

// peek returns the next byte, 0 at the end.
func (p *tripleParser) peek() byte {
	if p.at == len(p.line) {
		return 0
	}
	return p.line[p.at]
}

// space skips blanks and tabs.
func (p *tripleParser) space() {
	for p.peek() == ' ' || p.peek() == '\t' {
		p.at++
	}
}

// atEnd skips blanks and reports whether nothing but a comment follows.
func (p *tripleParser) atEnd() bool {
	p.space()
	return p.at == len(p.line) || p.line[p.at] == '#'
}

// expected returns the error that the line lacks what, at byte at.
func (p *tripleParser) expected(at int, what string) error {
	found := p.line[at:]
	if len(found) == 0 {
		return fmt.Errorf("column %d: expected %s, found the end of the line", at+1, what)
	}
	if len(found) > 40 {
		return fmt.Errorf("column %d: expected %s, found %q…", at+1, what, found[:40])
	}
	return fmt.Errorf("column %d: expected %s, found %q", at+1, what, found)
}

// term reads a term of any kind.
func (p *tripleParser) term() (Term, error) {
	switch p.peek() {
	case '<':
		text, err := p.iri()
		return Term{IRI, text}, err
	case '_':
		text, err := p.blank()
		return Term{Blank, text}, err
	case '"':
		text, err := p.literal()
		return Term{Literal, text}, err
	}
	return Term{}, p.expected(p.at, "an IRI in <>, a blank node _:b or a literal in quotes")
}

// iri reads <…> and returns what is between, which must be absolute: it has a colon.
func (p *tripleParser) iri() ([]byte, error) {
	start := p.at
	p.at++
	escaped := false
	for {
		p.plain()
		switch c := p.peek(); {
		case c == '>':
			text := p.line[start+1 : p.at]
			p.at++
			if escaped {
				text = unescape(text)
			}
			if bytes.IndexByte(text, ':') <= 0 {
				return nil, p.expected(start, "an absolute IRI, such as <http://…>")
			}
			return text, nil
		case c == '\\':
			if err := p.escape(""); err != nil {
				return nil, err
			}
			escaped = true
		default:
			return nil, p.expected(p.at, "the > of an IRI")
		}
	}
}

// plain skips characters that mean themselves in IRIs and literals: all but controls, blanks, <, >, quotes and
// backslashes. Most bytes of a file are skipped here.
func (p *tripleParser) plain() {
	rest := p.line[p.at:]
	n := 0
	for n < len(rest) && rest[n] > ' ' && rest[n] != '<' && rest[n] != '>' && rest[n] != '"' && rest[n] != '\\' {
		n++
	}
	p.at += n
}

// blank reads _:label. A full stop at its end ends the statement.
func (p *tripleParser) blank() ([]byte, error) {
	start := p.at
	p.at++
	if p.peek() != ':' {
		return nil, p.expected(start, "a blank node _:b")
	}
	p.at++
	for isLabel(p.peek()) {
		p.at++
	}
	for p.line[p.at-1] == '.' {
		p.at--
	}
	label := p.line[start+2 : p.at]
	if len(label) == 0 || label[0] == '-' || label[0] == '.' {
		return nil, p.expected(start, "a blank node _:b")
	}
	return p.line[start:p.at], nil
}

// isLabel reports whether c may be in the label of a blank node, as far as ASCII goes.
func isLabel(c byte) bool {
	return isAlnum(c) || c == '_' || c == ':' || c == '-' || c == '.' || c >= utf8.RuneSelf
}

func isAlpha(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }
func isAlnum(c byte) bool { return isAlpha(c) || '0' <= c && c <= '9' }

// literal reads "…", "…"@language or "…"^^<datatype>, and returns all of it.
func (p *tripleParser) literal() ([]byte, error) {
	start := p.at
	p.at++
	for p.peek() != '"' {
		switch {
		case p.peek() == '\\':
			if err := p.escape(`tbnrf"'\`); err != nil {
				return nil, err
			}
		case p.at == len(p.line) || p.peek() == '\r':
			return nil, p.expected(p.at, "the closing quote of a literal")
		default:
			p.at++
			p.plain()
		}
	}
	p.at++
	switch {
	case p.peek() == '@':
		if err := p.language(); err != nil {
			return nil, err
		}
	case bytes.HasPrefix(p.line[p.at:], []byte("^^<")):
		p.at += 2
		if _, err := p.iri(); err != nil {
			return nil, err
		}
	case p.peek() == '^':
		return nil, p.expected(p.at, "^^<datatype>")
	}
	return p.line[start:p.at], nil
}

// language reads @en or @en-GB.
func (p *tripleParser) language() error {
	start := p.at
	for first := true; first || p.peek() == '-'; first = false {
		p.at++
		part := p.at
		for isAlpha(p.peek()) || !first && isAlnum(p.peek()) {
			p.at++
		}
		if p.at == part {
			return p.expected(start, "a language such as @en-GB")
		}
	}
	return nil
}

// escape reads \uXXXX, \UXXXXXXXX, or a backslash and one of short.
func (p *tripleParser) escape(short string) error {
	start := p.at
	p.at++
	c := p.peek()
	if c != 0 && bytes.IndexByte([]byte(short), c) >= 0 {
		p.at++
		return nil
	}
	r, n := codePoint(p.line[start:])
	if n == 0 {
		return p.expected(start, "an escape")
	}
	if !utf8.ValidRune(r) {
		return p.expected(start, "an escape of a Unicode character")
	}
	p.at = start + n
	return nil
}

// codePoint decodes the \uXXXX or \UXXXXXXXX that b begins with, n bytes long; n is 0 if there is none. A value that
// does not fit a rune becomes −1.
func codePoint(b []byte) (r rune, n int) {
	switch {
	case bytes.HasPrefix(b, []byte(`\u`)):
		n = 6
	case bytes.HasPrefix(b, []byte(`\U`)):
		n = 10
	}
	if n == 0 || len(b) < n {
		return 0, 0
	}
	x := uint64(0)
	for _, c := range b[2:n] {
		d := bytes.IndexByte([]byte("0123456789abcdef"), c|0x20)
		if d < 0 || c < '0' {
			return 0, 0
		}
		x = x<<4 | uint64(d)
	}
	if x > utf8.MaxRune {
		return -1, n
	}
	return rune(x), n
}

// unescape resolves the escapes of an IRI, which are valid.
func unescape(b []byte) []byte {
	var out []byte
	for len(b) > 0 {
		if r, n := codePoint(b); n > 0 {
			out = utf8.AppendRune(out, r)
			b = b[n:]
			continue
		}
		out = append(out, b[0])
		b = b[1:]
	}
	return out
}
