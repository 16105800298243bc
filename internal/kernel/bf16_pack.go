//go:build amd64 && !noasm && !f64

package kernel

import "math"

// bf16PackA writes the rows of op(A) as pairs, row i from dst[i·lda] on, zeros behind the last term.
func (p *gemm) bf16PackA(dst []Real, lda int) {
	if !p.tA {
		bf16Narrow(dst, lda, p.a, p.lda, p.m, p.k)
		return
	}
	pairs := bf16Pairs(p.k)
	flipped := gemmBuffers.take(pairs * p.m)
	bf16Pair(flipped, p.m, p.a, p.lda, p.k, p.m)
	bf16Transpose(dst, lda, flipped, pairs, p.m)
	gemmBuffers.give(flipped)
}

// bf16PackB writes the panel of op(B) that starts at column j, zeros where it has none.
func (p *gemm) bf16PackB(dst []Real, j int) {
	cols, pairs := min(bf16Panel, p.n-j), bf16Pairs(p.k)
	if cols < bf16Panel {
		clear(dst[:pairs*bf16Panel])
	}
	if !p.tB {
		bf16Pair(dst, bf16Panel, p.b[j:], p.ldb, p.k, cols)
		return
	}
	flipped := gemmBuffers.take(cols * pairs)
	bf16Narrow(flipped, pairs, p.b[j*p.ldb:], p.ldb, cols, p.k)
	bf16Transpose(dst, bf16Panel, flipped, cols, pairs)
	gemmBuffers.give(flipped)
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

// bf16Pair writes k rows of cols numbers as pairs of numbers below each other, whole steps with zeros at the end.
func bf16Pair(dst []Real, ldd int, x []Real, ldx, k, cols int) {
	for q := range k / 2 {
		bf16PairAVX512(&dst[q*ldd], &x[2*q*ldx], &x[(2*q+1)*ldx], cols)
	}
	for q := k / 2; q < bf16Pairs(k); q++ {
		clear(dst[q*ldd:][:cols])
	}
	if k%2 == 1 {
		bf16Last(dst[k/2*ldd:][:cols], x[(k-1)*ldx:])
	}
}

// bf16Last writes a row without one below it.
func bf16Last(dst, x []Real) {
	for j := range dst {
		dst[j] = math.Float32frombits(uint32(toBF16(x[j])))
	}
}

// bf16Transpose is dst[j·ldd+i] = x[i,j]; x is rows×cols.
func bf16Transpose(dst []Real, ldd int, x []Real, rows, cols int) {
	tall, wide := rows&^7, cols&^7
	if tall == 0 {
		wide = 0
	}
	for j := 0; j < wide; j += 8 {
		transposeAVX2(&dst[j*ldd], &x[j], tall, ldd*RealBytes, cols*RealBytes)
	}
	for j := range cols {
		from := tall
		if j >= wide {
			from = 0
		}
		for i := from; i < rows; i++ {
			dst[j*ldd+i] = x[i*cols+j]
		}
	}
}
