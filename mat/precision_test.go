package mat

import "testing"

// TestRoundOnCPU: bf16 rounds the factors of products and float32 does not; an unknown precision is refused.
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
	checkRoundsRows(t, fine)
	for _, p := range []Precision{TF32, "half"} {
		if (cpu{}).Round(p) == nil {
			t.Errorf("%s was taken", p)
		}
	}
}

// checkRoundsRows looks at a row of fine that eight others are: bf16 makes it 1 where it is long.
func checkRoundsRows(t *testing.T, fine Real) {
	t.Helper()
	s, err := NewSparse(8, 1, []int64{0, 1, 2, 3, 4, 5, 6, 7, 8}, make([]int32, 8))
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range []struct {
		to   Precision
		cols int
		want Real
	}{{BF16, 129, 1}, {BF16, 128, fine}, {Float32, 129, fine}} {
		if err := (cpu{}).Round(x.to); err != nil {
			t.Fatal(err)
		}
		row, dst := New(1, x.cols), New(8, x.cols)
		Fill(row, fine)
		SpMM(dst, s, false, nil, row, 1, 0)
		if got := data(dst)[dst.Len()-1]; got != x.want {
			t.Errorf("%q, %d columns: %v, want %v", x.to, x.cols, got, x.want)
		}
	}
}
