package relax

import (
	"fmt"
	"unsafe"

	"github.com/bloomgml/bloom/internal/scratch"
	"github.com/bloomgml/bloom/mat"
)

// states is a matrix with a row for every node, in a file: panel after panel of columns, of which the rows of block
// after block. What is read must be what was written, as a checksum says.
type states struct {
	f     *scratch.File
	first []int // row of every block, then the number of rows
	cut   []int // column of every panel, then the number of columns
	sums  []uint32
	there []bool // by panel and block: something was written
	some  []mat.Real
}

// createStates makes a file in dir.
func createStates(dir, name string, first, cut []int) (*states, error) {
	f, err := scratch.Create(dir, name)
	if err != nil {
		return nil, err
	}
	n := (len(first) - 1) * (len(cut) - 1)
	return &states{f: f, first: first, cut: cut, sums: make([]uint32, n), there: make([]bool, n)}, nil
}

// close removes the file.
func (s *states) close() error { return s.f.Close() }

const realBytes = int64(unsafe.Sizeof(mat.Real(0)))

// columns is how many there are.
func (s *states) columns() int { return s.cut[len(s.cut)-1] }

// width is how many columns a panel has.
func (s *states) width(panel int) int { return s.cut[panel+1] - s.cut[panel] }

// place is the number of a block of a panel, and where it begins.
func (s *states) place(panel, block int) (i int, at int64) {
	rows := int64(s.first[len(s.first)-1])
	at = rows*int64(s.cut[panel]) + int64(s.first[block])*int64(s.width(panel))
	return panel*(len(s.first)-1) + block, at * realBytes
}

// put writes the rows of a block in the columns of a panel.
func (s *states) put(panel, block int, x []mat.Real) (err error) {
	i, at := s.place(panel, block)
	if s.sums[i], err = s.f.Put(at, scratch.Bytes(x)); err == nil {
		s.there[i] = true
	}
	return err
}

// get reads them; zeros where nothing was written.
func (s *states) get(panel, block int, x []mat.Real) error {
	i, at := s.place(panel, block)
	if !s.there[i] {
		clear(x)
		return nil
	}
	return s.f.Get(at, scratch.Bytes(x), s.sums[i], fmt.Sprintf("block %d of the states", block))
}

// each calls f with every block of a panel and its part of x, rows × width of the panel.
func (s *states) each(panel int, x []mat.Real, f func(panel, block int, x []mat.Real) error) error {
	w := s.width(panel)
	for i := range len(s.first) - 1 {
		if err := f(panel, i, x[s.first[i]*w:s.first[i+1]*w]); err != nil {
			return err
		}
	}
	return nil
}

// load reads a panel.
func (s *states) load(panel int, x []mat.Real) error { return s.each(panel, x, s.get) }

// save writes a panel.
func (s *states) save(panel int, x []mat.Real) error { return s.each(panel, x, s.put) }

// blank reports whether nothing was written to a panel.
func (s *states) blank(panel int) bool { return !s.there[panel*(len(s.first)-1)] }

// putRows writes the rows of a block, all columns of them.
func (s *states) putRows(block int, x []mat.Real) error { return s.rows(block, x, true) }

// getRows reads them.
func (s *states) getRows(block int, x []mat.Real) error { return s.rows(block, x, false) }

// rows goes through the panels of the rows x of a block.
func (s *states) rows(block int, x []mat.Real, write bool) error {
	d := s.columns()
	for k := range len(s.cut) - 1 {
		w := s.width(k)
		s.some = room(s.some, len(x)/d*w)
		if !write {
			if err := s.get(k, block, s.some); err != nil {
				return err
			}
		}
		for r := range len(x) / d {
			wide, narrow := x[r*d+s.cut[k]:r*d+s.cut[k+1]], s.some[r*w:(r+1)*w]
			if write {
				copy(narrow, wide)
			} else {
				copy(wide, narrow)
			}
		}
		if write {
			if err := s.put(k, block, s.some); err != nil {
				return err
			}
		}
	}
	return nil
}
