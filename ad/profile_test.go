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

// TestProfileCountsRoundedRows: a sparse product of bf16 reads x once, writes a copy of it and gathers rows of that,
// whose numbers have half the bytes where the CPU has bf16; with short rows it is as without.
func TestProfileCountsRoundedRows(t *testing.T) {
	const n, uses = 10, 8
	ptr, idx := make([]int64, n+1), make([]int32, n*uses)
	for i := range n {
		ptr[i+1] = int64((i + 1) * uses)
	}
	for e := range idx {
		idx[e] = int32(e % uses)
	}
	s, err := mat.NewSparse(n, uses, ptr, idx)
	if err != nil {
		t.Fatal(err)
	}
	real := mat.New(1, 1).Bytes()
	bytes := func(p mat.Precision, cols int) float64 {
		if err := mat.Round(p); err != nil {
			t.Skip(err)
		}
		defer mat.Round(mat.Float32)
		costs, err := Compile(Propagate(s, Var{}, Input(mat.New(uses, cols)))).Profile()
		if err != nil || len(costs) != 1 {
			t.Fatal(costs, err)
		}
		return costs[0].Bytes
	}
	plain := func(cols, gathered, copied int) float64 {
		return float64((n+uses)*cols*real + n*uses*(4+cols*gathered) + uses*cols*copied)
	}
	if got, want := bytes(mat.Float32, 160), plain(160, real, 0); got != want {
		t.Errorf("float32: %v bytes, want %v", got, want)
	}
	if got, want := bytes(mat.BF16, 128), plain(128, real, 0); got != want {
		t.Errorf("bf16 of short rows: %v bytes, want %v", got, want)
	}
	got := bytes(mat.BF16, 160)
	if half, whole := plain(160, 2, 2), plain(160, real, real); got != half && got != whole {
		t.Errorf("bf16: %v bytes, want %v, or %v where the CPU does not have it", got, half, whole)
	}
}
