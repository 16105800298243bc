package ad_test

import (
	"slices"
	"testing"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/mat"
)

// TestClockBeside: a clock derived from another draws by its own seed and the epoch of the other, not its own.
func TestClockBeside(t *testing.T) {
	first := &ad.Clock{Seed: 1}
	beside := &ad.Clock{Seed: 2, Epoch: 7, Beside: first}
	alone := &ad.Clock{Seed: 2}
	x := ad.Fill(mat.Shape{Rows: 40, Cols: 1}, 1)
	a, b, c := x.Dropout(0.5, first, 3), x.Dropout(0.5, beside, 3), x.Dropout(0.5, alone, 3)
	prog := ad.Compile(a, b, c)
	var before []mat.Real
	for epoch := range uint64(3) {
		first.Epoch, alone.Epoch = epoch, epoch
		if err := prog.Run(); err != nil {
			t.Fatal(err)
		}
		got := slices.Clone(prog.Value(b).Slice())
		if !slices.Equal(got, prog.Value(c).Slice()) {
			t.Errorf("epoch %d: %v, a clock of that seed and epoch has %v", epoch, got, prog.Value(c).Slice())
		}
		if slices.Equal(got, prog.Value(a).Slice()) || slices.Equal(got, before) {
			t.Errorf("epoch %d: the same draw as by another seed or epoch", epoch)
		}
		before = got
	}
}
