package kernel

import "math"

// MulComplex is the product of rows×2k matrices whose rows are k complex numbers, [Re | Im], with b conjugated where
// conj is set. With a = p + iq and b = r + is, s negated for b̄,
//
//	dst = (pr − qs) + i(ps + qr)
//
// or dst plus that where add is set. dst may be a or b unless add is set.
func MulComplex(dst, a, b []Real, rows, cols int, conj, add bool) {
	complexJobs.run(rowChunks(rows, cols), complexJob{dst, a, b, rows, cols, conj, add})
}

// complexJob is MulComplex, cut by rows.
type complexJob struct {
	dst, a, b  []Real
	rows, cols int
	conj, add  bool
}

var complexJobs jobs[complexJob, *complexJob]

func (j *complexJob) do(c int) {
	lo, hi := rowRange(c, j.rows, j.cols)
	from, to, level := lo*j.cols, hi*j.cols, Active()
	dst, a, b := j.dst[from:to], j.a[from:to], j.b[from:to]
	if level == Portable {
		complexPortable(dst, a, b, hi-lo, j.cols, j.conj, j.add)
		return
	}
	form, flip := 0, Real(0)
	if j.add {
		form = 1
	}
	if j.conj {
		flip = Real(math.Copysign(0, -1))
	}
	entryLevels[level].complex[form](entryPtr(dst), entryPtr(a), entryPtr(b), hi-lo, j.cols/2, flip)
}

// ImComplex is the imaginary part of a∘b̄; a and b are as in MulComplex, dst is rows×k. With a = p + iq and
// b = r + is,
//
//	dst = qr − ps
func ImComplex(dst, a, b []Real, rows, cols int) {
	imComplexJobs.run(rowChunks(rows, cols), imComplexJob{dst, a, b, rows, cols})
}

// imComplexJob is ImComplex, cut by rows.
type imComplexJob struct {
	dst, a, b  []Real
	rows, cols int
}

var imComplexJobs jobs[imComplexJob, *imComplexJob]

func (j *imComplexJob) do(c int) {
	lo, hi := rowRange(c, j.rows, j.cols)
	from, to, k := lo*j.cols, hi*j.cols, j.cols/2
	dst, a, b := j.dst[lo*k:hi*k], j.a[from:to], j.b[from:to]
	if level := Active(); level != Portable {
		entryLevels[level].imComplex(entryPtr(dst), entryPtr(a), entryPtr(b), hi-lo, k)
		return
	}
	imComplexPortable(dst, a, b, hi-lo, j.cols)
}

// imComplexPortable is ImComplex on some rows. Every product is rounded separately, as in mulComplexRow.
func imComplexPortable(dst, a, b []Real, rows, cols int) {
	k := cols / 2
	for i := range rows {
		x, y := a[i*cols:(i+1)*cols], b[i*cols:(i+1)*cols]
		for j := range k {
			dst[i*k+j] = Real(x[k+j]*y[j]) - Real(x[j]*y[k+j])
		}
	}
}

// complexPortable is MulComplex on some rows.
func complexPortable(dst, a, b []Real, rows, cols int, conj, add bool) {
	sign := Real(1)
	if conj {
		sign = -1
	}
	for i := range rows {
		from, to := i*cols, (i+1)*cols
		if add {
			addComplexRow(dst[from:to], a[from:to], b[from:to], sign)
		} else {
			mulComplexRow(dst[from:to], a[from:to], b[from:to], sign)
		}
	}
}

// mulComplexRow is dst = a∘b for k complex numbers, b conjugated for sign −1. Every product is rounded separately, so
// results have the same bits on all machines.
func mulComplexRow(dst, a, b []Real, sign Real) {
	k := len(dst) / 2
	re, im := dst[:k], dst[k:2*k]
	p, q, r, s := a[:k], a[k:2*k], b[:k], b[k:2*k]
	q, r, s, im = q[:len(p)], r[:len(p)], s[:len(p)], im[:len(p)]
	re = re[:len(p)]
	for j, x := range p {
		y, u, v := q[j], r[j], sign*s[j]
		re[j] = Real(x*u) - Real(y*v)
		im[j] = Real(x*v) + Real(y*u)
	}
}

// addComplexRow is dst += a∘b.
func addComplexRow(dst, a, b []Real, sign Real) {
	k := len(dst) / 2
	re, im := dst[:k], dst[k:2*k]
	p, q, r, s := a[:k], a[k:2*k], b[:k], b[k:2*k]
	q, r, s, im = q[:len(p)], r[:len(p)], s[:len(p)], im[:len(p)]
	re = re[:len(p)]
	for j, x := range p {
		y, u, v := q[j], r[j], sign*s[j]
		re[j] += Real(x*u) - Real(y*v)
		im[j] += Real(x*v) + Real(y*u)
	}
}

// complexKernel is a product of rows of half complex numbers, Im of b times the sign of flip, with the bits of
// complexPortable.
type complexKernel func(dst, a, b *Real, rows, half int, flip Real)
