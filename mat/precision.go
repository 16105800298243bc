package mat

import (
	"fmt"
	"sync/atomic"
)

// Precision is the lowest precision that a product may round its dense factors to; sums are always float32. A CPU
// rounds the dense factor of a product with a sparse matrix (SpMM) only if it has more than 128 columns and its rows
// are used 8 times on average.
type Precision string

// The precisions.
const (
	Float32 Precision = "float32" // nothing is rounded; the empty one is the same
	TF32    Precision = "tf32"    // 10 bits after the point
	BF16    Precision = "bf16"    // 7 bits after the point
)

// Rounder is a Device that can round the factors of products, which it then does on faster units.
type Rounder interface {
	// Round says to what, from now on and in what is recorded from now on. The error says what is missing.
	Round(Precision) error
}

// Round lets products on the default device round their dense factors to p. The error says why it cannot.
func Round(p Precision) error {
	dev := Default()
	switch r, ok := dev.(Rounder); {
	case ok:
		return r.Round(p)
	case p != Float32 && p != "":
		return fmt.Errorf("the device %s rounds no products", dev.Name())
	}
	return nil
}

// roundsToBF16 says what products on the CPU round their factors to.
var roundsToBF16 atomic.Bool

var _ Rounder = cpu{}

// Round takes float32 and bf16, which every CPU has: by its own instructions (AMX, AVX512_BF16), or, more slowly than
// float32, by rounded copies.
func (cpu) Round(p Precision) error {
	switch p {
	case BF16, Float32, "":
		roundsToBF16.Store(p == BF16)
		return nil
	}
	return fmt.Errorf("the CPU rounds products to bf16 only, not to %q", p)
}
