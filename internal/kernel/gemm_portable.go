package kernel

// gemmDepth is how many rows of op(B) the portable body keeps in cache while it runs over A.
const gemmDepth = 64

// portable is C ← α·op(A)·op(B) + β·C in plain Go.
//
//	C ← β·C; for blocks of p, for i: c[i,:] += Σ_p α·opA[i,p]·opB[p,:]
func (p *gemm) portable() {
	p.scale(0, p.m)
	step, row := 1, p.lda // from p to p+1 and from i to i+1 in op(A)
	if p.tA {
		step, row = p.lda, 1
	}
	for p0 := 0; p0 < p.k; p0 += gemmDepth {
		q := p.part(0, p.m, p0, min(p0+gemmDepth, p.k))
		for i := range q.m {
			if q.tB {
				q.dots(q.c[i*q.ldc:][:q.n], q.a[i*row:], step)
			} else {
				q.axpys(q.c[i*q.ldc:][:q.n], q.a[i*row:], step)
			}
		}
	}
}

// axpys is dst[j] += Σ_p α·a[p·step]·b[p,j], four rows of B at a time.
func (p *gemm) axpys(dst, a []Real, step int) {
	t := 0
	for ; t+4 <= p.k; t += 4 {
		a0, a1 := p.alpha*a[t*step], p.alpha*a[(t+1)*step]
		a2, a3 := p.alpha*a[(t+2)*step], p.alpha*a[(t+3)*step]
		b0, b1 := p.b[t*p.ldb:][:len(dst)], p.b[(t+1)*p.ldb:][:len(dst)]
		b2, b3 := p.b[(t+2)*p.ldb:][:len(dst)], p.b[(t+3)*p.ldb:][:len(dst)]
		for j := range dst {
			dst[j] += a0*b0[j] + a1*b1[j] + a2*b2[j] + a3*b3[j]
		}
	}
	for ; t < p.k; t++ {
		v := p.alpha * a[t*step]
		for j, w := range p.b[t*p.ldb:][:len(dst)] {
			dst[j] += v * w
		}
	}
}

// dots is dst[j] += α·Σ_p a[p·step]·b[j,p], four columns of C at a time.
func (p *gemm) dots(dst, a []Real, step int) {
	j := 0
	for ; j+4 <= len(dst); j += 4 {
		b0, b1 := p.b[j*p.ldb:][:p.k], p.b[(j+1)*p.ldb:][:p.k]
		b2, b3 := p.b[(j+2)*p.ldb:][:p.k], p.b[(j+3)*p.ldb:][:p.k]
		var s0, s1, s2, s3 Real
		for t := range b0 {
			v := a[t*step]
			s0 += v * b0[t]
			s1 += v * b1[t]
			s2 += v * b2[t]
			s3 += v * b3[t]
		}
		dst[j] += p.alpha * s0
		dst[j+1] += p.alpha * s1
		dst[j+2] += p.alpha * s2
		dst[j+3] += p.alpha * s3
	}
	for ; j < len(dst); j++ {
		var s Real
		for t, w := range p.b[j*p.ldb:][:p.k] {
			s += a[t*step] * w
		}
		dst[j] += p.alpha * s
	}
}
