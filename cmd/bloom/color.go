package main

import (
	"io"
	"os"
)

// paint colours text for people: only on a terminal, and not when NO_COLOR asks for none.
type paint bool

// painter decides whether text on w may be coloured.
func painter(w io.Writer) paint {
	return paint(os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb" && terminal(w))
}

// terminal reports whether w is one.
func terminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// good is for what is as it should be.
func (p paint) good(s string) string { return p.sgr("32", s) }

// bad is for what is not.
func (p paint) bad(s string) string { return p.sgr("1;31", s) }

// warn is for what deserves a look.
func (p paint) warn(s string) string { return p.sgr("33", s) }

// strong is for headings.
func (p paint) strong(s string) string { return p.sgr("1", s) }

// dim is for names beside what they name.
func (p paint) dim(s string) string { return p.sgr("2", s) }

// line is for the lines of a plot.
func (p paint) line(s string) string { return p.sgr("36", s) }

func (p paint) sgr(code, s string) string {
	if !p {
		return s
	}
	return "\x1b[" + code + "m" + s + "\x1b[0m"
}
