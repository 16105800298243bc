package show

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// Writer writes text for people. It escapes whatever would control a terminal (control characters, changes of text
// direction, invisible characters) as \u001b, which in JSON means the same character, and bytes that are not text as
// \xff. New lines and tabs stay. Colours of a Paint pass: they are marked by a secret word.
type Writer struct {
	to   io.Writer
	rest []byte // of a letter whose other bytes come with the next Write
	err  error  // the first of writing
}

// NewWriter wraps the standard output or the standard error.
func NewWriter(w io.Writer) *Writer { return &Writer{to: w} }

// Data returns w for output that programs read, unchanged; a terminal is protected from that too.
func Data(w io.Writer) io.Writer {
	if IsTerminal(w) {
		return w
	}
	return below(w)
}

// Write shows p. A colour must come whole.
func (w *Writer) Write(p []byte) (int, error) {
	text := append(w.rest, p...)
	cut := len(text) - incomplete(text)
	w.rest = bytes.Clone(text[cut:])
	if _, err := w.to.Write([]byte(render(string(text[:cut])))); err != nil {
		w.err = cmp.Or(w.err, err)
		return 0, err
	}
	return len(p), nil
}

// Close shows bytes that wait for the rest of a letter, and returns the first error of all writing: what is printed
// needs no check of its own. What is written to stays open.
func (w *Writer) Close() error {
	if len(w.rest) > 0 {
		_, err := w.to.Write([]byte(escape(string(w.rest), "")))
		w.rest, w.err = nil, cmp.Or(w.err, err)
	}
	return w.err
}

// incomplete returns the number of bytes at the end of text that begin a letter.
func incomplete(text []byte) int {
	for n := 1; n < utf8.UTFMax && n <= len(text); n++ {
		if tail := text[len(text)-n:]; utf8.RuneStart(tail[0]) {
			if utf8.FullRune(tail) {
				return 0
			}
			return n
		}
	}
	return 0
}

// Safe returns text from outside, made safe for a line: new lines and tabs are escapes too. Colours stay.
func Safe(text string) string {
	var b strings.Builder
	pieces(text, func(code, piece string) {
		if code != "" {
			b.WriteString(mark + code + "m")
		}
		b.WriteString(escape(piece, ""))
	})
	return b.String()
}

// escape is text with escapes for what is not seen, except for some letters.
func escape(text, except string) string {
	if utf8.ValidString(text) && strings.IndexFunc(text, func(r rune) bool { return !seen(r, except) }) < 0 {
		return text
	}
	var b strings.Builder
	for text != "" {
		r, n := utf8.DecodeRuneInString(text)
		switch {
		case r == utf8.RuneError && n == 1:
			fmt.Fprintf(&b, `\x%02x`, text[0])
		case seen(r, except):
			b.WriteRune(r)
		default:
			for _, unit := range utf16.Encode([]rune{r}) {
				fmt.Fprintf(&b, `\u%04x`, unit)
			}
		}
		text = text[n:]
	}
	return b.String()
}

// seen reports whether a character is visible, or one of the exceptions.
func seen(r rune, except string) bool { return unicode.IsGraphic(r) || strings.ContainsRune(except, r) }

// IsTerminal reports whether w is a terminal.
func IsTerminal(w io.Writer) bool {
	f, ok := below(w).(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// below returns the writer under w.
func below(w io.Writer) io.Writer {
	if s, ok := w.(*Writer); ok {
		return s.to
	}
	return w
}

// UsualWidth is the width of a terminal that does not report one.
const UsualWidth = 80

// ScreenWidth returns the number of columns of the terminal behind w: what it says, else COLUMNS, else the usual one.
func ScreenWidth(w io.Writer) int {
	if f, ok := below(w).(*os.File); ok {
		if n := columns(f.Fd()); n > 0 {
			return n
		}
	}
	if n, err := strconv.Atoi(os.Getenv("COLUMNS")); err == nil && n > 0 {
		return n
	}
	return UsualWidth
}

// Wrap cuts a text into lines of at most width columns, between words; a longer word has a line of its own. A width of
// 0 or less leaves the text as it is.
func Wrap(text string, width int) []string {
	if width <= 0 {
		return []string{text}
	}
	var lines []string
	line := ""
	for _, word := range strings.Fields(text) {
		switch {
		case line == "":
			line = word
		case visible(line)+1+visible(word) <= width:
			line += " " + word
		default:
			lines = append(lines, line)
			line = word
		}
	}
	return append(lines, line)
}
