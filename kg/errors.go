package kg

import "fmt"

// NotFinite is the error for a loss that is no number any more.
type NotFinite struct {
	Epoch, Batch int
	Err          error
}

// Error says where, and what helps.
func (e *NotFinite) Error() string {
	return fmt.Sprintf("kg: the loss of batch %d of epoch %d is not finite (%v); a lower learning rate helps", e.Batch, e.Epoch, e.Err)
}

// Unwrap is what was found.
func (e *NotFinite) Unwrap() error { return e.Err }
