package show

import (
	"crypto/rand"
	"fmt"
	"io"
	"os"
	"strings"
	"unicode/utf8"
)

// Paint colours text for people: only on a terminal, and not when NO_COLOR asks for none. The text is one for a Writer,
// which makes the codes of its marks.
type Paint bool

// Painter decides whether text on w may be coloured.
func Painter(w io.Writer) Paint {
	return Paint(os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb" && IsTerminal(w))
}

// Good is for what is as it should be.
func (p Paint) Good(s string) string { return p.colour("32", s) }

// Bad is for what is not.
func (p Paint) Bad(s string) string { return p.colour("1;31", s) }

// Warn is for what deserves a look.
func (p Paint) Warn(s string) string { return p.colour("33", s) }

// Strong is for headings.
func (p Paint) Strong(s string) string { return p.colour("1", s) }

// Dim is for names next to what they name.
func (p Paint) Dim(s string) string { return p.colour("2", s) }

// Line is for the lines of a plot.
func (p Paint) Line(s string) string { return p.colour("36", s) }

// colour puts marks around a text.
func (p Paint) colour(code, s string) string {
	if !p {
		return s
	}
	return mark + code + "m" + s + mark + "0m"
}

// mark begins a colour; its code and an m follow. It is not a text, and drawn when the program starts, so that nothing
// that comes from outside holds it.
var mark = "\xff" + rand.Text()

// pieces calls f with the pieces of a text and the code of the colour that begins there, none for the first.
func pieces(text string, f func(code, piece string)) {
	first, rest, more := strings.Cut(text, mark)
	f("", first)
	for more {
		var code string
		code, rest, _ = strings.Cut(rest, "m")
		first, rest, more = strings.Cut(rest, mark)
		f(code, first)
	}
}

// render returns a text with the codes of its colours, and escapes for all that is not seen.
func render(text string) string {
	var b strings.Builder
	pieces(text, func(code, piece string) {
		if code != "" {
			b.WriteString("\x1b[" + code + "m")
		}
		b.WriteString(escape(piece, "\n\t"))
	})
	return b.String()
}

// visible returns the number of columns that a text takes: its letters, without the colours. Letters of double width
// are not counted as such; bloom writes none on lines that move.
func visible(text string) int {
	n := 0
	pieces(text, func(_, piece string) { n += utf8.RuneCountInString(piece) })
	return n
}

// clip cuts a text after width columns. Colours that were on at the cut are switched off.
func clip(text string, width int) string {
	if visible(text) <= width {
		return text
	}
	var b strings.Builder
	pieces(text, func(code, piece string) {
		if code != "" && width > 0 {
			b.WriteString(mark + code + "m")
		}
		letters := []rune(piece)
		b.WriteString(string(letters[:min(width, len(letters))]))
		width -= min(width, len(letters))
	})
	if strings.Contains(text, mark) {
		b.WriteString(mark + "0m")
	}
	return b.String()
}

// Section is text in two columns under a heading.
type Section struct {
	Title string
	rows  [][2]string
}

// Add appends a row for every value, the name standing at the first.
func (s *Section) Add(name string, values ...string) {
	for _, v := range values {
		s.rows = append(s.rows, [2]string{name, v})
		name = ""
	}
}

// Write writes the heading after an empty line, and the rows.
func (s *Section) Write(w io.Writer, p Paint) {
	fmt.Fprintf(w, "\n%s\n", p.Strong(Safe(s.Title)))
	for _, r := range s.rows {
		name := Safe(r[0])
		fmt.Fprintf(w, "  %s%s  %s\n", p.Dim(name), strings.Repeat(" ", max(0, 9-visible(name))), Safe(r[1]))
	}
}
