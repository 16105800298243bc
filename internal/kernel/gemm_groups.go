package kernel

import "slices"

// GemmGroups is a product for every group of consecutive rows: group g has the rows bounds[g] ≤ i < bounds[g+1] of A
// and C, and a matrix B_g, k×n, or n×k where tB is set. b is the stack of the B_g.
//
//	C[i,:] = A[i,:]·op(B_g) + β·C[i,:]
//
// A has k columns and C has n. β = 0 does not read C. C must not overlap A or B.
func GemmGroups(c, a, b []Real, bounds []int, tB bool, n, k int, beta Real) {
	j := gemmGroupsJob{c: c, a: a, b: b, bounds: bounds, n: n, k: k, beta: beta, tB: tB}
	j.per = ceilTo(gemmChunkWork/max(1, k*ceilTo(n, 16))+1, gemmRowUnit)
	if rows := bounds[len(bounds)-1]; n > 0 {
		gemmGroupsJobs.multiply((rows+j.per-1)/j.per, j)
	}
}

// GemmGroupsT is the other product of two matrices with rows in groups, A with k and B with n columns: for every group
// a k×n matrix, stacked in c.
//
//	C_g = A_gᵀ·B_g + β·C_g
func GemmGroupsT(c, a, b []Real, bounds []int, n, k int, beta Real) {
	if n > 0 && k > 0 {
		j := gemmGroupsJob{c: c, a: a, b: b, bounds: bounds, n: n, k: k, beta: beta, tA: true}
		gemmGroupsJobs.multiply(len(bounds)-1, j)
	}
}

// gemmGroupsJob is GemmGroups by pieces of per rows, whatever groups they are of, or GemmGroupsT by groups.
type gemmGroupsJob struct {
	c, a, b   []Real
	bounds    []int
	n, k, per int
	beta      Real
	tA, tB    bool
}

var gemmGroupsJobs jobs[gemmGroupsJob, *gemmGroupsJob]

func (j *gemmGroupsJob) do(chunk int) {
	if j.tA {
		j.transposed(chunk)
		return
	}
	lo := chunk * j.per
	end := min(lo+j.per, j.bounds[len(j.bounds)-1])
	next, _ := slices.BinarySearch(j.bounds, lo+1) // the first bound above lo
	for g := next - 1; lo < end; g++ {
		if hi := min(end, j.bounds[g+1]); lo < hi {
			j.rows(g, lo, hi)
			lo = hi
		}
	}
}

// rows computes the rows lo ≤ i < hi, which belong to group g.
func (j *gemmGroupsJob) rows(g, lo, hi int) {
	ldb := j.n
	if j.tB {
		ldb = j.k
	}
	product(gemm{false, j.tB, hi - lo, j.n, j.k, 1, j.a[lo*j.k:], j.k, j.b[g*j.k*j.n:], ldb, j.beta, j.c[lo*j.n:], j.n})
}

// transposed is group g of GemmGroupsT.
func (j *gemmGroupsJob) transposed(g int) {
	lo, hi := j.bounds[g], j.bounds[g+1]
	product(gemm{true, false, j.k, j.n, hi - lo, 1, j.a[lo*j.k:], j.k, j.b[lo*j.n:], j.n, j.beta, j.c[g*j.k*j.n:], j.n})
}

// product is Gemm on the calling goroutine.
func product(p gemm) {
	if p.k == 0 {
		p.scale(0, p.m)
		return
	}
	tiles := gemmLevels[Active()]
	if tiles == nil {
		p.portable()
		return
	}
	p.tiled(tiles, nil, gemmAhead{})
}
