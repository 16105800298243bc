package dataset

import (
	"bytes"
	"html"
	"strings"
	"unicode"
	"unicode/utf8"
)

// FoldID appends what ids are compared by: lower case, without spaces, without the .0 that whole numbers get from
// programs that take them for others, without the zeros before numbers that Excel takes away, without the hyphen of
// C-0017 between letters and digits, and without HTML entities. Phone numbers such as +49 (171) 123-45 and
// 004917112345 are compared by their digits.
func FoldID(dst, id []byte) []byte {
	id = bytes.TrimSpace(id)
	isDigits := func(text []byte) bool {
		return bytes.IndexFunc(text, func(r rune) bool { return r < '0' || r > '9' }) < 0
	}
	if whole, found := bytes.CutSuffix(id, []byte(".0")); found && len(whole) > 0 && isDigits(whole) {
		id = whole
	}
	if bytes.IndexByte(id, '&') >= 0 {
		id = []byte(html.UnescapeString(string(id)))
	}
	if bytes.IndexByte(id, ' ') >= 0 || bytes.IndexByte(id, 0xa0) >= 0 {
		id = dropRunes(id, unicode.IsSpace)
	}
	if len(id) > 4 && (id[0] == '+' || id[0] == '0' && id[1] == '0') {
		if phone := dropRunes(id, func(r rune) bool { return strings.ContainsRune("+()-/.", r) }); isDigits(phone) {
			id = phone
		}
	}
	if len(id) > 1 && id[0] == '0' && isDigits(id) {
		last := len(id) - 1
		id = id[last-len(bytes.TrimLeft(id[:last], "0")):]
	}
	for _, c := range id {
		if c >= utf8.RuneSelf {
			return append(dst, bytes.ToLower(id)...)
		}
	}
	for i, c := range id {
		if (c == '-' || c == '_') && i > 0 && i+1 < len(id) && isLetter(id[i-1]) && isDigits(id[i+1:i+2]) {
			continue
		}
		if c >= 'A' && c <= 'Z' {
			c += 'a' - 'A'
		}
		dst = append(dst, c)
	}
	return dst
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

// dropRunes returns text without some runes.
func dropRunes(text []byte, some func(rune) bool) []byte {
	return bytes.Map(func(r rune) rune {
		if some(r) {
			return -1
		}
		return r
	}, text)
}
