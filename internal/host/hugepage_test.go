package host

import (
	"slices"
	"testing"
)

// TestGrow grows slices below and above the size that is advised, and keeps what they hold.
func TestGrow(t *testing.T) {
	for _, n := range []int{0, 1, 1000, HugePage} {
		x := []int32{1, 2, 3}
		y := GrowHuge(x, n)
		if !slices.Equal(x, y) || cap(y)-len(y) < n {
			t.Errorf("Grow by %d: %v, room for %d", n, y, cap(y)-len(y))
		}
		y = append(y, make([]int32, n)...)
		if slices.IndexFunc(y[3:], func(v int32) bool { return v != 0 }) >= 0 || &GrowHuge(y, 0)[0] != &y[0] {
			t.Errorf("Grow by %d: what was appended is not there", n)
		}
	}
	AdviseHuge([]int32(nil))
}
