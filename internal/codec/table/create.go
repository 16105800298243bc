package table

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/bloomgml/bloom/internal/files"
)

// Format is a way to write a table; it is also the extension of its files.
type Format string

// The formats that can be written.
const (
	CSV   Format = "csv"
	TSV   Format = "tsv"
	JSONL Format = "jsonl"
)

// Formats lists all formats.
var Formats = []Format{CSV, TSV, JSONL}

// Writer writes a table row by row.
type Writer struct {
	path   string
	file   *files.Draft
	buf    *bufio.Writer
	row    func(cells [][]byte) // appends one row
	names  [][]byte             // JSON of the columns
	comma  byte
	failed error
}

// Create creates a file for a table of the given columns, which appears when it is closed.
func Create(path string, format Format, columns []string, o files.WriteOptions) (*Writer, error) {
	w := &Writer{path: path, comma: ','}
	switch format {
	case CSV, TSV:
		if format == TSV {
			w.comma = '\t'
		}
		w.row = w.text
	case JSONL:
		w.row = w.object
	default:
		return nil, fmt.Errorf("unknown format %q; formats are %q", format, Formats)
	}
	if format != JSONL && allNumbers(columns) {
		return nil, fmt.Errorf("columns named %q would be read as a row of numbers; write %s", columns, JSONL)
	}
	var err error
	if w.file, err = files.Create(path, o); err != nil {
		return nil, files.Because(path, err)
	}
	w.buf = bufio.NewWriterSize(w.file, 1<<16)
	header := make([][]byte, len(columns))
	for i, c := range columns {
		name, err := json.Marshal(c)
		if err != nil {
			return nil, err
		}
		header[i], w.names = []byte(c), append(w.names, name)
	}
	if format != JSONL {
		w.text(header)
	}
	return w, nil
}

// Write appends a row. Errors are kept until Close.
func (w *Writer) Write(cells [][]byte) { w.row(cells) }

// text writes a row of CSV. A cell gets quotes if it needs them; so does an empty cell that is the only one, or its
// line would be skipped.
func (w *Writer) text(cells [][]byte) {
	for i, c := range cells {
		if i > 0 {
			w.buf.WriteByte(w.comma)
		}
		special := bytes.IndexByte(c, w.comma) >= 0 || bytes.ContainsAny(c, "\"\r\n") || i == 0 &&
			len(c) > 0 && c[0] == '#'
		if !special && (len(c) > 0 || len(cells) > 1) {
			w.buf.Write(c)
			continue
		}
		w.buf.WriteByte('"')
		w.buf.Write(bytes.ReplaceAll(c, []byte{'"'}, []byte(`""`)))
		w.buf.WriteByte('"')
	}
	w.buf.WriteByte('\n')
}

// object writes a row as JSON: all values are strings, so each is read back unchanged.
func (w *Writer) object(cells [][]byte) {
	w.buf.WriteByte('{')
	for i, c := range cells {
		if i > 0 {
			w.buf.WriteByte(',')
		}
		w.buf.Write(w.names[i])
		w.buf.WriteByte(':')
		value, err := json.Marshal(string(c))
		if err != nil && w.failed == nil {
			w.failed = err
		}
		w.buf.Write(value)
	}
	w.buf.WriteString("}\n")
}

// Close finishes the file and returns the first error.
func (w *Writer) Close() error {
	err := w.failed
	if e := w.buf.Flush(); err == nil {
		err = e
	}
	if err == nil {
		err = w.file.Commit()
	}
	if err != nil {
		w.file.Discard()
		return files.Because(w.path, err)
	}
	return nil
}
