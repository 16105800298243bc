package mat

import (
	"fmt"

	"github.com/bloomgml/bloom/internal/kernel"
)

// Dense is a row-major matrix in the memory of a Device. It may be read by several goroutines at a time.
type Dense struct {
	placed
	shape Shape
	block block
}

// New returns a rows×cols matrix of zeros on the default device.
func New(rows, cols int) *Dense { return NewOn(Default(), rows, cols) }

// NewOn returns a rows×cols matrix of zeros on dev.
func NewOn(dev Device, rows, cols int) *Dense {
	s := Shape{rows, cols}
	if !s.exists() {
		panic(fmt.Sprintf("mat: New: there is no matrix of shape %v", s))
	}
	return &Dense{placed: placed{dev, dev.Alloc(s.Len())}, shape: s}
}

// FromSlice returns a rows×cols matrix with a copy of data. For numbers that come from a file
// use Load, which also refuses NaN and Inf.
func FromSlice(rows, cols int, data []Real) *Dense {
	d := New(rows, cols)
	d.Write(data)
	return d
}

// Load returns a rows×cols matrix with a copy of data, or an error that names the first place
// that is not a finite number.
func Load(rows, cols int, data []Real) (*Dense, error) {
	if s := (Shape{rows, cols}); !s.exists() || s.Len() != len(data) {
		return nil, fmt.Errorf("mat: %v matrix from %d numbers", s, len(data))
	}
	if i := kernel.FirstNonFinite(data); i >= 0 {
		return nil, &NonFinite{Row: i / cols, Col: i % cols, Value: float64(data[i])}
	}
	return FromSlice(rows, cols, data), nil
}

// Eye returns the n×n identity.
func Eye(n int) *Dense {
	data := make([]Real, n*n)
	for i := range n {
		data[i*n+i] = 1
	}
	return FromSlice(n, n, data)
}

// Scalar returns the 1×1 matrix v.
func Scalar(v Real) *Dense { return FromSlice(1, 1, []Real{v}) }

// Shape returns the number of rows and columns.
func (d *Dense) Shape() Shape { return d.shape }

// Rows returns the number of rows.
func (d *Dense) Rows() int { return d.shape.Rows }

// Cols returns the number of columns.
func (d *Dense) Cols() int { return d.shape.Cols }

// Len returns the number of entries.
func (d *Dense) Len() int { return d.shape.Len() }

// Free releases the memory. Neither the matrix nor others on the same memory (As, Alias) may be used afterwards.
// Unreachable memory is also freed without it, but later.
func (d *Dense) Free() {
	d.dev.Free(d.buf)
	d.placed = placed{}
}

// As returns a matrix of shape s on the same memory, which must be large enough. The two must not be in use at the same
// time: an arena uses it to reuse memory.
func (d *Dense) As(s Shape) *Dense {
	if !s.exists() || s.Len() > d.buf.Len() {
		panic(fmt.Sprintf("mat: As: %v does not fit into memory for %d numbers", s, d.buf.Len()))
	}
	return &Dense{placed: d.placed, shape: s}
}

// Write copies src, row by row, into the matrix.
func (d *Dense) Write(src []Real) {
	if len(src) != d.Len() {
		panic(fmt.Sprintf("mat: Write: %d numbers into shape %v", len(src), d.shape))
	}
	d.dev.Write(d.buf, src)
}

// Read copies the matrix, row by row, into dst.
func (d *Dense) Read(dst []Real) {
	if len(dst) != d.Len() {
		panic(fmt.Sprintf("mat: Read: shape %v into %d numbers", d.shape, len(dst)))
	}
	d.dev.Read(dst, d.buf)
}

// Slice returns a copy of the entries, row by row.
func (d *Dense) Slice() []Real {
	out := make([]Real, d.Len())
	d.Read(out)
	return out
}

// Item returns the value of a 1×1 matrix. It waits for the Device, like everything that brings numbers to the host:
// Read, Slice, MaxAbs and CheckFinite. Operations of a compiled program must not call these.
func (d *Dense) Item() Real {
	mustEqual("Item", d.shape, Shape{1, 1})
	return d.dev.At(d, 0)
}

// NonFinite is the error for an entry that is NaN or Inf.
type NonFinite struct {
	Row, Col int
	Value    float64
}

// Error names the place and the value.
func (e *NonFinite) Error() string {
	return fmt.Sprintf("row %d, column %d: %v is not a finite number", e.Row, e.Col, e.Value)
}

// CheckFinite returns a *NonFinite for the first entry that is NaN or Inf, nil if all are finite.
func (d *Dense) CheckFinite() error {
	i := d.dev.FirstNonFinite(d)
	if i < 0 {
		return nil
	}
	return &NonFinite{Row: i / d.Cols(), Col: i % d.Cols(), Value: float64(d.dev.At(d, i))}
}

// MaxAbs returns the largest |entry|, NaN if one is NaN, 0 for an empty matrix.
func (d *Dense) MaxAbs() Real {
	most := NewOn(d.dev, 1, 1)
	defer most.Free()
	Largest(most, d)
	return most.Item()
}

// Bytes returns the size of the matrix in memory.
func (d *Dense) Bytes() int { return d.Len() * kernel.RealBytes }

// Header returns a matrix of shape s without memory. It can be used once Alias has given it the memory of another
// matrix.
func Header(s Shape) *Dense { return &Dense{shape: s} }

// Alias makes d, a Header, use the memory of x from row first on, until the next Alias. x has the same number of
// columns. It has the same number of rows too, or more if its Device can cut memory: then d is a block of x. Pieces of
// Device.Each may work on different blocks. A block that Dropout or SpMM write to receives these rows of the result; a
// block that SpMM writes to starts at a multiple of 64, and ends at one or where x ends.
func (d *Dense) Alias(x *Dense, first int) {
	if first == 0 && d.Rows() == x.Rows() {
		mustEqual("Alias", x.shape, d.shape)
		d.placed, d.block = x.placed, block{}
		return
	}
	mustFit(d.Cols() == x.Cols() && first >= 0 && first+d.Rows() <= x.Rows(), "Alias", x.shape, d.shape)
	cut := fused[cutter]("Alias", x.dev).Cut(x.buf, first*x.Cols(), d.Len())
	d.placed, d.block = placed{x.dev, cut}, block{first, x.Rows()}
}

// block says where a matrix that is a range of rows of another is: its first row there, and how many rows the other
// has. Both are 0 for a matrix with its own memory.
type block struct{ first, of int }

// whole returns the shape of the matrix that d is a block of, or its own.
func (d *Dense) whole() Shape {
	if d.block.of > 0 {
		return Shape{d.block.of, d.Cols()}
	}
	return d.shape
}
