package mattest

import (
	"errors"
	"slices"

	"github.com/bloomgml/bloom/mat"
)

// broken is a Device whose method of the given name is a little wrong, for matrices that have at
// least from entries.
type broken struct {
	mat.Device
	method string
	from   int
}

// spoil makes the destination of a broken method wrong in its last entry, by about a thousandth. x
// is the matrix whose size counts.
func (d broken) spoil(method string, dst, x *mat.Dense) {
	if method == d.method && x.Len() >= d.from && dst != nil && dst.Len() > 0 {
		v := dst.Slice()
		v[len(v)-1] += 0.001 * (1 + max(v[len(v)-1], -v[len(v)-1]))
		dst.Write(v)
	}
}

// shift is x ← x + v.
func shift(x *mat.Dense, v float64) {
	if x.Len() > 0 {
		mat.Affine(x, x, 1, mat.Real(v))
	}
}

type odd struct{ mat.Lists }

func (l odd) Len() int { return l.Lists.Len() + 1 }

func (d broken) Name() string {
	if d.method == "Name" {
		return ""
	}
	return d.Device.Name()
}

func (d broken) Alloc(n int) mat.Buffer {
	b := d.Device.Alloc(n)
	if d.method == "Alloc" {
		v := make([]mat.Real, n)
		for i := range v {
			v[i] = 1e-9
		}
		d.Device.Write(b, v)
	}
	return b
}

func (d broken) Write(dst mat.Buffer, src []mat.Real) {
	if d.method == "Write" && len(src) > 3 {
		src = append([]mat.Real(nil), src...)
		src[3] += 1e-3
	}
	d.Device.Write(dst, src)
}

func (d broken) Read(dst []mat.Real, src mat.Buffer) {
	d.Device.Read(dst, src)
	if d.method == "Read" && len(dst) > 3 {
		dst[3] += 1e-3
	}
}

func (d broken) At(x *mat.Dense, i int) mat.Real {
	if d.method == "At" {
		i = (i + 1) % x.Len()
	}
	return d.Device.At(x, i)
}

func (d broken) Index(ids []int32, bound int) mat.Lists {
	l := d.Device.Index(ids, bound)
	if d.method == "Index" {
		return odd{l}
	}
	return l
}

func (d broken) Pattern(rows, cols int, ptr []int64, idx []int32) (mat.Lists, mat.Lists, error) {
	if d.method == "Pattern" && len(idx) > 100 {
		return nil, nil, errors.New("too large")
	}
	return d.Device.Pattern(rows, cols, ptr, idx)
}

// UpdateIndex and UpdatePattern take the new list from its end.
func (d broken) UpdateIndex(x mat.Lists, ids []int32) {
	d.Device.UpdateIndex(x, d.reversed("UpdateIndex", ids))
}

func (d broken) UpdatePattern(byRow, byCol mat.Lists, idx []int32) {
	d.Device.UpdatePattern(byRow, byCol, d.reversed("UpdatePattern", idx))
}

func (d broken) reversed(method string, ids []int32) []int32 {
	if method == d.method && 9*len(ids) >= d.from {
		ids = slices.Clone(ids)
		slices.Reverse(ids)
	}
	return ids
}

func (d broken) Triples(bounds [3]int, ids [3][]int32) [3]mat.Lists {
	lists := d.Device.Triples(bounds, ids)
	if d.method == "Triples" && 3*len(ids[0]) >= d.from {
		lists[2] = odd{lists[2]}
	}
	return lists
}

// UpdateTriples takes the new third numbers from their end.
func (d broken) UpdateTriples(lists [3]mat.Lists, ids [3][]int32) {
	ids[2] = d.reversed("UpdateTriples", ids[2])
	d.Device.UpdateTriples(lists, ids)
}

func (d broken) MaxAbs(x *mat.Dense) mat.Real {
	if d.method == "MaxAbs" {
		return d.Device.MaxAbs(x) * 1.0001
	}
	return d.Device.MaxAbs(x)
}

func (d broken) FirstNonFinite(x *mat.Dense) int {
	if d.method == "FirstNonFinite" {
		return max(d.Device.FirstNonFinite(x), 0)
	}
	return d.Device.FirstNonFinite(x)
}

func (d broken) TapeLen(h mat.Shape, k mat.Descent) int {
	if d.method == "TapeLen" && k.Val != nil {
		return d.Device.TapeLen(h, k) + 1
	}
	return d.Device.TapeLen(h, k)
}

func (d broken) Copy(dst, x *mat.Dense) { d.Device.Copy(dst, x); d.spoil("Copy", dst, dst) }

func (d broken) Fill(dst *mat.Dense, v mat.Real) { d.Device.Fill(dst, v); d.spoil("Fill", dst, dst) }

// Uniform and Normal are wrong by a shift and a stretch of the whole distribution.
func (d broken) Uniform(dst *mat.Dense, lo, hi mat.Real, seed uint64) {
	if d.method == "Uniform" {
		hi += 0.03 * (hi - lo)
	}
	d.Device.Uniform(dst, lo, hi, seed)
}

func (d broken) Normal(dst *mat.Dense, mean, sd mat.Real, seed uint64) {
	if d.method == "Normal" {
		sd *= 1.1
	}
	d.Device.Normal(dst, mean, sd, seed)
}

func (d broken) MatMul(dst, a, b *mat.Dense, t mat.Trans, alpha, beta mat.Real) {
	d.Device.MatMul(dst, a, b, t, alpha, beta)
	d.spoil("MatMul", dst, a)
}

func (d broken) GroupMatMul(dst *mat.Dense, g *mat.Groups, a, b *mat.Dense, t mat.Trans, beta mat.Real) {
	d.Device.GroupMatMul(dst, g, a, b, t, beta)
	d.spoil("GroupMatMul", dst, a)
}

func (d broken) NormReLU(dst, z, bias, scale, shift *mat.Dense, eps mat.Real, add bool) {
	d.Device.NormReLU(dst, z, bias, scale, shift, eps, add)
	d.spoil("NormReLU", dst, dst)
}

func (d broken) NormReLUVJP(dz, dp, g, z, bias, scale, shift *mat.Dense, eps mat.Real) {
	d.Device.NormReLUVJP(dz, dp, g, z, bias, scale, shift, eps)
	d.spoil("NormReLUVJP", dp, z)
}

func (d broken) RelMM(dst *mat.Dense, t *mat.Triples, to int, x, y *mat.Dense, beta mat.Real) {
	d.Device.RelMM(dst, t, to, x, y, beta)
	d.spoil("RelMM", dst, dst)
}

func (d broken) RelStats(s mat.RelStatistics, t *mat.Triples, x, y *mat.Dense) {
	d.Device.RelStats(s, t, x, y)
	d.spoil("RelStats", s.Square, s.Square)
}

func (d broken) RelStatsVJP(dm *mat.Dense, s mat.RelStatistics, t *mat.Triples, x, y *mat.Dense) {
	d.Device.RelStatsVJP(dm, s, t, x, y)
	d.spoil("RelStatsVJP", dm, dm)
}

func (d broken) SpMM(dst *mat.Dense, s *mat.Sparse, t bool, val, x *mat.Dense, alpha, beta mat.Real) {
	d.Device.SpMM(dst, s, t, val, x, alpha, beta)
	d.spoil("SpMM", dst, x)
}

func (d broken) SDDMM(dst *mat.Dense, s *mat.Sparse, x, y *mat.Dense) {
	d.Device.SDDMM(dst, s, x, y)
	d.spoil("SDDMM", dst, x)
}

func (d broken) Gather(dst, x *mat.Dense, idx *mat.Index) {
	d.Device.Gather(dst, x, idx)
	d.spoil("Gather", dst, dst)
}

func (d broken) Scatter(dst, x *mat.Dense, idx *mat.Index) {
	d.Device.Scatter(dst, x, idx)
	d.spoil("Scatter", dst, x)
}

func (d broken) SegmentSum(dst, x *mat.Dense, idx *mat.Index, alpha, beta mat.Real) {
	d.Device.SegmentSum(dst, x, idx, alpha, beta)
	d.spoil("SegmentSum", dst, x)
}

func (d broken) Map(dst, x *mat.Dense, f mat.Func, order int, t mat.Real) {
	d.Device.Map(dst, x, f, order, t)
	d.spoil("Map", dst, dst)
}

func (d broken) MapMul(dst, x, y *mat.Dense, f mat.Func, order int, t mat.Real) {
	d.Device.MapMul(dst, x, y, f, order, t)
	d.spoil("MapMul", dst, dst)
}

func (d broken) Affine(dst, x *mat.Dense, alpha, beta mat.Real) {
	d.Device.Affine(dst, x, alpha, beta)
	d.spoil("Affine", dst, dst)
}

func (d broken) Axpby(dst, a, b *mat.Dense, alpha, beta mat.Real) {
	d.Device.Axpby(dst, a, b, alpha, beta)
	d.spoil("Axpby", dst, dst)
}

func (d broken) Mul(dst, a, b *mat.Dense, alpha mat.Real, add bool) {
	d.Device.Mul(dst, a, b, alpha, add)
	d.spoil("Mul", dst, dst)
}

func (d broken) Maximum(dst, a, b *mat.Dense, min bool) {
	d.Device.Maximum(dst, a, b, min)
	d.spoil("Maximum", dst, dst)
}

func (d broken) GreaterMask(dst, a, b, y *mat.Dense) {
	d.Device.GreaterMask(dst, a, b, y)
	d.spoil("GreaterMask", dst, dst)
}

func (d broken) Expand(dst, b *mat.Dense) { d.Device.Expand(dst, b); d.spoil("Expand", dst, dst) }

func (d broken) SumRows(dst, x *mat.Dense) { d.Device.SumRows(dst, x); d.spoil("SumRows", dst, x) }

func (d broken) SumCols(dst, x *mat.Dense) { d.Device.SumCols(dst, x); d.spoil("SumCols", dst, x) }

func (d broken) Sum(dst, x *mat.Dense) { d.Device.Sum(dst, x); d.spoil("Sum", dst, x) }

func (d broken) RowDot(dst, a, b *mat.Dense) { d.Device.RowDot(dst, a, b); d.spoil("RowDot", dst, a) }

func (d broken) ColDot(dst, a, b *mat.Dense) { d.Device.ColDot(dst, a, b); d.spoil("ColDot", dst, a) }

func (d broken) Dot(dst, a, b *mat.Dense) { d.Device.Dot(dst, a, b); d.spoil("Dot", dst, a) }

func (d broken) Softmax(dst, x *mat.Dense, log bool) {
	d.Device.Softmax(dst, x, log)
	d.spoil("Softmax", dst, dst)
}

func (d broken) CrossEntropy(dst, x *mat.Dense, labels, pick *mat.Index) {
	d.Device.CrossEntropy(dst, x, labels, pick)
	d.spoil("CrossEntropy", dst, x)
}

func (d broken) CrossEntropyGrad(dst, x *mat.Dense, labels, pick *mat.Index) {
	d.Device.CrossEntropyGrad(dst, x, labels, pick)
	d.spoil("CrossEntropyGrad", dst, dst)
}

func (d broken) Dropout(dst, x *mat.Dense, p mat.Real, seed uint64) {
	d.Device.Dropout(dst, x, p, seed)
	d.spoil("Dropout", dst, dst)
}

func (d broken) Adam(w, m, v, grad *mat.Dense, c mat.AdamConfig, t int) {
	d.Device.Adam(w, m, v, grad, c, t)
	d.spoil("Adam", v, w)
}

func (d broken) Transpose(dst, x *mat.Dense) {
	d.Device.Transpose(dst, x)
	d.spoil("Transpose", dst, dst)
}

func (d broken) CopyCols(dst, x *mat.Dense, to, from, cols int) {
	d.Device.CopyCols(dst, x, to, from, cols)
	d.spoil("CopyCols", dst, dst)
}

func (d broken) Step(dst, h, s, p, a, b, c *mat.Dense, kind mat.StepKind) {
	d.Device.Step(dst, h, s, p, a, b, c, kind)
	d.spoil("Step", dst, dst)
}

func (d broken) StepVJP(dh, ds, dp, g, out, h, p, a, b, c *mat.Dense, kind mat.StepKind) {
	d.Device.StepVJP(dh, ds, dp, g, out, h, p, a, b, c, kind)
	d.spoil("StepVJP", ds, g)
}

func (d broken) Descend(dst, tape, h0, p *mat.Dense, k mat.Descent) {
	d.Device.Descend(dst, tape, h0, p, k)
	d.spoil("Descend", dst, dst)
}

func (d broken) DescendVJP(dh0, dp, g, tape *mat.Dense, k mat.Descent) {
	d.Device.DescendVJP(dh0, dp, g, tape, k)
	d.spoil("DescendVJP", dp, g)
}
