// Package table reads the tables that people have: CSV and TSV, JSON lines, Parquet, SQLite files and
// PostgreSQL. Whatever it comes from, a table is columns with names and rows of text; a value that
// is missing is empty.
//
//	t, err := table.Open("people.csv.gz", table.Options{})
//	var b table.Batch
//	for t.Next(&b) == nil {
//		err = b.Parse()
//		b.Cell(0, 1)
//	}
package table

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/bloomgml/bloom/internal/budget"
	"github.com/bloomgml/bloom/internal/fileerr"
)

// Source is a table, read from its first row to its last. What it says about mistakes are
// *fileerr.Error with file, line and column.
type Source interface {
	Name() string      // as the user named it, without passwords
	Columns() []string // all different
	// Next fills b with the next rows and returns io.EOF after the last. It does the part that has
	// to be done in order; Batch.Parse does the rest, on any goroutine. b may be used again.
	Next(b *Batch) error
	// Progress is how much was read, in bytes of the file; total is 0 where it is not known.
	Progress() (done, total int64)
	Close() error
}

// Options say how to read; the zero value is right for most tables.
type Options struct {
	// CSV and TSV: the first row is data even if it does not look so; columns are column1, column2 and so on
	NoHeader bool
	// rows with bytes that are not UTF-8 and, of CSV and TSV, with too few or too many fields are no error but stand in
	// Batch.Ragged; the header must be right
	Ragged bool
	// what batches may take; nil has no limit
	Budget *budget.Budget
}

// span is a piece of Batch.text.
type span struct{ start, end uint32 }

// Batch is some rows of a table. The zero value is ready for Next.
type Batch struct {
	source *header
	text   []byte
	raw    []byte  // text before quotes were taken away, where rows may be set aside
	cells  []span  // row by row
	lines  []int32 // of every row, counted from first
	first  int
	ragged []Ragged
	spoilt bool               // not all of text is UTF-8
	parse  func(*Batch) error // nil when there is nothing left to do
}

// Ragged is a row that has no cells.
type Ragged struct {
	Line   int    // from 1
	Text   string // bytes that are not UTF-8 as \xe9
	Reason string
	Kind   string // the reason without values: OtherLength, or that it is not UTF-8 or no object
}

// The kinds of Ragged. OtherLength means that a row has fewer or more fields than the table has columns.
const (
	OtherLength = "too few or too many fields"
	notUTF8     = "bytes that are not UTF-8"
	notObject   = "not a JSON object"
)

// Ragged are the rows that are not among those of the batch; see Options.
func (b *Batch) Ragged() []Ragged { return b.ragged }

// header is what all batches of a table share.
type header struct {
	name    string
	columns []string
	budget  *budget.Budget
}

// columnBytes is what a column takes besides its values: its name, here and in maps.
const columnBytes = 128

// admitColumns is asked before n columns are made.
func (h *header) admitColumns(n int) error {
	return h.budget.Take(int64(n)*columnBytes, plural(n, "column"))
}

// Name is the name of the table.
func (h *header) Name() string { return h.name }

// Columns are the names of the columns.
func (h *header) Columns() []string { return h.columns }

// Parse finds the cells. It must be called once after Next, before any of the methods below.
func (b *Batch) Parse() error {
	if b.parse == nil {
		return nil
	}
	return b.parse(b)
}

// Size is how many bytes of text the batch has.
func (b *Batch) Size() int { return len(b.text) }

// Rows is the number of rows.
func (b *Batch) Rows() int { return len(b.lines) }

// Cell is the text in row i, column j. It belongs to the batch and lasts until the next call of Next.
func (b *Batch) Cell(i, j int) []byte {
	s := b.cells[i*len(b.source.columns)+j]
	return b.text[s.start:s.end:s.end]
}

// Line is where row i begins in its file, from 1; for databases and Parquet the number of the row.
func (b *Batch) Line(i int) int { return b.first + int(b.lines[i]) }

// Row appends the cells of row i to dst as strings.
func (b *Batch) Row(dst []string, i int) []string {
	for j := range b.source.columns {
		dst = append(dst, string(b.Cell(i, j)))
	}
	return dst
}

// Errorf is a mistake in row i, column j of the batch; j may be −1 for the whole row.
func (b *Batch) Errorf(i, j int, format string, args ...any) error {
	e := fileerr.At(b.source.name, b.Line(i), format, args...)
	if j >= 0 {
		e.Column = b.source.columns[j]
	}
	return e
}

// reset empties b for the rows from line first on.
func (b *Batch) reset(h *header, first int) {
	b.source, b.first, b.parse, b.spoilt = h, first, nil, false
	b.text, b.cells, b.lines, b.ragged = b.text[:0], b.cells[:0], b.lines[:0], b.ragged[:0]
}

// aside keeps a row without its cells.
func (b *Batch) aside(line int32, text []byte, kind, reason string) {
	b.ragged = append(b.ragged, Ragged{b.first + int(line), shown(bytes.TrimRight(text, "\r\n")), reason, kind})
}

// shown is text with \xe9 in the place of a byte that is not UTF-8.
func shown(text []byte) string {
	var s strings.Builder
	for {
		at := invalidAt(text)
		s.Write(text[:at])
		if at == len(text) {
			return s.String()
		}
		fmt.Fprintf(&s, "\\x%02x", text[at])
		text = text[at+1:]
	}
}

// spoiltCells is spoiltRow for the cells from before on.
func (b *Batch) spoiltCells(before int) (kind, reason string) {
	for _, s := range b.cells[before:] {
		if kind, reason = spoiltRow(b.text[s.start:s.end]); kind != "" {
			break
		}
	}
	return kind, reason
}

// spoiltRow is why a row must be set aside, if it must: it is not UTF-8.
func spoiltRow(text []byte) (kind, reason string) {
	if at := invalidAt(text); at < len(text) {
		return notUTF8, notUTF8Reason(text[at])
	}
	return "", ""
}

// room makes room for the cells of one more row.
func (b *Batch) room() (err error) {
	n := len(b.source.columns)
	if cap(b.cells)-len(b.cells) < n {
		b.cells, err = budget.Room(b.source.budget, b.cells, n, "a block of rows of "+plural(n, "column"))
	}
	return err
}

// cell appends a cell whose text was appended to b.text from start on.
func (b *Batch) cell(start int) {
	b.cells = append(b.cells, span{uint32(start), uint32(len(b.text))})
}

const (
	batchRows  = 4096     // rows that sources of values put into a batch
	batchBytes = 1 << 18  // bytes that sources of text do
	maxRow     = 16 << 20 // bytes of a row
)

// full reports whether a batch of values has enough rows.
func (b *Batch) full() bool { return len(b.lines) >= batchRows || len(b.text) >= batchBytes }

// endRow finishes a row of values; one that is larger than any should be is an error.
func (b *Batch) endRow(begin int) error {
	b.lines = append(b.lines, int32(len(b.lines)))
	if n := len(b.text) - begin; n > maxRow {
		return b.Errorf(len(b.lines)-1, -1, "a row of %d bytes, more than %d", n, maxRow)
	}
	return nil
}

// unique refuses two columns of one name.
func unique(name string, line int, columns []string) error {
	at := make(map[string]int, len(columns))
	for i, c := range columns {
		if j, twice := at[c]; twice {
			e := fileerr.At(name, line, "is the name of columns %d and %d", j+1, i+1)
			e.Column = c
			return e
		}
		at[c] = i
	}
	return nil
}
