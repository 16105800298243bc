//go:build cuda && linux && (amd64 || arm64) && !f64

package cuda

import (
	"math"
	"testing"

	"github.com/bloomgml/bloom/mat"
)

// TestPrecision: rounded products are as near as their bits allow and no nearer; Float32 comes back to its own bits.
func TestPrecision(t *testing.T) {
	d := gpu(t)
	if d.Round(mat.TF32) != nil {
		t.Skip("no cuBLAS")
	}
	defer d.Round(mat.Float32)
	const m, n, k = 128, 64, 256
	x, y := mat.NewOn(d, m, k), mat.NewOn(d, k, n)
	mat.Uniform(x, 0.5, 1, 1)
	mat.Uniform(y, 0.5, 1, 2)
	product := func(p mat.Precision) []mat.Real {
		if err := d.Round(p); err != nil {
			t.Fatal(err)
		}
		z := mat.NewOn(d, m, n)
		mat.MatMul(z, x, y, mat.NN, 1, 0)
		return z.Slice()
	}
	want := product(mat.Float32)
	// A factor of p bits is off by 2⁻ᵖ⁻¹ of itself at most, and a product by twice that.
	for p, most := range map[mat.Precision]float64{mat.TF32: math.Pow(2, -10), mat.BF16: math.Pow(2, -7)} {
		worst := 0.0
		for i, v := range product(p) {
			worst = max(worst, math.Abs(float64(v-want[i]))/float64(want[i]))
		}
		if worst > most || worst < most/100 {
			t.Errorf("%s: off by %.1e of a product, want at most %.1e and not nothing", p, worst, most)
		}
	}
	for i, v := range product(mat.Float32) {
		if v != want[i] {
			t.Fatalf("float32 after rounding: %v, want %v", v, want[i])
		}
	}
}
