// Package stoptest helps tests that stop a training and go on with it in another one.
package stoptest

import (
	"context"
	"testing"

	"github.com/bloomgml/bloom/mat"
)

// After is a context that ends when its error has been asked for so many times.
func After(times int) context.Context { return &countdown{context.Background(), times} }

type countdown struct {
	context.Context
	left int
}

func (c *countdown) Err() error {
	if c.left--; c.left < 0 {
		return context.Canceled
	}
	return nil
}

// Carry writes the state from into to, which must have the same names: *mat.Dense, *int and *float64.
func Carry(t *testing.T, to, from map[string]any) {
	t.Helper()
	if len(to) != len(from) {
		t.Fatalf("%d names, want %d", len(to), len(from))
	}
	for name, x := range from {
		switch x := x.(type) {
		case *mat.Dense:
			mat.Copy(to[name].(*mat.Dense), x)
		case *int:
			*to[name].(*int) = *x
		case *float64:
			*to[name].(*float64) = *x
		default:
			t.Fatalf("%s is a %T", name, x)
		}
	}
}
