package files

import (
	"encoding/csv"
	"errors"
	"io"
	"slices"
	"unicode/utf8"
)

// CSV is an open table whose first row names the columns. Cells may be quoted.
type CSV struct {
	Path   string
	Header []string
	rows   *csv.Reader
	file   Text
}

// OpenCSV opens a table, compressed or not, with the given character between cells. It takes the memory of a row from
// b.
func OpenCSV(path string, comma rune, b *Budget) (*CSV, error) {
	f, err := OpenText(path, b)
	if err != nil {
		return nil, err
	}
	t := &CSV{Path: path, rows: csv.NewReader(&rowMeter{f: f, b: b, comma: byte(comma)}), file: f}
	t.rows.Comma = comma
	t.rows.ReuseRecord = true
	header, _, err := t.next()
	if err != nil {
		f.Close()
		if errors.Is(err, io.EOF) {
			err = Errorf(path, "empty, not even a header")
		}
		return nil, err
	}
	t.Header = slices.Clone(header)
	return t, nil
}

// Each calls do with every row, valid during the call, and its line. Every row has the same number of cells as the
// header.
func (t *CSV) Each(do func(row []string, line int) error) error {
	for {
		row, line, err := t.next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := do(row, line); err != nil {
			return err
		}
	}
}

// next returns a row, valid until the next call, and its line; io.EOF after the last.
func (t *CSV) next() (row []string, line int, err error) {
	row, err = t.rows.Read()
	var wrong *csv.ParseError
	switch {
	case errors.Is(err, io.EOF):
		return nil, 0, io.EOF
	case errors.Is(err, csv.ErrFieldCount):
		line, _ = t.rows.FieldPos(0)
		return nil, 0, ErrorAt(t.Path, line, "%d columns, want %d as in the header: %.80q", len(row),
			len(t.Header), row)
	case errors.As(err, &wrong):
		return nil, 0, ErrorAt(t.Path, wrong.Line, "%v", wrong.Err)
	case err != nil:
		return nil, 0, InFile(t.Path, err)
	}
	line, _ = t.rows.FieldPos(0)
	for _, cell := range row {
		if !utf8.ValidString(cell) {
			return nil, 0, ErrorAt(t.Path, line, "is not valid UTF-8")
		}
	}
	return row, line, nil
}

// Close closes the file.
func (t *CSV) Close() error { return t.file.Close() }
