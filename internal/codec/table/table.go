// Package table reads the tables that people have: CSV and TSV, JSON, Excel, Parquet, SQLite files and PostgreSQL.
// Whatever it comes from, a table is columns with names and rows of text; a value that is missing is empty.
//
//	t, err := table.Open("people.csv.gz", table.Options{})
//	err = table.Each(t, func(b *table.Batch) error {
//		b.Cell(0, 1)
//		return nil
//	})
package table

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/bloomgml/bloom/internal/files"
)

// Source is a table, read from its first row to its last. Errors in its data are *files.Error with file, line and
// column.
type Source interface {
	Name() string      // as the user named it, without passwords
	Columns() []string // all distinct
	// Next fills b with the next rows and returns io.EOF after the last. It does the work that must be done in order;
	// Batch.Parse does the rest, on any goroutine. b may be reused.
	Next(b *Batch) error
	// Progress returns how much was read, in bytes of the file; total is 0 if unknown.
	Progress() (done, total int64)
	Close() error
}

// Each calls f with every batch of a table, until f returns an error.
func Each(s Source, f func(*Batch) error) error {
	var b Batch
	for {
		err := s.Next(&b)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil {
			err = b.Parse()
		}
		if err == nil {
			err = f(&b)
		}
		if err != nil {
			return err
		}
	}
}

// Options say how to read; the zero value is right for most tables.
type Options struct {
	// CSV and TSV: the first row is data even if it does not look so; columns are column1, column2 and so on
	NoHeader bool
	// Ragged accepts irregular rows. Lines that are not UTF-8 are read as Windows-1252. Rows of CSV and TSV with too
	// many fields lose the last ones; rows with too few, but more than half, get empty ones. Quotes that do not enclose
	// a field are text. Rows with fewer fields, and lines that are not a JSON object, are not an error but go to
	// Batch.Ragged.
	Ragged bool
	// what batches may take; nil has no limit
	Budget *files.Budget
}

// span is a piece of Batch.text.
type span struct{ start, end uint32 }

// Batch is some rows of a table. The zero value is ready for Next.
type Batch struct {
	source  *header
	text    []byte
	raw     []byte  // text before unquoting, if rows may be set aside
	cells   []span  // row by row
	lines   []int32 // of every row, counted from first
	first   int
	ragged  []Ragged
	mended  []Ragged
	recoded int                // lines that are not UTF-8
	parse   func(*Batch) error // nil if nothing remains to be done
}

// Ragged is a row that has no cells.
type Ragged struct {
	Line   int // from 1
	Text   string
	Reason string
	Kind   string // the reason without values: OtherLength, or that it is not an object
}

// The kinds of Ragged. OtherLength means that a row has fewer or more fields than the table has columns, StrayQuote
// that a quote does not enclose a field and was read as text.
const (
	OtherLength = "too few or too many fields"
	notObject   = "not a JSON object"
	headerAgain = "the header once more"
	aboveHeader = "above the header"
	StrayQuote  = "a stray quote"
)

// Ragged returns the rows that were set aside and are not in the batch; see Options.
func (b *Batch) Ragged() []Ragged { return b.ragged }

// Mended returns rows of the batch, without their texts, that are used although they have too few or too many fields,
// or stray quotes.
func (b *Batch) Mended() []Ragged { return b.mended }

// Recoded returns how many lines of the batch are not UTF-8 and were read as Windows-1252.
func (b *Batch) Recoded() int { return b.recoded }

// header is what all batches of a table share.
type header struct {
	name    string
	columns []string
	budget  *files.Budget
}

// columnBytes is the memory of a column besides its values: its name, here and in maps.
const columnBytes = 128

// admitColumns takes memory for n columns from the budget, before they are made.
func (h *header) admitColumns(n int) error {
	return h.budget.Take(int64(n)*columnBytes, plural(n, "column"))
}

func (h *header) Name() string      { return h.name }
func (h *header) Columns() []string { return h.columns }

// Parse finds the cells. It must be called once after Next, before any of the methods below.
func (b *Batch) Parse() error {
	if b.parse == nil {
		return nil
	}
	return b.parse(b)
}

// Name returns the name of the table, or of the file if a table has several.
func (b *Batch) Name() string { return b.source.name }

// Size returns how many bytes of text the batch has.
func (b *Batch) Size() int { return len(b.text) }

// Rows returns the number of rows.
func (b *Batch) Rows() int { return len(b.lines) }

// Cell returns the text in row i, column j. It belongs to the batch and is valid until the next call of Next.
func (b *Batch) Cell(i, j int) []byte {
	s := b.cells[i*len(b.source.columns)+j]
	return b.text[s.start:s.end:s.end]
}

// Line returns where row i begins in its file, from 1; for databases and Parquet the number of the row.
func (b *Batch) Line(i int) int { return b.first + int(b.lines[i]) }

// Row appends the cells of row i to dst as strings.
func (b *Batch) Row(dst []string, i int) []string {
	for j := range b.source.columns {
		dst = append(dst, string(b.Cell(i, j)))
	}
	return dst
}

// Errorf returns an error in row i, column j of the batch; j may be −1 for the whole row.
func (b *Batch) Errorf(i, j int, format string, args ...any) error {
	e := files.ErrorAt(b.source.name, b.Line(i), format, args...)
	if j >= 0 {
		return e.InColumn(b.source.columns[j])
	}
	return e
}

// reset empties b for rows starting at line first.
func (b *Batch) reset(h *header, first int) {
	b.source, b.first, b.parse, b.recoded, b.mended = h, first, nil, 0, b.mended[:0]
	b.text, b.cells, b.lines, b.ragged = b.text[:0], b.cells[:0], b.lines[:0], b.ragged[:0]
}

// aside stores a row without its cells.
func (b *Batch) aside(line int32, text []byte, kind, reason string) {
	b.ragged = append(b.ragged, Ragged{b.first + int(line), string(bytes.TrimRight(text, "\r\n")), reason, kind})
}

// mend records a row that is used despite a flaw.
func (b *Batch) mend(line int32, kind, reason string) {
	b.mended = append(b.mended, Ragged{Line: b.first + int(line), Kind: kind, Reason: reason})
}

// room makes room for the cells of one more row.
func (b *Batch) room() (err error) {
	n := len(b.source.columns)
	if cap(b.cells)-len(b.cells) < n {
		b.cells, err = files.Grow(b.source.budget, b.cells, n, "a block of rows of "+plural(n, "column"))
	}
	return err
}

const (
	batchRows  = 4096     // rows that sources of values put into a batch
	batchBytes = 1 << 18  // bytes that sources of text do
	maxRow     = 16 << 20 // bytes of a row
)

// full reports whether a batch of values has enough rows.
func (b *Batch) full() bool { return len(b.lines) >= batchRows || len(b.text) >= batchBytes }

// appendRow appends a row of values, in the given line; cell appends the text of one. A row that is too large is an
// error.
func (b *Batch) appendRow(line int32, cell func(dst []byte, j int) ([]byte, error)) error {
	if err := b.room(); err != nil {
		return err
	}
	begin := len(b.text)
	b.lines = append(b.lines, line)
	row := len(b.lines) - 1
	for j := range b.source.columns {
		start := len(b.text)
		var err error
		if b.text, err = cell(b.text, j); err != nil {
			return b.Errorf(row, j, "%v", err)
		}
		b.cells = append(b.cells, span{uint32(start), uint32(len(b.text))})
	}
	if n := len(b.text) - begin; n > maxRow {
		return b.Errorf(row, -1, "a row of %d bytes, more than %d", n, maxRow)
	}
	return nil
}

// unique returns an error if two columns have the same name.
func unique(name string, line int, columns []string) error {
	at := make(map[string]int, len(columns))
	for i, c := range columns {
		if j, twice := at[c]; twice {
			return files.ErrorAt(name, line, "is the name of columns %d and %d", j+1, i+1).InColumn(c)
		}
		at[c] = i
	}
	return nil
}

// distinct numbers columns of a table made by hand whose name an earlier one has: "total", "total.2".
func distinct(columns []string) {
	taken := make(map[string]bool, len(columns))
	for _, c := range columns {
		taken[c] = true
	}
	seen := make(map[string]bool, len(columns))
	for i, c := range columns {
		name := c
		for n := 2; seen[name] || name != c && taken[name]; n++ {
			name = fmt.Sprintf("%s.%d", c, n)
		}
		seen[name], columns[i] = true, name
	}
}

// generated is a table that is computed row by row.
type generated struct {
	header
	rows, row int
	cell      func(dst []byte, i, j int) []byte
}

var _ Source = (*generated)(nil)

// Generate returns a table of n rows; cell appends the text in row i, column j.
func Generate(name string, columns []string, n int, cell func(dst []byte, i, j int) []byte) Source {
	return &generated{header: header{name: name, columns: columns}, rows: n, cell: cell}
}

func (g *generated) Next(b *Batch) error {
	b.reset(&g.header, g.row+1)
	for ; g.row < g.rows && !b.full(); g.row++ {
		err := b.appendRow(int32(b.Rows()), func(dst []byte, j int) ([]byte, error) {
			return g.cell(dst, g.row, j), nil
		})
		if err != nil {
			return err
		}
	}
	if b.Rows() == 0 {
		return io.EOF
	}
	return nil
}

func (g *generated) Progress() (done, total int64) { return int64(g.row), int64(g.rows) }
func (g *generated) Close() error                  { return nil }
