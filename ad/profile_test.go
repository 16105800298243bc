package ad

import (
	"testing"

	"github.com/bloomgml/bloom/mat"
)

// TestProfileCounts: operations are told apart by shape, and their work is what the formulas say.
func TestProfileCounts(t *testing.T) {
	s, err := mat.NewSparse(4, 4, []int64{0, 1, 3, 3, 5}, []int32{1, 0, 2, 1, 3})
	if err != nil {
		t.Fatal(err)
	}
	x, w, v := Input(mat.New(4, 3)), Input(mat.New(3, 2)), Input(mat.New(2, 3))
	y := Propagate(s, Var{}, x.MatMul(w)).MatMul(v).Tanh()
	costs, err := Compile(y, x.TMatMul(x)).Profile()
	if err != nil {
		t.Fatal(err)
	}
	real := float64(mat.New(1, 1).Bytes())
	want := map[string]Cost{
		"matmul 4×2×3 A·B":  {Calls: 1, Flops: 48, Bytes: (8 + 12 + 6) * real},
		"matmul 4×3×2 A·B":  {Calls: 1, Flops: 48, Bytes: (12 + 8 + 6) * real},
		"matmul 3×3×4 Aᵀ·B": {Calls: 1, Flops: 72, Bytes: (9 + 12 + 12) * real},
		"spmm 5·4×2":        {Calls: 1, Flops: 20, Bytes: (8+8+5*2)*real + 5*4},
		"tanh 4×3":          {Calls: 1, Flops: 12, Bytes: (12 + 12) * real},
	}
	for _, c := range costs {
		name := c.Op + " " + c.Shape
		got := Cost{Calls: c.Calls, Flops: c.Flops, Bytes: c.Bytes}
		if got != want[name] {
			t.Errorf("%s: %+v, want %+v", name, got, want[name])
		}
		delete(want, name)
	}
	for name := range want {
		t.Errorf("no %s", name)
	}
}
