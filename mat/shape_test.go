package mat_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/bloomgml/bloom/mat"
)

// m is a rows×cols matrix of zeros.
func m(rows, cols int) *mat.Dense { return mat.New(rows, cols) }

// panicked is what f panics with, nil if it does not.
func panicked(f func()) (v any) {
	defer func() { v = recover() }()
	f()
	return nil
}

// wrongShape is a call that must panic with this message.
type wrongShape struct {
	op   string
	call func()
	want string
}

// index is an Index of zeros.
func index(n, bound int) *mat.Index { return mat.MustIndex(make([]int32, n), bound) }

// triples is n times the triple of zeros.
func triples(bounds [3]int, n int) *mat.Triples {
	t, err := mat.NewTriples(bounds, [3][]int32{make([]int32, n), make([]int32, n), make([]int32, n)})
	if err != nil {
		panic(err)
	}
	return t
}

// path is the pattern of a path: row i has the columns i−1 and i+1.
func path(n int) *mat.Sparse {
	ptr, idx := []int64{0}, []int32(nil)
	for i := range n {
		for _, j := range []int{i - 1, i + 1} {
			if j >= 0 && j < n {
				idx = append(idx, int32(j))
			}
		}
		ptr = append(ptr, int64(len(idx)))
	}
	s, err := mat.NewSparse(n, n, ptr, idx)
	if err != nil {
		panic(err)
	}
	return s
}

// wide is a 2×3 pattern with four entries.
func wide() *mat.Sparse {
	s, err := mat.NewSparse(2, 3, []int64{0, 3, 4}, []int32{0, 1, 2, 1})
	if err != nil {
		panic(err)
	}
	return s
}

// entrywiseMistakes are mistakes in calls of operations on matrices of one shape.
func entrywiseMistakes() []wrongShape {
	a, b, row, col := m(2, 3), m(3, 2), m(1, 3), m(2, 1)
	return []wrongShape{
		{"Copy", func() { mat.Copy(a, b) }, "mat: Copy: shape 2×3 where 3×2 is needed"},
		{"Map", func() { mat.Map(a, b, "exp", 0, 0) }, "mat: Map: shape 3×2 where 2×3 is needed"},
		{"Map", func() { mat.Map(a, a, "cube", 0, 0) }, `mat: Map: no function "cube"`},
		{"Map", func() { mat.Map(a, a, "exp", 3, 0) }, "mat: Map: derivative of order 3; the list goes to 2"},
		{"Map", func() { mat.Map(a, a, "exp", -1, 0) }, "mat: Map: derivative of order -1; the list goes to 2"},
		{"MapMul", func() { mat.MapMul(a, b, b, "exp", 0, 0) }, "mat: MapMul: shape 3×2 where 2×3 is needed"},
		{"MapMul", func() { mat.MapMul(a, a, b, "exp", 0, 0) }, "mat: MapMul: shape 3×2 where 2×3 is needed"},
		{"Affine", func() { mat.Affine(a, row, 1, 0) }, "mat: Affine: shape 1×3 where 2×3 is needed"},
		{"Axpby", func() { mat.Axpby(a, b, b, 1, 1) }, "mat: Axpby: shape 2×3 where 3×2 is needed"},
		{"Axpby", func() { mat.Axpby(a, a, b, 1, 1) }, "mat: Axpby: shapes 2×3 and 3×2 do not go together"},
		{"Axpby", func() { mat.Axpby(row, row, a, 1, 1) }, "mat: Axpby: shapes 1×3 and 2×3 do not go together"},
		{"Mul", func() { mat.Mul(a, row, row, 1, false) }, "mat: Mul: shape 2×3 where 1×3 is needed"},
		{"Mul", func() { mat.Mul(col, col, a, 1, false) }, "mat: Mul: shapes 2×1 and 2×3 do not go together"},
		{"MulAdd", func() { mat.Mul(a, b, b, 1, true) }, "mat: Mul: shape 2×3 where 3×2 is needed"},
		{"MulAdd", func() { mat.Mul(a, a, m(1, 2), 1, true) }, "mat: Mul: shapes 2×3 and 1×2 do not go together"},
		{"Maximum", func() { mat.Maximum(b, a, a, false) }, "mat: Maximum: shape 2×3 where 3×2 is needed"},
		{"Maximum", func() { mat.Maximum(a, a, row, false) }, "mat: Maximum: shape 1×3 where 2×3 is needed"},
		{"Minimum", func() { mat.Maximum(b, a, a, true) }, "mat: Maximum: shape 2×3 where 3×2 is needed"},
		{"Minimum", func() { mat.Maximum(a, a, row, true) }, "mat: Maximum: shape 1×3 where 2×3 is needed"},
		{"GreaterMask", func() { mat.GreaterMask(b, a, a, a) }, "mat: GreaterMask: shape 2×3 where 3×2 is needed"},
		{"GreaterMask", func() { mat.GreaterMask(a, a, b, a) }, "mat: GreaterMask: shape 3×2 where 2×3 is needed"},
		{"GreaterMask", func() { mat.GreaterMask(a, a, a, row) }, "mat: GreaterMask: shape 1×3 where 2×3 is needed"},
		{"Expand", func() { mat.Expand(a, b) }, "mat: Expand: shapes 2×3 and 3×2 do not go together"},
		{"Dropout", func() { mat.Dropout(a, b, 0.5, mat.NewSeed(), 1) }, "mat: Dropout: shape 3×2 where 2×3 is needed"},
		{"Dropout", func() { mat.Dropout(a, a, 1, mat.NewSeed(), 1) }, "mat: Dropout: probability 1 is not in [0, 1)"},
		{"Adam", func() { mat.Adam(a, b, a, a, mat.AdamConfig{}, 1) }, "mat: Adam: shape 3×2 where 2×3 is needed"},
		{"Adam", func() { mat.Adam(a, a, row, a, mat.AdamConfig{}, 1) }, "mat: Adam: shape 1×3 where 2×3 is needed"},
		{"Adam", func() { mat.Adam(a, a, a, col, mat.AdamConfig{}, 1) }, "mat: Adam: shape 2×1 where 2×3 is needed"},
		{"Adam", func() { mat.Adam(a, a, a, a, mat.AdamConfig{}, 0) }, "mat: Adam: step number 0; the first is 1"},
	}
}

// productMistakes are mistakes in calls of products, gathers and sums by number.
func productMistakes() []wrongShape {
	a, b, s := m(2, 3), m(3, 4), wide()
	return []wrongShape{
		{"MatMul", func() { mat.MatMul(m(2, 4), a, b, mat.TN, 1, 0) },
			"mat: MatMul: shapes 3×2 and 3×4 do not go together"},
		{"MatMul", func() { mat.MatMul(m(2, 4), a, b, mat.NT, 1, 0) },
			"mat: MatMul: shapes 2×3 and 4×3 do not go together"},
		{"MatMul", func() { mat.MatMul(m(4, 2), a, b, mat.NN, 1, 0) }, "mat: MatMul: shape 4×2 where 2×4 is needed"},
		{"SpMM", func() { mat.SpMM(m(2, 4), s, false, nil, m(2, 4), 1, 0) },
			"mat: SpMM: shapes 2×3 and 2×4 do not go together"},
		{"SpMM", func() { mat.SpMM(m(2, 4), s, true, nil, m(3, 4), 1, 0) },
			"mat: SpMM: shapes 3×2 and 3×4 do not go together"},
		{"SpMM", func() { mat.SpMM(m(3, 4), s, false, nil, m(3, 4), 1, 0) },
			"mat: SpMM: shape 3×4 where 2×4 is needed"},
		{"SpMM", func() { mat.SpMM(m(2, 4), s, false, m(3, 1), m(3, 4), 1, 0) },
			"mat: SpMM values: shape 3×1 where 4×1 is needed"},
		{"SDDMM", func() { mat.SDDMM(m(1, 4), s, m(2, 5), m(3, 5)) }, "mat: SDDMM: shape 1×4 where 4×1 is needed"},
		{"SDDMM", func() { mat.SDDMM(m(4, 1), s, m(3, 5), m(3, 5)) }, "mat: SDDMM left: shape 3×5 where 2×5 is needed"},
		{"SDDMM", func() { mat.SDDMM(m(4, 1), s, m(2, 5), m(3, 4)) },
			"mat: SDDMM right: shape 3×4 where 3×5 is needed"},
		{"Gather", func() { mat.Gather(m(5, 3), a, index(5, 3)) },
			"mat: Gather: shapes 2×3 and 3×3 do not go together"},
		{"Gather", func() { mat.Gather(m(4, 3), a, index(5, 2)) }, "mat: Gather: shape 4×3 where 5×3 is needed"},
		{"Scatter", func() { mat.Scatter(m(2, 3), a, index(5, 2)) },
			"mat: Scatter: shapes 2×3 and 5×3 do not go together"},
		{"Scatter", func() { mat.Scatter(m(2, 3), m(5, 3), index(5, 4)) },
			"mat: Scatter: shape 2×3 where 4×3 is needed"},
		{"SegmentSum", func() { mat.SegmentSum(m(2, 3), a, index(5, 2), 1, 0) },
			"mat: SegmentSum: shapes 2×3 and 5×3 do not go together"},
		{"SegmentSum", func() { mat.SegmentSum(m(2, 3), m(5, 3), index(5, 4), 1, 0) },
			"mat: SegmentSum: shape 2×3 where 4×3 is needed"},
		{"Transpose", func() { mat.Transpose(m(2, 3), a) }, "mat: Transpose: shape 2×3 where 3×2 is needed"},
		{"CopyCols", func() { mat.CopyCols(b, a, 0, 0, 1) }, "mat: CopyCols: shapes 3×4 and 2×3 do not go together"},
		{"CopyCols", func() { mat.CopyCols(m(2, 4), a, 2, 0, 3) }, "mat: CopyCols: columns 2 to 5 of shape 2×4"},
		{"CopyCols", func() { mat.CopyCols(m(2, 4), a, 0, 1, 3) }, "mat: CopyCols: columns 1 to 4 of shape 2×3"},
		{"CopyCols", func() { mat.CopyCols(m(2, 4), a, -1, 0, 1) }, "mat: CopyCols: columns -1 to 0 of shape 2×4"},
		{"CopyCols", func() { mat.CopyCols(m(2, 4), a, 1, 1, -1) }, "mat: CopyCols: columns 1 to 0 of shape 2×4"},
	}
}

// reductionMistakes are mistakes in calls of sums, inner products, softmax and cross-entropy.
func reductionMistakes() []wrongShape {
	a, b, one := m(2, 3), m(3, 2), m(1, 1)
	return []wrongShape{
		{"Largest", func() { mat.Largest(m(1, 3), a) }, "mat: Largest: shape 1×3 where 1×1 is needed"},
		{"MarkNonFinite", func() { mat.MarkNonFinite(m(1, 3), a, 1) },
			"mat: MarkNonFinite: shape 1×3 where 1×1 is needed"},
		{"MarkAll", func() { mat.MarkAll(m(1, 3), []*mat.Dense{a}) }, "mat: MarkAll: shape 1×3 where 1×1 is needed"},
		{"SumRows", func() { mat.SumRows(m(2, 1), a) }, "mat: SumRows: shape 2×1 where 1×3 is needed"},
		{"SumCols", func() { mat.SumCols(m(1, 3), a) }, "mat: SumCols: shape 1×3 where 2×1 is needed"},
		{"Sum", func() { mat.Sum(a, a) }, "mat: Sum: shape 2×3 where 1×1 is needed"},
		{"RowDot", func() { mat.RowDot(m(1, 3), a, a) }, "mat: RowDot: shape 1×3 where 2×1 is needed"},
		{"RowDot", func() { mat.RowDot(m(2, 1), a, b) }, "mat: RowDot: shape 3×2 where 2×3 is needed"},
		{"ColDot", func() { mat.ColDot(m(2, 1), a, a) }, "mat: ColDot: shape 2×1 where 1×3 is needed"},
		{"ColDot", func() { mat.ColDot(m(1, 3), a, b) }, "mat: ColDot: shape 3×2 where 2×3 is needed"},
		{"Dot", func() { mat.Dot(a, a, a) }, "mat: Dot: shape 2×3 where 1×1 is needed"},
		{"Dot", func() { mat.Dot(one, a, b) }, "mat: Dot: shape 3×2 where 2×3 is needed"},
		{"Softmax", func() { mat.Softmax(a, b, false) }, "mat: Softmax: shape 3×2 where 2×3 is needed"},
		{"LogSoftmax", func() { mat.Softmax(a, b, true) }, "mat: Softmax: shape 3×2 where 2×3 is needed"},
		{"CrossEntropy", func() { mat.CrossEntropy(a, a, index(2, 3), nil) },
			"mat: CrossEntropy: shape 2×3 where 1×1 is needed"},
		{"CrossEntropy", func() { mat.CrossEntropy(one, a, index(3, 3), nil) },
			"mat: CrossEntropy: shapes 2×3 and 3×3 do not go together"},
		{"CrossEntropy", func() { mat.CrossEntropy(one, a, index(2, 4), nil) },
			"mat: CrossEntropy: shapes 2×3 and 2×4 do not go together"},
		{"CrossEntropy", func() { mat.CrossEntropy(one, a, index(2, 3), index(1, 3)) },
			"mat: CrossEntropy: shapes 2×3 and 3×3 do not go together"},
		{"CrossEntropyGrad", func() { mat.CrossEntropyGrad(b, a, index(2, 3), nil) },
			"mat: CrossEntropyGrad: shape 3×2 where 2×3 is needed"},
		{"CrossEntropyGrad", func() { mat.CrossEntropyGrad(a, a, index(2, 3), index(1, 5)) },
			"mat: CrossEntropyGrad: shapes 2×3 and 5×3 do not go together"},
	}
}

// stepMistakes are mistakes in calls of the fused steps.
func stepMistakes() []wrongShape {
	h, bad, c := m(4, 3), m(3, 4), m(4, 1)
	var kind mat.StepKind
	step := func(op string, x *mat.Dense, call func(x *mat.Dense)) wrongShape {
		want := "mat: " + op + ": shape 3×4 where 4×3 is needed"
		if x == c {
			want = "mat: " + op + ": shape 3×4 where 4×1 is needed"
		}
		return wrongShape{op, func() { call(bad) }, want}
	}
	d := func(s *mat.Sparse, val, a, b, c *mat.Dense) mat.Descent {
		return mat.Descent{S: s, Val: val, Steps: 2, Kind: mat.StepKind{NonNeg: true}, A: a, B: b, C: c}
	}
	ok := d(path(4), nil, c, c, c)
	tape, backward := ok.TapeShape(h.Shape()), ok
	backward.Steps = -1
	return []wrongShape{
		step("Step", h, func(x *mat.Dense) { mat.Step(h, x, h, h, c, c, c, kind) }),
		step("Step", h, func(x *mat.Dense) { mat.Step(h, h, x, h, c, c, c, kind) }),
		step("Step", h, func(x *mat.Dense) { mat.Step(h, h, nil, x, c, c, c, kind) }),
		step("Step", c, func(x *mat.Dense) { mat.Step(h, h, h, h, x, c, c, kind) }),
		step("Step", c, func(x *mat.Dense) { mat.Step(h, h, h, h, c, x, c, kind) }),
		step("Step", c, func(x *mat.Dense) { mat.Step(h, h, h, h, c, c, x, kind) }),
		step("StepVJP", h, func(x *mat.Dense) { mat.StepVJP(x, h, h, h, h, h, h, c, c, c, kind) }),
		step("StepVJP", h, func(x *mat.Dense) { mat.StepVJP(nil, x, h, h, h, h, h, c, c, c, kind) }),
		step("StepVJP", h, func(x *mat.Dense) { mat.StepVJP(nil, nil, x, h, h, h, h, c, c, c, kind) }),
		step("StepVJP", h, func(x *mat.Dense) { mat.StepVJP(h, h, h, x, h, h, h, c, c, c, kind) }),
		step("StepVJP", h, func(x *mat.Dense) { mat.StepVJP(h, h, h, h, x, h, h, c, c, c, kind) }),
		step("StepVJP", h, func(x *mat.Dense) { mat.StepVJP(h, h, h, h, h, h, x, c, c, c, kind) }),
		step("StepVJP", c, func(x *mat.Dense) { mat.StepVJP(h, h, h, h, h, h, h, x, c, c, kind) }),
		step("StepVJP", c, func(x *mat.Dense) { mat.StepVJP(h, h, h, h, h, h, h, c, x, c, kind) }),
		step("StepVJP", c, func(x *mat.Dense) { mat.StepVJP(h, h, h, h, h, h, h, c, c, x, kind) }),
		step("Descend", h, func(x *mat.Dense) { mat.Descend(h, nil, x, h, ok) }),
		step("Descend", h, func(x *mat.Dense) { mat.Descend(h, nil, h, x, ok) }),
		step("Descend", c, func(x *mat.Dense) { mat.Descend(h, nil, h, h, d(path(4), nil, x, c, c)) }),
		step("Descend", c, func(x *mat.Dense) { mat.Descend(h, nil, h, h, d(path(4), nil, c, c, x)) }),
		{"Descend", func() { mat.Descend(h, nil, h, h, d(path(3), nil, c, c, c)) },
			"mat: Descend: shape 3×3 where 4×4 is needed"},
		{"Descend", func() { mat.Descend(h, nil, h, h, d(path(4), m(5, 1), c, c, c)) },
			"mat: Descend: shape 5×1 where 6×1 is needed"},
		{"Descend", func() { mat.Descend(h, nil, h, h, backward) }, "mat: Descend: a descent of -1 steps"},
		{"DescendVJP", func() { mat.DescendVJP(h, h, h, nil, backward) }, "mat: DescendVJP: a descent of -1 steps"},
		{"TapeShape", func() { backward.TapeShape(h.Shape()) }, "mat: TapeShape: a descent of -1 steps"},
		{"Descend", func() { mat.Descend(h, m(1, 1), h, h, ok) },
			fmt.Sprintf("mat: Descend: shape 1×1 where %v is needed", tape)},
		step("DescendVJP", h, func(x *mat.Dense) { mat.DescendVJP(x, h, h, m(tape.Rows, 1), ok) }),
		step("DescendVJP", h, func(x *mat.Dense) { mat.DescendVJP(nil, x, h, m(tape.Rows, 1), ok) }),
		{"DescendVJP", func() { mat.DescendVJP(h, h, h, nil, ok) },
			fmt.Sprintf("mat: DescendVJP tape: shape 0×1 where %v is needed", tape)},
	}
}

// groupMistakes are mistakes in calls of products by groups of rows.
func groupMistakes() []wrongShape {
	a, g := m(5, 3), mat.NewGroups(2, 3)
	mul := func(dst, a, b *mat.Dense, t mat.Trans, want string) wrongShape {
		return wrongShape{"GroupMatMul", func() { mat.GroupMatMul(dst, g, a, b, t, 0) }, "mat: GroupMatMul: " + want}
	}
	return []wrongShape{
		mul(m(4, 2), m(4, 3), m(6, 2), mat.NN, "shapes 4×3 and 5×3 do not go together"),
		mul(m(5, 2), a, m(3, 2), mat.NN, "shapes 5×3 and 3×2 do not go together"),
		mul(m(5, 3), a, m(6, 2), mat.NN, "shape 5×3 where 5×2 is needed"),
		mul(m(5, 2), a, m(5, 3), mat.NT, "shapes 5×3 and 5×3 do not go together"),
		mul(m(5, 2), a, m(4, 2), mat.NT, "shapes 5×3 and 4×2 do not go together"),
		mul(m(6, 2), a, m(6, 2), mat.TN, "shapes 6×2 and 5×2 do not go together"),
		mul(m(3, 2), a, m(5, 2), mat.TN, "shape 3×2 where 6×2 is needed"),
		mul(m(3, 2), a, m(2, 3), mat.TT, "there is no product TT"),
		{"GroupMatMul", func() { mat.GroupMatMul(m(0, 2), mat.NewGroups(), m(0, 3), m(0, 3), mat.NT, 0) },
			"mat: GroupMatMul: shapes 0×3 and 0×3 do not go together"},
		{"NewGroups", func() { mat.NewGroups(2, -1) }, "mat: NewGroups: group 1 of -1 rows"},
	}
}

// complexMistakes are mistakes in calls of the complex product.
func complexMistakes() []wrongShape {
	times := func(dst, a, b *mat.Dense, want string) wrongShape {
		return wrongShape{"MulComplex", func() { mat.MulComplex(dst, a, b, false, false) },
			"mat: MulComplex: shape " + want}
	}
	return []wrongShape{
		times(m(2, 4), m(3, 4), m(3, 4), "3×4 where 2×4 is needed"),
		times(m(3, 4), m(3, 4), m(3, 2), "3×2 where 3×4 is needed"),
		times(m(2, 3), m(2, 3), m(2, 3), "2×3 has an odd number of columns"),
	}
}

// normMistakes are mistakes in calls of the fused normalisation.
func normMistakes() []wrongShape {
	z, r := m(2, 3), m(1, 3)
	norm := func(x, bias, scale, shift *mat.Dense, want string) wrongShape {
		return wrongShape{"Norm", func() { mat.Norm(x, z, bias, scale, shift, 1, 0, false) },
			"mat: Norm: shape " + want + " is needed"}
	}
	vjp := func(dz, dp, g, bias, scale, shift *mat.Dense, want string) wrongShape {
		return wrongShape{"NormVJP", func() { mat.NormVJP(dz, dp, g, z, bias, scale, shift, 1, 0) },
			"mat: NormVJP: shape " + want + " is needed"}
	}
	return []wrongShape{
		norm(m(3, 2), r, r, r, "2×3 where 3×2"),
		norm(z, m(2, 1), r, r, "2×1 where 1×3"),
		norm(z, r, z, r, "2×3 where 1×3"),
		norm(z, r, r, m(1, 2), "1×2 where 1×3"),
		vjp(m(3, 2), m(3, 3), z, r, r, r, "3×2 where 2×3"),
		vjp(z, m(3, 2), z, r, r, r, "3×2 where 3×3"),
		vjp(z, m(3, 3), r, r, r, r, "1×3 where 2×3"),
		vjp(z, m(3, 3), z, z, r, r, "2×3 where 1×3"),
		vjp(z, m(3, 3), z, r, m(3, 1), r, "3×1 where 1×3"),
		vjp(z, m(3, 3), z, r, r, m(1, 1), "1×1 where 1×3"),
	}
}

// tripleMistakes are mistakes in calls of operations on triples: five below 2, 3 and 4.
func tripleMistakes() []wrongShape {
	t, x, y, to := triples([3]int{2, 3, 4}, 5), m(3, 6), m(4, 6), m(2, 6)
	stats := func(bad *mat.Dense, at int) mat.RelStatistics {
		d := [6]*mat.Dense{to, to, to, to, to, to}
		d[at] = bad
		return mat.RelStatistics{Sum: d[0], Square: d[1], Max: d[2], Min: d[3], ArgMax: d[4], ArgMin: d[5]}
	}
	list := []wrongShape{
		{"RelMM", func() { mat.RelMM(x, t, 0, x, y, 0) }, "mat: RelMM: shape 3×6 where 2×6 is needed"},
		{"RelMM", func() { mat.RelMM(to, t, 0, y, y, 0) }, "mat: RelMM: shape 4×6 where 3×6 is needed"},
		{"RelMM", func() { mat.RelMM(to, t, 0, x, x, 0) }, "mat: RelMM: shape 3×6 where 4×6 is needed"},
		{"RelMM", func() { mat.RelMM(x, t, 1, y, to, 0) }, "mat: RelMM: shape 4×6 where 2×6 is needed"},
		{"RelMM", func() { mat.RelMM(y, t, 2, to, m(3, 5), 0) }, "mat: RelMM: shape 3×5 where 3×6 is needed"},
		{"RelStats", func() { mat.RelStats(stats(to, 0), t, y, y) }, "mat: RelStats: shape 4×6 where 3×6 is needed"},
		{"RelStats", func() { mat.RelStats(stats(to, 0), t, x, x) }, "mat: RelStats: shape 3×6 where 4×6 is needed"},
		{"RelStatsVJP", func() { mat.RelStatsVJP(m(5, 6), stats(to, 0), t, y, y) },
			"mat: RelStatsVJP: shape 4×6 where 3×6 is needed"},
		{"RelStatsVJP", func() { mat.RelStatsVJP(m(5, 6), stats(to, 0), t, x, x) },
			"mat: RelStatsVJP: shape 3×6 where 4×6 is needed"},
		{"RelStatsVJP", func() { mat.RelStatsVJP(m(6, 5), stats(to, 0), t, x, y) },
			"mat: RelStatsVJP: shape 6×5 where 5×6 is needed"},
	}
	for at := range 6 {
		list = append(list,
			wrongShape{"RelStats", func() { mat.RelStats(stats(x, at), t, x, y) },
				"mat: RelStats: shape 3×6 where 2×6 is needed"},
			wrongShape{"RelStatsVJP", func() { mat.RelStatsVJP(m(5, 6), stats(y, at), t, x, y) },
				"mat: RelStatsVJP: shape 4×6 where 2×6 is needed"})
	}
	return list
}

// denseMistakes are mistakes in making and reading a matrix.
func denseMistakes() []wrongShape {
	a := m(2, 3)
	return []wrongShape{
		{"New", func() { m(-1, 3) }, "mat: New: there is no matrix of shape -1×3"},
		{"New", func() { m(3, -1) }, "mat: New: there is no matrix of shape 3×-1"},
		{"New", func() { m(1<<32, 1<<32) }, "mat: New: there is no matrix of shape 4294967296×4294967296"},
		{"FromSlice", func() { mat.FromSlice(2, 2, make([]mat.Real, 3)) }, "mat: Write: 3 numbers into shape 2×2"},
		{"Eye", func() { mat.Eye(-2) }, "mat: New: there is no matrix of shape -2×-2"},
		{"Write", func() { a.Write(make([]mat.Real, 7)) }, "mat: Write: 7 numbers into shape 2×3"},
		{"Read", func() { a.Read(make([]mat.Real, 5)) }, "mat: Read: shape 2×3 into 5 numbers"},
		{"Item", func() { a.Item() }, "mat: Item: shape 2×3 where 1×1 is needed"},
		{"As", func() { a.As(mat.Shape{Rows: 7, Cols: 1}) }, "mat: As: 7×1 does not fit into memory for 6 numbers"},
		{"As", func() { a.As(mat.Shape{Rows: -1, Cols: -1}) }, "mat: As: -1×-1 does not fit into memory for 6 numbers"},
		{"As", func() { a.As(mat.Shape{Rows: 1 << 32, Cols: 1 << 32}) },
			"mat: As: 4294967296×4294967296 does not fit into memory for 6 numbers"},
		{"ProductShape", func() { mat.ProductShape(mat.TT, mat.Shape{Rows: 2, Cols: 3}, mat.Shape{Rows: 4, Cols: 5}) },
			"mat: MatMul: shapes 3×2 and 5×4 do not go together"},
	}
}

func TestWrongShapesPanic(t *testing.T) {
	tables := slices.Concat(entrywiseMistakes(), productMistakes(), reductionMistakes(), stepMistakes(),
		denseMistakes(),
		groupMistakes(), normMistakes(), complexMistakes(), tripleMistakes())
	covered := []string{"Fill", "Uniform", "Normal"} // any shape will do
	for i, c := range tables {
		if got := panicked(c.call); got != c.want {
			t.Errorf("mistake %d of %s: panic %v, want %q", i, c.op, got, c.want)
		}
		covered = append(covered, c.op)
	}
	for _, name := range operations(t) {
		if !slices.Contains(covered, name) {
			t.Errorf("no mistake of %s is tested", name)
		}
	}
}

// operations are the exported functions of this package that take a *Dense, read from its source.
func operations(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Recv == nil && f.Name.IsExported() && takesDense(f) {
				names = append(names, f.Name.Name)
			}
		}
	}
	if len(names) < 35 {
		t.Fatalf("found only %v", names)
	}
	return names
}

func takesDense(f *ast.FuncDecl) bool {
	return slices.ContainsFunc(f.Type.Params.List, func(p *ast.Field) bool {
		star, ok := p.Type.(*ast.StarExpr)
		if !ok {
			return false
		}
		id, ok := star.X.(*ast.Ident)
		return ok && id.Name == "Dense"
	})
}
