package mat

import "testing"

// TestRoundOnCPU: bf16 rounds the factors of products and float32 does not; what there is none of is refused.
func TestRoundOnCPU(t *testing.T) {
	defer func() {
		if err := (cpu{}).Round(Float32); err != nil {
			t.Error(err)
		}
	}()
	const fine = 1 + 1.0/512 // 1 in bf16, whose next number is 1 + 1/128
	a, b, c := Scalar(fine), Scalar(3), Scalar(0)
	for _, x := range []struct {
		to   Precision
		want Real
	}{{BF16, 3}, {Float32, 3 * fine}, {BF16, 3}, {"", 3 * fine}} {
		if err := (cpu{}).Round(x.to); err != nil {
			t.Fatal(err)
		}
		if CPU.MatMul(c, a, b, NN, 1, 0); c.Item() != x.want {
			t.Errorf("%q: %v, want %v", x.to, c.Item(), x.want)
		}
	}
	for _, p := range []Precision{TF32, "half"} {
		if (cpu{}).Round(p) == nil {
			t.Errorf("%s was taken", p)
		}
	}
}
