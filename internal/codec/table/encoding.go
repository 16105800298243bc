package table

import (
	"bufio"
	"bytes"
	"io"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/bloomgml/bloom/internal/files"
)

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

// isUTF16 reports whether text begins with the byte order mark of UTF-16, and whether the high byte comes first.
func isUTF16(head []byte) (is, big bool) {
	big = bytes.HasPrefix(head, []byte{0xfe, 0xff})
	return big || bytes.HasPrefix(head, []byte{0xff, 0xfe}), big
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
