package files

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
)

// Error is a mistake in a file. Of Line, Col, Column and Offset those are given that make sense for its
// format: lines for text, offsets for binary files.
type Error struct {
	File   string // as the user named it; members of an archive as archive.npz:member.npy
	Line   int    // from 1; 0 where lines mean nothing
	Col    int    // of the letter in its line, from 1; 0 where only the line is known
	Column string // the column of a table, by its name or number; may be empty
	Offset int64  // of the first wrong byte, from 0; −1 where offsets mean nothing
	Text   string // what is wrong, with the value
	Err    error  // the cause, where there is one
}

// ErrorAt is an error at a line of a text file.
func ErrorAt(file string, line int, format string, args ...any) *Error {
	return &Error{File: file, Line: line, Offset: -1, Text: fmt.Sprintf(format, args...)}
}

// ErrorAtLetter is an error at a line and a letter in it; line 0 for the whole file.
func ErrorAtLetter(file string, line, col int, format string, args ...any) *Error {
	return &Error{File: file, Line: line, Col: col, Offset: -1, Text: fmt.Sprintf(format, args...)}
}

// ErrorAtByte is an error at an offset of a binary file.
func ErrorAtByte(file string, offset int64, format string, args ...any) *Error {
	return &Error{File: file, Offset: offset, Text: fmt.Sprintf(format, args...)}
}

// Errorf is an error about a whole file.
func Errorf(file, format string, args ...any) *Error {
	return &Error{File: file, Offset: -1, Text: fmt.Sprintf(format, args...)}
}

// Because is an error about a whole file with its cause. What the system says about the same file is told without
// naming it twice, and a file that is not there in the same words everywhere.
func Because(file string, err error) *Error {
	text := err.Error()
	var at *fs.PathError
	switch {
	case !errors.As(err, &at) || at.Path != file || err != error(at):
	case errors.Is(err, fs.ErrNotExist):
		text = "there is no such file"
	default:
		text = at.Err.Error()
	}
	return &Error{File: file, Offset: -1, Text: text, Err: err}
}

// OrAt is err itself where it says which file is wrong, else the same with a place.
func OrAt(err error, place *Error) error {
	var known *Error
	if errors.As(err, &known) {
		return err
	}
	return place
}

// Error is file:line:col: column "c": text, as editors understand it.
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString(e.File)
	if e.Line > 0 {
		fmt.Fprintf(&b, ":%d", e.Line)
	}
	if e.Line > 0 && e.Col > 0 {
		fmt.Fprintf(&b, ":%d", e.Col)
	}
	b.WriteString(": ")
	if e.Offset >= 0 {
		fmt.Fprintf(&b, "byte %d: ", e.Offset)
	}
	if e.Column != "" {
		fmt.Fprintf(&b, "column %q: ", e.Column)
	}
	b.WriteString(e.Text)
	return b.String()
}

// Unwrap is the cause.
func (e *Error) Unwrap() error { return e.Err }
