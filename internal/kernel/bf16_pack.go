//go:build amd64 && !noasm && !f64

package kernel

import "math"

// bf16PackA writes the rows of op(A) as pairs, row i from dst[i·lda] on, zeros behind the last term. A transposed A is
// read row after row, a step at a time.
func (p *gemm) bf16PackA(dst []Real, lda int) {
	if !p.tA {
		bf16Narrow(dst, lda, p.a, p.lda, p.m, p.k)
		return
	}
	width := ceilTo(p.m, bf16Panel)
	flipped := gemmBuffers.acquire(bf16Panel / 2 * width)
	for p0 := 0; p0 < p.k; p0 += bf16Panel {
		bf16Pair(flipped, width, bf16Panel, p.a[p0*p.lda:], p.lda, min(bf16Panel, p.k-p0), p.m)
		bf16Transpose(dst[p0/2:], lda, flipped, bf16Panel/2, p.m, width)
	}
	gemmBuffers.release(flipped)
}

// bf16PackPanels writes all panels of op(B), one after the other.
func (p *gemm) bf16PackPanels(dst []Real) {
	pairs := bf16Pairs(p.k)
	if whole := p.n / bf16Panel * bf16Panel; !p.tB && whole > 0 {
		bf16Pair(dst, bf16Panel, pairs*bf16Panel, p.b, p.ldb, p.k, whole)
		if whole < p.n {
			p.bf16PackB(dst[whole*pairs:], whole)
		}
		return
	}
	for j := 0; j < p.n; j += bf16Panel {
		p.bf16PackB(dst[j*pairs:], j)
	}
}

// bf16PackB writes the panel of op(B) that starts at column j, padded with zeros.
func (p *gemm) bf16PackB(dst []Real, j int) {
	cols, pairs := min(bf16Panel, p.n-j), bf16Pairs(p.k)
	if cols < bf16Panel {
		clear(dst[:pairs*bf16Panel])
	}
	if !p.tB {
		bf16Pair(dst, bf16Panel, bf16Panel, p.b[j:], p.ldb, p.k, cols)
		return
	}
	flipped := gemmBuffers.acquire(cols * pairs)
	bf16Narrow(flipped, pairs, p.b[j*p.ldb:], p.ldb, cols, p.k)
	bf16Transpose(dst, bf16Panel, flipped, cols, pairs, pairs)
	gemmBuffers.release(flipped)
}

// bf16Narrow writes rows of k numbers as pairs of neighbours, whole steps with zeros at the end; ldd and ldx are the
// row strides.
func bf16Narrow(dst []Real, ldd int, x []Real, ldx, rows, k int) {
	for i := range rows {
		row := dst[i*ldd:][:bf16Pairs(k)]
		clear(row[k/2:])
		bf16NarrowAVX512(&row[0], &x[i*ldx], k)
	}
}

// bf16Pair writes k rows of cols numbers as pairs of numbers below each other, whole steps with zeros at the end. Row q
// of pairs starts at dst[q·ldd]; it has 32 pairs there, the next stride numbers further, and so on.
func bf16Pair(dst []Real, ldd, stride int, x []Real, ldx, k, cols int) {
	for q := range k / 2 {
		bf16PairAVX512(&dst[q*ldd], &x[2*q*ldx], &x[(2*q+1)*ldx], cols, stride)
	}
	for q := k / 2; q < bf16Pairs(k); q++ {
		for j := 0; j < cols; j += bf16Panel {
			row := dst[q*ldd+j/bf16Panel*stride:][:min(bf16Panel, cols-j)]
			clear(row)
			if q == k/2 && k%2 == 1 {
				bf16Last(row, x[(k-1)*ldx+j:])
			}
		}
	}
}

// bf16Last writes a row without one below it.
func bf16Last(dst, x []Real) {
	for j := range dst {
		dst[j] = math.Float32frombits(uint32(toBF16(x[j])))
	}
}

// bf16Transpose is dst[j·ldd+i] = x[i·ldx+j], i < rows, j < cols.
func bf16Transpose(dst []Real, ldd int, x []Real, rows, cols, ldx int) {
	tall, wide := rows&^7, cols&^7
	if tall == 0 {
		wide = 0
	}
	for j := 0; j < wide; j += 8 {
		transposeAVX2(&dst[j*ldd], &x[j], tall, ldd*RealBytes, ldx*RealBytes)
	}
	for j := range cols {
		from := tall
		if j >= wide {
			from = 0
		}
		for i := from; i < rows; i++ {
			dst[j*ldd+i] = x[i*ldx+j]
		}
	}
}
