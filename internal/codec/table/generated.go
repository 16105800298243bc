package table

import "io"

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

// Next computes some rows.
func (g *generated) Next(b *Batch) error {
	b.reset(&g.header, g.row+1)
	for ; g.row < g.rows && !b.full(); g.row++ {
		begin := len(b.text)
		for j := range g.columns {
			start := len(b.text)
			b.text = g.cell(b.text, g.row, j)
			b.cell(start)
		}
		if err := b.endRow(begin); err != nil {
			return err
		}
	}
	if b.Rows() == 0 {
		return io.EOF
	}
	return nil
}

// Progress counts rows.
func (g *generated) Progress() (done, total int64) { return int64(g.row), int64(g.rows) }

// Close does nothing.
func (g *generated) Close() error { return nil }
