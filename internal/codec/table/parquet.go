package table

import (
	"io"
	"strings"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"

	"github.com/bloomgml/bloom/internal/files"
)

// parquetFile is a table of a Parquet file. Columns inside groups are named a.b. Lists of single values become JSON,
// [1,2] or ["a","b"], empty lists are missing values; lists of lists and of groups are rejected.
type parquetFile struct {
	header
	*file
	leaves []parquetLeaf
	rows   parquet.RowReadSeekCloser
	types  []parquetType // of every leaf
	row    int           // of the next row, from 1
	total  int64
	buf    []parquet.Row
}

// parquetLeaf is a column as the footer describes it.
type parquetLeaf struct {
	column  *parquet.Column
	element *format.SchemaElement
	pages   []parquetPage // of booleans, which the library cannot read
}

var _ Source = (*parquetFile)(nil)

func openParquet(f *file) (source Source, err error) {
	p := &parquetFile{header: header{name: f.path, budget: f.budget}, file: f, row: 1}
	defer p.damaged(&err)
	if err := p.checkFooter(); err != nil {
		return nil, err
	}
	file, err := parquet.OpenFile(f.f, f.size, parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true))
	if err != nil {
		return nil, files.Because(p.name, err)
	}
	for i, e := range file.Metadata().Schema {
		if e.NumChildren == 0 {
			p.leaves = append(p.leaves, parquetLeaf{element: &file.Metadata().Schema[i]})
		}
	}
	if err := p.describe(file.Root(), nil, ""); err != nil {
		return nil, err
	}
	if len(p.columns) == 0 {
		return nil, files.Errorf(p.name, "the file has no columns")
	}
	if err := p.admitPages(file); err != nil {
		return nil, err
	}
	var chunks []parquet.ColumnChunk
	for i, c := range parquet.MultiRowGroup(file.RowGroups()...).ColumnChunks() {
		switch {
		case p.types[i].null:
		case p.types[i].kind == parquet.Boolean:
			chunks = append(chunks, booleanColumn{c, p, &p.leaves[i]})
		default:
			chunks = append(chunks, c)
		}
	}
	if p.total = file.NumRows(); len(chunks) == 0 && p.total > 0 {
		return nil, files.Errorf(p.name, "the file has no values: all columns are nulls")
	}
	p.rows = parquet.NewColumnChunkRowReader(chunks)
	values, err := p.rowValues(file)
	if err != nil {
		return nil, err
	}
	p.buf = make([]parquet.Row, max(1, min(256, (1<<16)/values)))
	return p, unique(p.name, 0, p.columns)
}

// checkFooter compares the lengths that the footer gives with the length of the file.
func (p *parquetFile) checkFooter() error {
	var tail [8]byte
	if p.size < 12 {
		return files.ErrorAtByte(p.name, p.size, "the file ends within its header")
	}
	if _, err := p.f.ReadAt(tail[:], p.size-8); err != nil {
		return files.Because(p.name, err)
	}
	if string(tail[4:]) != "PAR1" {
		return files.ErrorAtByte(p.name, p.size-4, "the file is cut off: it does not end with PAR1")
	}
	n := int64(tail[0]) | int64(tail[1])<<8 | int64(tail[2])<<16 | int64(tail[3])<<24
	if n > p.size-12 {
		return files.ErrorAtByte(p.name, p.size-8, "the footer has %d bytes, the file %d", n, p.size)
	}
	if err := p.header.budget.Take(2*n, "the footer"); err != nil {
		return err
	}
	footer := make([]byte, n)
	if _, err := p.f.ReadAt(footer, p.size-8-n); err != nil {
		return files.Because(p.name, err)
	}
	if _, err := walkThrift(footer, p.header.budget); err != nil {
		return files.OrAt(err, files.ErrorAtByte(p.name, p.size-8-n, "the footer is damaged: %v", err))
	}
	return nil
}

// damaged turns a panic of the library, which trusts lengths that it reads, into an error.
func (p *parquetFile) damaged(err *error) {
	if r := recover(); r != nil {
		*err = files.Errorf(p.name, "the file is damaged: %v", r)
	}
}

// describe collects the columns below c. list is the name of the enclosing list, if any.
func (p *parquetFile) describe(c *parquet.Column, path []string, list string) error {
	for _, child := range c.Columns() {
		path, list := append(path[:len(path):len(path)], child.Name()), list
		if child.Repeated() {
			if list != "" {
				return files.Errorf(p.name, "a list of lists; a table has a value or a list of values in a cell").
					InColumn(list)
			}
			if list = strings.Join(path, "."); isList(c) {
				list = strings.Join(path[:len(path)-1], ".")
			}
		}
		if !child.Leaf() {
			if list != "" && len(child.Columns()) != 1 {
				return files.Errorf(p.name, "a list of groups; a table has a value or a list of values in a cell").
					InColumn(list)
			}
			if err := p.describe(child, path, list); err != nil {
				return err
			}
			continue
		}
		leaf := &p.leaves[child.Index()]
		leaf.column = child
		name, kind := strings.Join(path, "."), newParquetType(child.Type(), leaf.element)
		if kind.kind < 0 && !kind.null {
			return files.Errorf(p.name, "a type that is not known").InColumn(name)
		}
		if list != "" {
			name, kind.list = list, true
		}
		p.columns, p.types = append(p.columns, name), append(p.types, kind)
	}
	return nil
}

// isList reports whether a group only holds a list.
func isList(c *parquet.Column) bool {
	if c.Leaf() || c.Type() == nil {
		return false
	}
	l := c.Type().LogicalType()
	return l != nil && l.List != nil
}

func (p *parquetFile) Next(b *Batch) (err error) {
	defer p.damaged(&err)
	b.reset(&p.header, p.row)
	for !b.full() {
		n, err := p.rows.ReadRows(p.buf)
		for _, row := range p.buf[:n] {
			if err := p.appendRow(b, row); err != nil {
				return err
			}
		}
		if err == io.EOF || n == 0 && err == nil {
			break
		}
		if err != nil {
			return files.ErrorAt(p.name, p.row, "%v", err)
		}
	}
	if b.Rows() == 0 {
		if int64(p.row-1) != p.total {
			return files.Errorf(p.name, "the file has %d rows, its footer says %d", p.row-1, p.total)
		}
		return io.EOF
	}
	return nil
}

// appendRow appends a row.
func (p *parquetFile) appendRow(b *Batch, row parquet.Row) error {
	err := b.appendRow(int32(b.Rows()), func(dst []byte, k int) ([]byte, error) {
		if p.types[k].null {
			return dst, nil
		}
		n := 0
		for n < len(row) && row[n].Column() == k {
			n++
		}
		values := row[:n]
		row = row[n:]
		return p.types[k].cell(dst, values)
	})
	if err == nil && len(row) > 0 {
		err = files.ErrorAt(p.name, p.row, "%d values of column %d, which the file does not have", len(row),
			row[0].Column()+1)
	}
	p.row++
	return err
}

// Progress counts rows: pages are not read in order.
func (p *parquetFile) Progress() (done, total int64) { return int64(p.row - 1), p.total }

func (p *parquetFile) Close() error {
	p.rows.Close()
	return p.file.Close()
}
