package show

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// plainWord matches a word that needs no quotes in any shell.
var plainWord = regexp.MustCompile(`^[A-Za-z0-9_./=:,+@%-]+$`)

// ShellCommand returns a command line for people to copy: its words, quoted where a POSIX shell needs that.
func ShellCommand(words ...string) string {
	quoted := make([]string, len(words))
	for i, word := range words {
		quoted[i] = quote(word)
	}
	return strings.Join(quoted, " ")
}

// quote returns a word as a POSIX shell takes it. What is not seen comes by printf, byte by byte, and so stays what it
// is when the line is copied; only new lines at its end are lost.
func quote(word string) string {
	switch {
	case plainWord.MatchString(word):
		return word
	case utf8.ValidString(word) && strings.IndexFunc(word, func(r rune) bool { return !unicode.IsGraphic(r) }) < 0:
		return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
	}
	var b strings.Builder
	for _, c := range []byte(word) {
		if plainWord.Match([]byte{c}) && c != '%' {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, `\%03o`, c)
		}
	}
	return `"$(printf '` + b.String() + `')"`
}
