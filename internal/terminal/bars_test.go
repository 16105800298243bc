package terminal

import (
	"math"
	"testing"
)

func TestSparkline(t *testing.T) {
	if got := Sparkline([]float64{9, 0, 1, 2, 3, 4, 5, 6, 7}, 8); got != "▁▂▃▄▅▆▇█" {
		t.Errorf("got %q", got)
	}
	if got := Sparkline([]float64{2, 2}, 8); got != "▁▁" {
		t.Errorf("flat: %q", got)
	}
	if got := Sparkline([]float64{math.NaN(), -math.MaxFloat64, math.Inf(1), math.MaxFloat64}, 8); got != "▁█" {
		t.Errorf("numbers at the end of the range: %q", got)
	}
}

// TestPlot: a plot has its extremes at the left and the corners where they belong; one value is a line.
func TestPlot(t *testing.T) {
	lines := Plot([]float64{10, 5, 2.5}, 4, 2)
	want := []string{" 10 ┤⠑⡄", "2.5 ┤⠀⠈⠢⢄", "    └────", "     0  2"}
	if len(lines) != len(want) {
		t.Fatalf("%q", lines)
	}
	for i := range want {
		if lines[i] != want[i] {
			t.Errorf("line %d is %q, want %q", i, lines[i], want[i])
		}
	}
	for _, values := range [][]float64{{3}, {3, 3}, {0, 1e-30}, {-1, 1, -1, 1, -1},
		{math.NaN(), -math.MaxFloat64, math.Inf(1), math.MaxFloat64}} {
		if got := Plot(values, 7, 3); len(got) != 5 {
			t.Errorf("%v: %q", values, got)
		}
	}
	if got := Plot([]float64{math.NaN(), math.Inf(-1)}, 7, 3); got != nil {
		t.Errorf("of no number: %q", got)
	}
}
