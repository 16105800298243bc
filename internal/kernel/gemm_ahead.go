package kernel

// gemmAhead is memory that is needed soon. The first kernel call prefetches first; all calls
// together prefetch block and rest, each its share.
type gemmAhead struct {
	first       []Real
	block, rest []Real
	call, calls int
}

// ahead is what to prefetch during the block of depth terms from p0 on. If A is transposed, the
// next block of A and B, contiguous in memory; else, at the first block, the tiles of A below
// the first with all their columns.
func (p *gemm) ahead(t *gemmTiles, p0, depth int) (next gemmAhead) {
	if p.tA {
		p1, p2 := min(p0+depth, p.k), min(p0+2*depth, p.k)
		next.block = span(p.a, p1*p.lda, p2*p.lda)
		if !p.tB {
			next.rest = span(p.b, p1*p.ldb, p2*p.ldb)
		}
	} else if p0 == 0 {
		next.first = span(p.a, t.rows*p.lda, (p.m+t.rows)*p.lda)
	}
	return next
}

// take is what the next kernel call prefetches.
func (g *gemmAhead) take() []Real {
	first := g.first
	g.first = nil
	all, i := len(g.block)+len(g.rest), g.call
	g.call++
	switch from, to := all*i/g.calls, all*(i+1)/g.calls; {
	case len(first) > 0:
		return first
	case from < len(g.block):
		return span(g.block, from, to)
	default:
		return span(g.rest, from-len(g.block), to-len(g.block))
	}
}

// span is x[from:to], cut where x ends.
func span(x []Real, from, to int) []Real { return x[min(from, len(x)):min(to, len(x))] }
