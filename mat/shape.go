package mat

import (
	"fmt"
	"math"
)

// Shape is the number of rows and columns of a matrix.
type Shape struct{ Rows, Cols int }

// Len returns the number of entries.
func (s Shape) Len() int { return s.Rows * s.Cols }

// String returns rows×columns.
func (s Shape) String() string { return fmt.Sprintf("%d×%d", s.Rows, s.Cols) }

// exists reports whether there can be a matrix of this shape: no side is negative and the number
// of entries is an int.
func (s Shape) exists() bool {
	return s.Rows >= 0 && s.Cols >= 0 && (s.Cols == 0 || s.Rows <= math.MaxInt/s.Cols)
}

// mustEqual panics with both shapes when they differ.
func mustEqual(op string, got, want Shape) {
	if got != want {
		panic(fmt.Sprintf("mat: %s: shape %v where %v is needed", op, got, want))
	}
}

// mustMatch panics where an operand, which may be nil, has another shape than dst or is on another device.
func mustMatch(op string, dst *Dense, xs ...*Dense) {
	for _, x := range xs {
		if x != nil {
			mustEqual(op, x.shape, dst.shape)
		}
	}
	mustShare(op, dst.dev, xs...)
}

// mustFit panics with both shapes of a pair that does not go together.
func mustFit(ok bool, op string, a, b Shape) {
	if !ok {
		panic(fmt.Sprintf("mat: %s: shapes %v and %v do not go together", op, a, b))
	}
}

// Broadcastable reports whether an operand of shape b can be combined entrywise with one of
// shape a: same shape, one row, one column, or a single number.
func Broadcastable(a, b Shape) bool {
	return (b.Rows == a.Rows || b.Rows == 1) && (b.Cols == a.Cols || b.Cols == 1)
}
