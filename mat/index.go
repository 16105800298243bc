package mat

import "fmt"

// Index is a list of row numbers below Bound, as an operation needs it to pick rows (Gather) and
// to add rows up by number (SegmentSum), or a list of class labels. It is immutable.
type Index struct {
	n, bound int
	dev      Device
	lists    Lists
}

// RangeError is the error for an id outside [0, Bound).
type RangeError struct {
	Position, ID, Bound int
}

// Error names the place and the value.
func (e *RangeError) Error() string {
	return fmt.Sprintf("position %d: id %d is not in [0, %d)", e.Position, e.ID, e.Bound)
}

// NewIndex returns an Index over a copy of ids on the default device, or a *RangeError for the
// first id that is not in [0, bound). A negative bound is an error too.
func NewIndex(ids []int32, bound int) (*Index, error) { return NewIndexOn(Default(), ids, bound) }

// NewIndexOn is NewIndex on dev.
func NewIndexOn(dev Device, ids []int32, bound int) (*Index, error) {
	if bound < 0 {
		return nil, fmt.Errorf("mat: index below the negative bound %d", bound)
	}
	for i, id := range ids {
		if id < 0 || int(id) >= bound {
			return nil, &RangeError{i, int(id), bound}
		}
	}
	return &Index{len(ids), bound, dev, dev.Index(ids, bound)}, nil
}

// Len is the number of ids.
func (x *Index) Len() int { return x.n }

// Bound is one more than the largest id allowed.
func (x *Index) Bound() int { return x.bound }
