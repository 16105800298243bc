package kernel

import (
	"fmt"
	"math"
)

// CSR is a sparse Rows×Cols pattern by rows: entry e of row i, Ptr[i] ≤ e < Ptr[i+1], is in column Idx[e] and carries
// the value val[Edge[e]], or val[e] where Edge is nil. Values live outside, so a pattern and its transpose can share
// them. Only Refill and RefillTranspose change a CSR; many goroutines may read it. Make one with NewCSR, Transpose or
// Invert.
type CSR struct {
	Rows, Cols int
	Ptr        []int64 // Rows+1 offsets into Idx
	Idx        []int32 // column of every entry
	Edge       []int32 // where the value of every entry is, nil for its own position

	cut   []int32 // first row of every chunk, then Rows; see arrange
	shift []int16 // the n-th row to take is n + shift[n]; nil for all 0; see makeOrder
}

// NNZ returns the number of entries.
func (a *CSR) NNZ() int { return len(a.Idx) }

// NewCSR checks a pattern and returns it. It keeps the slices, which must not change afterwards;
// edge may be empty. Duplicate entries are allowed and add up. An error is a *CSRError.
func NewCSR(rows, cols int, ptr []int64, idx, edge []int32) (*CSR, error) {
	if err := CheckCSR(rows, cols, ptr, idx, edge); err != nil {
		return nil, err
	}
	if len(edge) == 0 {
		edge = nil
	}
	a := &CSR{Rows: rows, Cols: cols, Ptr: ptr, Idx: idx, Edge: edge}
	a.makeOrder()
	a.arrange()
	return a, nil
}

// CSRError says what is wrong with a sparse pattern, and where.
type CSRError struct {
	Place   string // "rows", "row 3", "entry 17", ...
	Problem string // "ptr 7 after 9"
}

// Error reads like "sparse pattern: row 3: ptr 7 after 9".
func (e *CSRError) Error() string {
	return "sparse pattern: " + e.Place + ": " + e.Problem
}

func csrError(place, format string, args ...any) error {
	return &CSRError{place, fmt.Sprintf(format, args...)}
}

// CheckCSR returns the *CSRError that NewCSR would.
func CheckCSR(rows, cols int, ptr []int64, idx, edge []int32) error {
	if err := checkShape(rows, cols, ptr, idx, edge); err != nil {
		return err
	}
	return checkEntries(cols, ptr, idx, edge)
}

// checkShape checks the counts and lengths. Rows, columns and entries are numbered by int32.
func checkShape(rows, cols int, ptr []int64, idx, edge []int32) error {
	switch {
	case rows < 0 || rows > math.MaxInt32-1:
		return csrError("rows", "%d outside 0..2³¹−2", rows)
	case cols < 0 || cols > math.MaxInt32-1:
		return csrError("cols", "%d outside 0..2³¹−2", cols)
	case len(idx) > math.MaxInt32-1:
		return csrError("idx", "%d entries, more than 2³¹−2", len(idx))
	case len(ptr) != rows+1:
		return csrError("ptr", "length %d for %d rows, want %d", len(ptr), rows, rows+1)
	case len(edge) != 0 && len(edge) != len(idx):
		return csrError("edge", "length %d for %d entries", len(edge), len(idx))
	case ptr[0] != 0:
		return csrError("row 0", "ptr starts at %d, want 0", ptr[0])
	}
	return nil
}

// checkEntries checks the offsets, columns and value positions themselves.
func checkEntries(cols int, ptr []int64, idx, edge []int32) error {
	for i := 1; i < len(ptr); i++ {
		if ptr[i] < ptr[i-1] {
			return csrError(fmt.Sprint("row ", i-1), "ptr %d after %d", ptr[i], ptr[i-1])
		}
	}
	if last := ptr[len(ptr)-1]; last != int64(len(idx)) {
		return csrError("ptr", "ends at %d with %d entries", last, len(idx))
	}
	for e, j := range idx {
		if j < 0 || int(j) >= cols {
			return csrError(fmt.Sprint("entry ", e), "column %d outside 0..%d", j, cols-1)
		}
	}
	for e, v := range edge {
		if v < 0 || int(v) >= len(idx) {
			return csrError(fmt.Sprint("entry ", e), "edge %d outside 0..%d", v, len(idx)-1)
		}
	}
	return nil
}
