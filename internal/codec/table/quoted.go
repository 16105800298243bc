package table

import (
	"bytes"
	"errors"
	"fmt"
)

// quoted walks over the fields of text with quotes. A field in quotes is unquoted in place: it only
// becomes shorter.
type quoted struct {
	text       []byte
	comma, end byte
	at         int // of the next field
	newlines   int // inside of quotes, so far
}

// emptyLine skips an empty line and reports whether there was one.
func (q *quoted) emptyLine() bool {
	n := q.at
	if n < len(q.text) && q.text[n] == '\r' {
		n++
	}
	if n == len(q.text) && n > q.at || n < len(q.text) && q.text[n] == q.end {
		q.at = min(n+1, len(q.text))
		return true
	}
	return false
}

// field returns the next field and whether it is the last of its row, and moves behind it.
func (q *quoted) field() (s span, last bool, err error) {
	if q.at < len(q.text) && q.text[q.at] == '"' {
		return q.inQuotes()
	}
	start := q.at
	for i := start; i < len(q.text); i++ {
		switch q.text[i] {
		case q.comma:
			if q.comma == ';' && closesEntity(q.text[start:i+1]) {
				continue
			}
			q.at = i + 1
			return span{uint32(start), uint32(i)}, false, nil
		case q.end:
			q.at = i + 1
			return q.trimReturn(start, i), true, nil
		case '"':
			return s, false, fmt.Errorf("a quote inside of the field %.20q, which does not begin with one",
				q.text[start:i])
		}
	}
	q.at = len(q.text)
	return q.trimReturn(start, q.at), true, nil
}

// trimReturn returns the last field of a row without the \r of a Windows line end.
func (q *quoted) trimReturn(start, end int) span {
	if end > start && q.text[end-1] == '\r' {
		end--
	}
	return span{uint32(start), uint32(end)}
}

// inQuotes is field for a field that begins with a quote.
func (q *quoted) inQuotes() (s span, last bool, err error) {
	from, to := q.at+1, q.at+1
	start := to
	for {
		n := bytes.IndexByte(q.text[from:], '"')
		if n < 0 {
			return s, false, errors.New("a quote is not closed")
		}
		q.newlines += bytes.Count(q.text[from:from+n], []byte{'\n'})
		to += copy(q.text[to:], q.text[from:from+n])
		from += n + 1
		if from == len(q.text) || q.text[from] != '"' {
			break
		}
		q.text[to] = '"' // two quotes are one
		to, from = to+1, from+1
	}
	s = span{uint32(start), uint32(to)}
	if from < len(q.text) && q.text[from] == '\r' && (from+1 == len(q.text) || q.text[from+1] == q.end) {
		from++
	}
	switch {
	case from == len(q.text):
		q.at = from
		return s, true, nil
	case q.text[from] == q.comma:
		q.at = from + 1
		return s, false, nil
	case q.text[from] == q.end:
		q.at = from + 1
		return s, true, nil
	}
	return s, false, fmt.Errorf("%q follows a closing quote, want %q or the end of the line", q.text[from], q.comma)
}
