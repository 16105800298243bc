package main

import (
	"io"
	"os"
)

// paint colours text for people: only on a terminal, and not when NO_COLOR asks for none.
type paint bool

// painter decides whether text on w may be coloured.
func painter(w io.Writer) paint {
	f, ok := w.(*os.File)
	if !ok || os.Getenv("NO_COLOR") != "" || os.Getenv("TERM") == "dumb" {
		return false
	}
	info, err := f.Stat()
	return paint(err == nil && info.Mode()&os.ModeCharDevice != 0)
}

// good is for what is as it should be.
func (p paint) good(s string) string { return p.sgr("32", s) }

// bad is for what is not.
func (p paint) bad(s string) string { return p.sgr("1;31", s) }

func (p paint) sgr(code, s string) string {
	if !p {
		return s
	}
	return "\x1b[" + code + "m" + s + "\x1b[0m"
}
