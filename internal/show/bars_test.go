package show

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
