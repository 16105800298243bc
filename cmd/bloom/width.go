package main

import (
	"io"
	"os"
	"strconv"
	"strings"
	"unicode/utf8"
)

// usualWidth is that of a terminal that does not tell.
const usualWidth = 80

// widthOf is the number of columns of the terminal behind w: what it says, else COLUMNS, else the usual one.
func widthOf(w io.Writer) int {
	if f, ok := w.(*os.File); ok {
		if n := columns(f.Fd()); n > 0 {
			return n
		}
	}
	if n, err := strconv.Atoi(os.Getenv("COLUMNS")); err == nil && n > 0 {
		return n
	}
	return usualWidth
}

// visible is the number of columns that a text takes: its letters, without the colours. Letters of double width are not
// counted as such; bloom writes none on lines that move.
func visible(text string) int {
	n := 0
	for text != "" {
		if k := escape(text); k > 0 {
			text = text[k:]
			continue
		}
		_, k := utf8.DecodeRuneInString(text)
		text = text[k:]
		n++
	}
	return n
}

// clip cuts a text after width columns. Colours that were on at the cut are switched off.
func clip(text string, width int) string {
	if visible(text) <= width {
		return text
	}
	var b strings.Builder
	coloured := false
	for n := 0; n < width; {
		if k := escape(text); k > 0 {
			coloured = true
			b.WriteString(text[:k])
			text = text[k:]
			continue
		}
		_, k := utf8.DecodeRuneInString(text)
		b.WriteString(text[:k])
		text = text[k:]
		n++
	}
	if coloured {
		b.WriteString("\x1b[0m")
	}
	return b.String()
}

// escape is the length of the colour code at the start of text, 0 where there is none.
func escape(text string) int {
	if !strings.HasPrefix(text, "\x1b[") {
		return 0
	}
	return strings.IndexByte(text, 'm') + 1
}

// wrap cuts a text into lines of at most width columns, between words; a longer word has a line of its own. A width of
// 0 or less leaves the text as it is.
func wrap(text string, width int) []string {
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
