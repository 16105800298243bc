package mattest

import (
	"slices"

	"github.com/bloomgml/bloom/mat"
)

// broken is a Device whose method of the given name is a little wrong, for matrices that have at
// least from entries.
type broken struct {
	whole
	method string
	from   int
	freed  *mat.Buffer // the last, for a Device whose Free is wrong
}

// whole is a Device with all optional operations that the CPU has.
type whole interface {
	mat.Device
	mat.Stepper
	mat.Descender
	mat.Normalizer
	mat.Turner
	imaginary
	cutter
}

var cpu = mat.CPU.(whole)

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

type odd struct{ mat.Buffer }

func (l odd) Len() int { return l.Buffer.Len() + 1 }

func (d broken) Name() string {
	if d.method == "Name" {
		return ""
	}
	return d.whole.Name()
}

func (d broken) Alloc(n int) mat.Buffer {
	if b := *d.freed; b != nil && b.Len() == n {
		*d.freed = nil
		return b
	}
	b := d.whole.Alloc(n)
	if d.method == "Alloc" {
		v := make([]mat.Real, n)
		for i := range v {
			v[i] = 1e-9
		}
		d.whole.Write(b, v)
	}
	return b
}

// Free hands memory out again as it was.
func (d broken) Free(b mat.Buffer) {
	if d.method == "Free" {
		*d.freed = b
	}
}

// Sync fails, as a device that was lost does.
func (d broken) Sync() {
	if d.method == "Sync" {
		panic("lost")
	}
}

// Cut begins a number too early.
func (d broken) Cut(b mat.Buffer, from, n int) mat.Buffer {
	if d.method == "Cut" && b.Len() >= d.from && from > 0 {
		from--
	}
	return d.whole.Cut(b, from, n)
}

// Each leaves a piece out.
func (d broken) Each(n int, t mat.Task) {
	if d.method == "Each" {
		n--
	}
	d.whole.Each(n, t)
}

func (d broken) Write(dst mat.Buffer, src []mat.Real) {
	if d.method == "Write" && len(src) > 3 {
		src = append([]mat.Real(nil), src...)
		src[3] += 1e-3
	}
	d.whole.Write(dst, src)
}

func (d broken) Read(dst []mat.Real, src mat.Buffer) {
	d.whole.Read(dst, src)
	if d.method == "Read" && len(dst) > 3 {
		dst[3] += 1e-3
	}
}

func (d broken) At(x *mat.Dense, i int) mat.Real {
	if d.method == "At" {
		i = (i + 1) % x.Len()
	}
	return d.whole.At(x, i)
}

func (d broken) Index(ids []int32, bound int) mat.Buffer {
	l := d.whole.Index(ids, bound)
	if d.method == "Index" {
		return odd{l}
	}
	return l
}

func (d broken) Pattern(rows, cols int, ptr []int64, idx []int32) mat.Buffer {
	return d.whole.Pattern(rows, cols, ptr, d.reversed("Pattern", idx))
}

// UpdateIndex and UpdatePattern take the new list from its end.
func (d broken) UpdateIndex(x mat.Buffer, ids []int32) {
	d.whole.UpdateIndex(x, d.reversed("UpdateIndex", ids))
}

func (d broken) UpdatePattern(s mat.Buffer, idx []int32) {
	d.whole.UpdatePattern(s, d.reversed("UpdatePattern", idx))
}

func (d broken) reversed(method string, ids []int32) []int32 {
	if method == d.method && 9*len(ids) >= d.from {
		ids = slices.Clone(ids)
		slices.Reverse(ids)
	}
	return ids
}

func (d broken) Triples(bounds [3]int, ids [3][]int32) mat.Buffer {
	ids[2] = d.reversed("Triples", ids[2])
	return d.whole.Triples(bounds, ids)
}

// UpdateTriples takes the new third numbers from their end.
func (d broken) UpdateTriples(t mat.Buffer, ids [3][]int32) {
	ids[2] = d.reversed("UpdateTriples", ids[2])
	d.whole.UpdateTriples(t, ids)
}

func (d broken) Groups(bounds []int) mat.Buffer {
	if d.method == "Groups" {
		return odd{d.whole.Groups(bounds)}
	}
	return d.whole.Groups(bounds)
}

// UpdateGroups moves a row from the second group to the first.
func (d broken) UpdateGroups(g mat.Buffer, bounds []int) {
	if d.method == "UpdateGroups" && bounds[2] > bounds[1] {
		bounds = slices.Clone(bounds)
		bounds[1]++
	}
	d.whole.UpdateGroups(g, bounds)
}

func (d broken) Seed() mat.Buffer {
	s := d.whole.Seed()
	if d.method == "Seed" {
		d.whole.UpdateSeed(s, 1)
	}
	return s
}

// UpdateSeed takes 32 bits.
func (d broken) UpdateSeed(s mat.Buffer, v uint64) {
	if d.method == "UpdateSeed" {
		v = uint64(uint32(v))
	}
	d.whole.UpdateSeed(s, v)
}

func (d broken) Largest(dst, x *mat.Dense) { d.whole.Largest(dst, x); d.spoil("Largest", dst, x) }

// MarkNonFinite keeps the last code.
func (d broken) MarkNonFinite(flag, x *mat.Dense, code mat.Real) {
	if d.method == "MarkNonFinite" && d.whole.FirstNonFinite(x) >= 0 {
		d.whole.Fill(flag, code)
	}
	d.whole.MarkNonFinite(flag, x, code)
}

func (d broken) FirstNonFinite(x *mat.Dense) int {
	if d.method == "FirstNonFinite" {
		return max(d.whole.FirstNonFinite(x), 0)
	}
	return d.whole.FirstNonFinite(x)
}

func (d broken) TapeLen(h mat.Shape, k mat.Descent) int {
	if d.method == "TapeLen" && k.Val != nil {
		return d.whole.TapeLen(h, k) + 1
	}
	return d.whole.TapeLen(h, k)
}

func (d broken) Copy(dst, x *mat.Dense) { d.whole.Copy(dst, x); d.spoil("Copy", dst, dst) }

func (d broken) Fill(dst *mat.Dense, v mat.Real) { d.whole.Fill(dst, v); d.spoil("Fill", dst, dst) }

// Uniform and Normal are wrong by a shift and a stretch of the whole distribution.
func (d broken) Uniform(dst *mat.Dense, lo, hi mat.Real, seed uint64) {
	if d.method == "Uniform" {
		hi += 0.03 * (hi - lo)
	}
	d.whole.Uniform(dst, lo, hi, seed)
}

func (d broken) Normal(dst *mat.Dense, mean, sd mat.Real, seed uint64) {
	if d.method == "Normal" {
		sd *= 1.1
	}
	d.whole.Normal(dst, mean, sd, seed)
}

func (d broken) MatMul(dst, a, b *mat.Dense, t mat.Trans, alpha, beta mat.Real) {
	d.whole.MatMul(dst, a, b, t, alpha, beta)
	d.spoil("MatMul", dst, a)
}

func (d broken) GroupMatMul(dst *mat.Dense, g *mat.Groups, a, b *mat.Dense, t mat.Trans, beta mat.Real) {
	d.whole.GroupMatMul(dst, g, a, b, t, beta)
	d.spoil("GroupMatMul", dst, a)
}

func (d broken) Norm(dst, z, bias, scale, shift *mat.Dense, eps, floor mat.Real, add bool) {
	d.whole.Norm(dst, z, bias, scale, shift, eps, floor, add)
	d.spoil("Norm", dst, dst)
}

func (d broken) NormVJP(dz, dp, g, z, bias, scale, shift *mat.Dense, eps, floor mat.Real) {
	d.whole.NormVJP(dz, dp, g, z, bias, scale, shift, eps, floor)
	d.spoil("NormVJP", dp, z)
}

func (d broken) MulComplex(dst, a, b *mat.Dense, conj, add bool) {
	d.whole.MulComplex(dst, a, b, conj, add)
	d.spoil("MulComplex", dst, dst)
}

func (d broken) ImComplex(dst, a, b *mat.Dense) {
	d.whole.ImComplex(dst, a, b)
	d.spoil("ImComplex", dst, dst)
}

func (d broken) RelMM(dst *mat.Dense, t *mat.Triples, to int, x, y *mat.Dense, beta mat.Real) {
	d.whole.RelMM(dst, t, to, x, y, beta)
	d.spoil("RelMM", dst, dst)
}

func (d broken) RelStats(s mat.RelStatistics, t *mat.Triples, x, y *mat.Dense) {
	d.whole.RelStats(s, t, x, y)
	d.spoil("RelStats", s.Square, s.Square)
}

func (d broken) RelStatsVJP(dm *mat.Dense, s mat.RelStatistics, t *mat.Triples, x, y *mat.Dense) {
	d.whole.RelStatsVJP(dm, s, t, x, y)
	d.spoil("RelStatsVJP", dm, dm)
}

func (d broken) SpMM(dst *mat.Dense, s *mat.Sparse, t bool, val, x *mat.Dense, alpha, beta mat.Real) {
	d.whole.SpMM(dst, s, t, val, x, alpha, beta)
	d.spoil("SpMM", dst, x)
}

func (d broken) SDDMM(dst *mat.Dense, s *mat.Sparse, x, y *mat.Dense) {
	d.whole.SDDMM(dst, s, x, y)
	d.spoil("SDDMM", dst, x)
}

func (d broken) Gather(dst, x *mat.Dense, idx *mat.Index) {
	d.whole.Gather(dst, x, idx)
	d.spoil("Gather", dst, dst)
}

func (d broken) Scatter(dst, x *mat.Dense, idx *mat.Index) {
	d.whole.Scatter(dst, x, idx)
	d.spoil("Scatter", dst, x)
}

func (d broken) SegmentSum(dst, x *mat.Dense, idx *mat.Index, alpha, beta mat.Real) {
	d.whole.SegmentSum(dst, x, idx, alpha, beta)
	d.spoil("SegmentSum", dst, x)
}

func (d broken) Map(dst, x *mat.Dense, f mat.Func, order int, t mat.Real) {
	d.whole.Map(dst, x, f, order, t)
	d.spoil("Map", dst, dst)
}

func (d broken) MapMul(dst, x, y *mat.Dense, f mat.Func, order int, t mat.Real) {
	d.whole.MapMul(dst, x, y, f, order, t)
	d.spoil("MapMul", dst, dst)
}

func (d broken) Affine(dst, x *mat.Dense, alpha, beta mat.Real) {
	d.whole.Affine(dst, x, alpha, beta)
	d.spoil("Affine", dst, dst)
}

func (d broken) Axpby(dst, a, b *mat.Dense, alpha, beta mat.Real) {
	d.whole.Axpby(dst, a, b, alpha, beta)
	d.spoil("Axpby", dst, dst)
}

func (d broken) Mul(dst, a, b *mat.Dense, alpha mat.Real, add bool) {
	d.whole.Mul(dst, a, b, alpha, add)
	d.spoil("Mul", dst, dst)
}

func (d broken) Maximum(dst, a, b *mat.Dense, min bool) {
	d.whole.Maximum(dst, a, b, min)
	d.spoil("Maximum", dst, dst)
}

func (d broken) GreaterMask(dst, a, b, y *mat.Dense) {
	d.whole.GreaterMask(dst, a, b, y)
	d.spoil("GreaterMask", dst, dst)
}

func (d broken) Expand(dst, b *mat.Dense) { d.whole.Expand(dst, b); d.spoil("Expand", dst, dst) }

func (d broken) SumRows(dst, x *mat.Dense) { d.whole.SumRows(dst, x); d.spoil("SumRows", dst, x) }

func (d broken) SumCols(dst, x *mat.Dense) { d.whole.SumCols(dst, x); d.spoil("SumCols", dst, x) }

func (d broken) Sum(dst, x *mat.Dense) { d.whole.Sum(dst, x); d.spoil("Sum", dst, x) }

func (d broken) RowDot(dst, a, b *mat.Dense) { d.whole.RowDot(dst, a, b); d.spoil("RowDot", dst, a) }

func (d broken) ColDot(dst, a, b *mat.Dense) { d.whole.ColDot(dst, a, b); d.spoil("ColDot", dst, a) }

func (d broken) Dot(dst, a, b *mat.Dense) { d.whole.Dot(dst, a, b); d.spoil("Dot", dst, a) }

func (d broken) Softmax(dst, x *mat.Dense, log bool) {
	d.whole.Softmax(dst, x, log)
	d.spoil("Softmax", dst, dst)
}

func (d broken) CrossEntropy(dst, x *mat.Dense, labels, pick *mat.Index) {
	d.whole.CrossEntropy(dst, x, labels, pick)
	d.spoil("CrossEntropy", dst, x)
}

func (d broken) CrossEntropyGrad(dst, x *mat.Dense, labels, pick *mat.Index) {
	d.whole.CrossEntropyGrad(dst, x, labels, pick)
	d.spoil("CrossEntropyGrad", dst, dst)
}

func (d broken) Dropout(dst, x *mat.Dense, p mat.Real, seed *mat.Seed, site uint64) {
	d.whole.Dropout(dst, x, p, seed, site)
	d.spoil("Dropout", dst, dst)
}

func (d broken) Adam(w, m, v, grad *mat.Dense, c mat.AdamConfig, t int) {
	d.whole.Adam(w, m, v, grad, c, t)
	d.spoil("Adam", v, w)
}

func (d broken) Transpose(dst, x *mat.Dense) {
	d.whole.Transpose(dst, x)
	d.spoil("Transpose", dst, dst)
}

func (d broken) CopyCols(dst, x *mat.Dense, to, from, cols int) {
	d.whole.CopyCols(dst, x, to, from, cols)
	d.spoil("CopyCols", dst, dst)
}

func (d broken) Step(dst, h, s, p, a, b, c *mat.Dense, kind mat.StepKind) {
	d.whole.Step(dst, h, s, p, a, b, c, kind)
	d.spoil("Step", dst, dst)
}

func (d broken) StepVJP(dh, ds, dp, g, out, h, p, a, b, c *mat.Dense, kind mat.StepKind) {
	d.whole.StepVJP(dh, ds, dp, g, out, h, p, a, b, c, kind)
	d.spoil("StepVJP", ds, g)
}

func (d broken) Descend(dst, tape, h0, p *mat.Dense, k mat.Descent) {
	d.whole.Descend(dst, tape, h0, p, k)
	d.spoil("Descend", dst, dst)
}

func (d broken) DescendVJP(dh0, dp, g, tape *mat.Dense, k mat.Descent) {
	d.whole.DescendVJP(dh0, dp, g, tape, k)
	d.spoil("DescendVJP", dp, g)
}
