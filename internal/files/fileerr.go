package files

import (
	"errors"
	"fmt"
	"io/fs"
	"runtime"
	"strings"
	"syscall"
)

// Error is a mistake in a file. Line, Col, Column and Offset are set if they make sense for its format: lines for text,
// offsets for binary files.
type Error struct {
	File   string // as the user named it; members of an archive as archive.npz:member.npy
	Line   int    // from 1; 0 if lines do not apply
	Col    int    // of the letter in its line, from 1; 0 if only the line is known
	Column string // the column of a table, by its name or number; may be empty
	Offset int64  // of the first wrong byte, from 0; −1 if offsets do not apply
	Text   string // what is wrong, with the value
	Err    error  // the cause, if any
}

// ErrorAt returns an error at a line of a text file.
func ErrorAt(file string, line int, format string, args ...any) *Error {
	return &Error{File: file, Line: line, Offset: -1, Text: fmt.Sprintf(format, args...)}
}

// ErrorAtLetter returns an error at a line and a character in it; line 0 is the whole file.
func ErrorAtLetter(file string, line, col int, format string, args ...any) *Error {
	return &Error{File: file, Line: line, Col: col, Offset: -1, Text: fmt.Sprintf(format, args...)}
}

// ErrorAtByte returns an error at an offset of a binary file.
func ErrorAtByte(file string, offset int64, format string, args ...any) *Error {
	return &Error{File: file, Offset: offset, Text: fmt.Sprintf(format, args...)}
}

// Errorf returns an error about a whole file.
func Errorf(file, format string, args ...any) *Error {
	return &Error{File: file, Offset: -1, Text: fmt.Sprintf(format, args...)}
}

// invalidName is what Windows answers for a file whose name cannot be one, such as a pattern.
const invalidName = syscall.Errno(123)

// Because returns an error about a whole file with its cause. If the cause is an error of the system about the same
// file, the message does not name it twice; a missing file is always described in the same words.
func Because(file string, err error) *Error {
	text := err.Error()
	var at *fs.PathError
	switch {
	case !errors.As(err, &at) || at.Path != file || err != error(at):
	case errors.Is(err, fs.ErrNotExist), runtime.GOOS == "windows" && errors.Is(err, invalidName):
		text = "there is no such file"
	default:
		text = at.Err.Error()
	}
	return &Error{File: file, Offset: -1, Text: text, Err: err}
}

// OrAt returns err if it says which file is wrong, otherwise the same error at place.
func OrAt(err error, place *Error) error {
	var known *Error
	if errors.As(err, &known) {
		return err
	}
	return place
}

// Error returns file:line:col: column "c": text, as editors understand it.
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

// InColumn returns e, which is in a column of a table.
func (e *Error) InColumn(column string) *Error {
	e.Column = column
	return e
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }
