package table

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
)

// quoted walks over the fields of text with quotes. A field in quotes is unquoted in place: it only becomes shorter.
type quoted struct {
	text       []byte
	comma, end byte
	at         int // of the next field
	newlines   int // inside of quotes, so far
	touched    int // text before it may be unquoted
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

// row appends the first fields of the next row, most of them at most, and returns how many it has.
func (q *quoted) row(dst []span, most int) (_ []span, n int, err error) {
	for last := false; !last; n++ {
		s, end, err := q.field()
		if err != nil {
			return dst, n, err
		}
		if last = end; n < most {
			dst = append(dst, s)
		}
	}
	return dst, n, nil
}

// loose is row for a line in which quotes are not where they should be. A quote inside of a field is text. A field that
// begins with a quote ends at the first quote before a delimiter, as in "say "hi"",5; or, if the row has want fields
// only so, it ends at the first delimiter: "5" tall,5.
func (q *quoted) loose(dst []span, want int) (_ []span, n int) {
	start, end := q.at, len(q.text)
	if n := bytes.IndexByte(q.text[start:], q.end); n >= 0 {
		end = start + n
	}
	q.at = min(end+1, len(q.text))
	line, before := q.trimReturn(start, end), len(dst)
	if dst, n = q.looseFields(dst, line, want, true); n != want {
		if others, m := q.looseFields(slices.Clone(dst[:before]), line, want, false); m == want {
			return others, m
		}
	}
	return dst, n
}

// looseFields is loose with the one or the other end of fields that begin with a quote.
func (q *quoted) looseFields(dst []span, line span, most int, inner bool) (_ []span, n int) {
	for at := line.start; ; n++ {
		end, quote := q.looseEnd(q.text[at:line.end], inner)
		if n < most {
			dst = append(dst, span{at + quote, at + end - quote})
		}
		if at += end + 1; at > line.end {
			return dst, n + 1
		}
	}
}

// looseEnd returns where the first field of text ends, and 1 if it is between quotes.
func (q *quoted) looseEnd(text []byte, inner bool) (end, quote uint32) {
	if len(text) > 1 && text[0] == '"' {
		for i := 1; i < len(text); i++ {
			if text[i] != '"' {
				continue
			}
			if i+1 == len(text) || text[i+1] == q.comma {
				return uint32(i + 1), 1
			}
			if text[i+1] == '"' {
				if i++; i+1 == len(text) || text[i+1] == q.comma { // say "hi""
					return uint32(i + 1), 1
				}
			} else if !inner {
				break
			}
		}
	}
	if n := bytes.IndexByte(text, q.comma); n >= 0 {
		return uint32(n), 0
	}
	return uint32(len(text)), 0
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
	defer func() { q.touched = to }()
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
