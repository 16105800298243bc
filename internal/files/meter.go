package files

import (
	"bytes"
	"io"
)

// rowMeter passes on text and takes from the budget what the longest row of it holds: its bytes, twice, and three words
// a cell. A row between quotes may have several lines, which are then taken for rows of their own; quotes hold text,
// which is as large as the file, not cells, which are larger.
type rowMeter struct {
	f     io.Reader
	b     *Budget
	comma byte
	row   int64 // what the row that is read holds so far
	paid  int64
}

// cellBytes is what a cell takes: a string and its place in the row.
const cellBytes = 24

func (m *rowMeter) Read(p []byte) (int, error) {
	n, err := m.f.Read(p)
	for text := p[:n]; len(text) > 0; {
		line, rest, ended := bytes.Cut(text, []byte{'\n'})
		m.row += 2*int64(len(line)) + cellBytes*int64(bytes.Count(line, []byte{m.comma}))
		if m.row > m.paid {
			if err := m.b.Hold(&m.paid, m.row+m.row/2, "a row"); err != nil {
				return 0, err
			}
		}
		if ended {
			m.row = 0
		}
		text = rest
	}
	return n, err
}
