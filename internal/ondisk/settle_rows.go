package ondisk

import (
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
	s, err := writeStretch(r, w, k, first, width, func(v,
		_ int32) []mat.Real {
		return w.h[int(v)*width : (int(v)+1)*width]
	})
	if r.panels = append(r.panels, s); err != nil || first+width < r.Columns {
		return err
	}
	var one [1]int32
	r.class, err = writeStretch(r, w, k, 0, 1, func(_, class int32) []int32 { one[0] = class; return one[:] })
	return err
}
