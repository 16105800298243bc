package kernel

// gemmAhead is memory that is needed soon and is brought to L2 meanwhile, an equal share with each
// of calls kernel calls. It changes speed only.
type gemmAhead struct {
	first, second []Real
	call, calls   int
}

// aheadRows returns what to prefetch for the next chunk of this goroutine: rows i0 ≤ i < i1 of A and C.
func (p *gemm) aheadRows(i0, i1 int) (next gemmAhead) {
	if !p.tA {
		next.first = span(p.a, i0*p.lda, i1*p.lda)
	}
	next.second = span(p.c, i0*p.ldc, i1*p.ldc)
	return next
}

// aheadTerms returns terms p0 ≤ p < p1 of the reduction where they are rows of A and B, unless most
// of these rows belongs to other chunks.
func (p *gemm) aheadTerms(p0, p1 int) (next gemmAhead) {
	if p.tA && p.lda < 4*p.m {
		next.first = span(p.a, p0*p.lda, p1*p.lda)
	}
	if !p.tB && p.ldb < 4*p.n {
		next.second = span(p.b, p0*p.ldb, p1*p.ldb)
	}
	return next
}

// nextPrefetch returns the memory that the next kernel call prefetches.
func (g *gemmAhead) nextPrefetch() []Real {
	all, i := len(g.first)+len(g.second), g.call
	if all == 0 || i == g.calls {
		return nil
	}
	g.call++
	from, to := all*i/g.calls, all*(i+1)/g.calls
	if from < len(g.first) {
		return span(g.first, from, to)
	}
	return span(g.second, from-len(g.first), to-len(g.first))
}

// span returns x[from:to], cut where x ends.
func span(x []Real, from, to int) []Real { return x[min(from, len(x)):min(to, len(x))] }
