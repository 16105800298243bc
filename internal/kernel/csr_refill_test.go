package kernel

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// sameCSR compares all fields that products read.
func sameCSR(t *testing.T, seed uint64, got, want *CSR) {
	t.Helper()
	if !slices.Equal(got.Ptr, want.Ptr) || !slices.Equal(got.Idx, want.Idx) || !slices.Equal(got.Edge, want.Edge) {
		t.Fatalf("seed %d: other entries", seed)
	}
	if !slices.Equal(got.cut, want.cut) || !slices.Equal(got.shift, want.shift) {
		t.Fatalf("seed %d: other order of work", seed)
	}
}

// TestRefill compares patterns that were filled again with new ones.
func TestRefill(t *testing.T) {
	for seed := range uint64(40) {
		rng := rand.New(rand.NewPCG(seed, 3))
		rows, entries := 1+rng.IntN(300), rng.IntN(900)
		draw := func() []int32 {
			ids := make([]int32, entries)
			for i := range ids {
				ids[i] = rng.Int32N(int32(rows))
			}
			return ids
		}
		inverse := Invert(draw(), rows)
		ptr := []int64{0, int64(entries / 3), int64(entries)}
		pattern, err := NewCSR(2, rows, ptr, draw(), nil)
		if err != nil {
			t.Fatal(err)
		}
		transpose := pattern.Transpose()
		for range 3 {
			ids := draw()
			inverse.Refill(ids)
			sameCSR(t, seed, inverse, Invert(ids, rows))
			copy(pattern.Idx, draw())
			transpose.RefillTranspose(pattern)
			sameCSR(t, seed, transpose, pattern.Transpose())
		}
		ids := draw()
		if n := testing.AllocsPerRun(3, func() { inverse.Refill(ids); transpose.RefillTranspose(pattern) }); n != 0 {
			t.Fatalf("seed %d: %v allocations", seed, n)
		}
	}
}
