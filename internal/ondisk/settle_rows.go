package ondisk

import (
	"context"
	"errors"
	"fmt"

	"github.com/bloomgml/bloom/mat"
)

// Rows are the settled rows of all training nodes, ascending, on disk. They are read in pieces, so the memory they take
// does not grow with their number.
type Rows struct {
	Count   int // rows
	Columns int
	file    *Scratch
	end     int64     // of the file
	panels  []stretch // of columns
	class   stretch
}

// stretch is a range of columns of all rows in the file, piece after piece.
type stretch struct {
	first, width int
	at, each     int64    // where it begins, and the bytes of a piece
	sums         []uint32 // of every piece
}

// pieceRows is the maximum number of rows of a piece.
const pieceRows = 1 << 15

// Piece returns how many of n rows are trained on at once; all pieces but the last have this size.
func Piece(n int) int {
	count := max(1, (n+pieceRows-1)/pieceRows)
	return (n + count - 1) / count
}

// NewRows creates the file, without a name, in a folder. Run fills it.
func NewRows(dir string) (*Rows, error) {
	f, err := NewScratch(dir, "rows")
	return &Rows{file: f}, err
}

// Close removes the file.
func (r *Rows) Close() error { return r.file.Close() }

// RowReader reads rows, a piece at a time.
type RowReader struct {
	*Rows
	X     []mat.Real // a row of all columns for each
	Class []int32
	room  []mat.Real
}

// Read reads the piece whose first row is at.
func (r *RowReader) Read(at int) error {
	full := Piece(r.Count)
	n := min(full, r.Count-at)
	if r.X == nil {
		r.X, r.Class = make([]mat.Real, full*r.Columns), make([]int32, full)
		widest := 0
		for _, p := range r.panels {
			widest = max(widest, p.width)
		}
		r.room = make([]mat.Real, full*widest)
	}
	r.X, r.Class = r.X[:n*r.Columns], r.Class[:n]
	for _, p := range r.panels {
		room := r.room[:n*p.width]
		if err := r.get(p, at/full, bytesOf(room)); err != nil {
			return err
		}
		for i := range n {
			copy(r.X[i*r.Columns+p.first:], room[i*p.width:(i+1)*p.width])
		}
	}
	return r.get(r.class, at/full, bytesOf(r.Class))
}

// get reads piece i of a stretch.
func (r *Rows) get(s stretch, i int, b []byte) error {
	return r.file.Get(s.at+int64(i)*s.each, b, s.sums[i], fmt.Sprintf("piece %d of the training rows", i))
}

// writeStretch writes a stretch of width columns starting with first; of writes the values of a node in them.
func writeStretch[T int32 | mat.Real](r *Rows, w *sweep, k *Kept, first, width int,
	of func(v, class int32) []T) (stretch, error) {
	full := Piece(r.Count) * width
	s, room := stretch{first: first, width: width, at: r.end}, make([]T, 0, full)
	var bad error
	flush := func() {
		sum, err := r.file.Put(r.end, bytesOf(room))
		if len(s.sums) == 0 {
			s.each = int64(len(bytesOf(room)))
		}
		s.sums, bad = append(s.sums, sum), err
		r.end += int64(len(bytesOf(room)))
		room = room[:0]
	}
	err := k.each(w.Store, w.Split, func(v, class int32, p Part) {
		if p != Train || bad != nil {
			return
		}
		if room = append(room, of(v, class)...); len(room) == full {
			flush()
		}
	})
	if len(room) > 0 && bad == nil && err == nil {
		flush()
	}
	if err == nil {
		err = bad
	}
	return s, err
}

// rows writes the columns of the panel starting with first for the training nodes, and their classes after the last
// panel.
func (w *sweep) rows(k *Kept, first, width int) (err error) {
	r := w.Train
	r.Count, r.Columns = k.all[Train], w.SettleOptions.Columns(w.Store)
	s, err := writeStretch(r, w, k, first, width, func(v, _ int32) []mat.Real {
		return w.h[int(v)*width : (int(v)+1)*width]
	})
	if r.panels = append(r.panels, s); err != nil || first+width < r.Columns {
		return err
	}
	var one [1]int32
	r.class, err = writeStretch(r, w, k, 0, 1, func(_, class int32) []int32 { one[0] = class; return one[:] })
	return err
}

// States are the rows of H of all nodes, for weights that are trained: the descent runs on the columns of π(X; W).
type States struct {
	*Store
	SettleOptions                 // except those about the kept rows
	Context       context.Context // cancels work in progress
	Scratch       string          // the folder of the file that holds H while Each runs
}

// Each yields H of every block, rows×d. pi computes π(x; W) of some rows: x is rows×Columns, the result rows×d.
func (s *States) Each(d int, pi func(x, to []mat.Real) error, yield func(block int, h []mat.Real) error) (err error) {
	largest := 0
	for i := range s.Blocks() {
		first, end := s.Rows(i)
		largest = max(largest, end-first)
	}
	own := 4 * int64(largest) * int64(s.Store.Columns+3*d) // features and π of a block, its H and logits
	plan, err := widest(s.Store, s.Memory, d, base(s.Store, 0, d)+own)
	if err != nil {
		return err
	}
	w, err := newSweep(s.Context, s.Store, s.SettleOptions, plan)
	if err != nil {
		return err
	}
	file, err := NewScratch(s.Scratch, "states")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	p := panels{Store: s.Store, file: file, cut: plan.cut, sums: make([]uint32, plan.Panels*s.Blocks())}
	for k := range plan.Panels {
		width := p.width(k)
		err := w.panel(width, func(dst []mat.Real) error { return s.project(d, pi, dst, p.cut[k], width) })
		if err != nil {
			return err
		}
		if err := p.writePanel(k, w.h); err != nil {
			return err
		}
	}
	h := make([]mat.Real, largest*d)
	for i := range s.Blocks() {
		from, to := s.Rows(i)
		if err := p.get(i, h, w.next[:cap(w.next)]); err != nil {
			return err
		}
		if err := yield(i, h[:(to-from)*d]); err != nil {
			return err
		}
	}
	return nil
}

// project writes width columns of π, starting with first, into dst, a row for every node.
func (s *States) project(d int, pi func(x, to []mat.Real) error, dst []mat.Real, first, width int) error {
	columns, err := NewSettleColumns(s.Store, s.Scale)
	if err != nil {
		return err
	}
	var x, p []mat.Real
	for i := range s.Blocks() {
		if err := s.Context.Err(); err != nil {
			return err
		}
		if x, err = columns.Block(i, x); err != nil {
			return err
		}
		from, to := s.Rows(i)
		if cap(p) < (to-from)*d {
			p = make([]mat.Real, (to-from)*d)
		}
		p = p[:(to-from)*d]
		if err := pi(x, p); err != nil {
			return err
		}
		for v := from; v < to; v++ {
			copy(dst[v*width:(v+1)*width], p[(v-from)*d+first:])
		}
	}
	return nil
}

// panels is a matrix with a row for every node, in a file: panel after panel of columns, each with all rows.
type panels struct {
	*Store
	file *Scratch
	cut  []int    // first column of every panel, then the number of columns
	sums []uint32 // by panel and block
}

func (p *panels) width(k int) int { return p.cut[k+1] - p.cut[k] }

// place returns the checksum of block i of panel k, and the offset of its rows.
func (p *panels) place(k, i int) (sum *uint32, at int64) {
	first, _ := p.Rows(i)
	return &p.sums[k*p.Blocks()+i], 4 * (int64(p.Nodes)*int64(p.cut[k]) + int64(first)*int64(p.width(k)))
}

// writePanel writes panel k; x is nodes×width.
func (p *panels) writePanel(k int, x []mat.Real) (err error) {
	for i := range p.Blocks() {
		from, to := p.Rows(i)
		sum, at := p.place(k, i)
		if *sum, err = p.file.Put(at, bytesOf(x[from*p.width(k):to*p.width(k)])); err != nil {
			return err
		}
	}
	return nil
}

// get reads all columns of block i into h, rows×columns; room is scratch memory for one panel.
func (p *panels) get(i int, h, room []mat.Real) error {
	from, to := p.Rows(i)
	d := p.cut[len(p.cut)-1]
	for k := range len(p.cut) - 1 {
		width := p.width(k)
		some := room[:(to-from)*width]
		sum, at := p.place(k, i)
		if err := p.file.Get(at, bytesOf(some), *sum, fmt.Sprintf("block %d of the states", i)); err != nil {
			return err
		}
		for r := range to - from {
			copy(h[r*d+p.cut[k]:], some[r*width:(r+1)*width])
		}
	}
	return nil
}
