//go:build cuda && linux && (amd64 || arm64) && !f64

package cuda

import "github.com/bloomgml/bloom/mat"

// MatMul uses cuBLAS if there is one, else our kernel for tensor cores if the product is large, else our kernel for any
// GPU.
func (d *device) MatMul(dst, x, y *mat.Dense, t mat.Trans, alpha, beta mat.Real) {
	defer d.enter().leave()
	m, n, k := dst.Rows(), dst.Cols(), x.Cols()
	if t.Left() {
		k = x.Rows()
	}
	if m == 0 || n == 0 {
		return
	}
	if beta == 0 {
		beta = 0 // cuBLAS takes −0 for a number to multiply by
	}
	g := gemm{m, n, k, t, d.ptr(dst), d.ptr(x), d.ptr(y), x.Cols(), y.Cols(), alpha, beta}
	if k == 0 || !d.blas.product(d, g) && !d.tensor(g) {
		d.product(g)
	}
}

// gemm is a product: C ← α·op(A)·op(B) + β·C, C being m×n and the sum over k.
type gemm struct {
	m, n, k  int
	t        mat.Trans
	c, a, b  uintptr
	lda, ldb int
	alpha    float32
	beta     float32
}

// product computes g with our own kernels for any GPU.
func (d *device) product(g gemm) {
	ks := [...][2]kernel{
		{d.kernels.LargeNN, d.kernels.SmallNN}, {d.kernels.LargeTN, d.kernels.SmallTN},
		{d.kernels.LargeNT, d.kernels.SmallNT}, {d.kernels.LargeTT, d.kernels.SmallTT},
	}[g.t]
	k, s := ks[0], size{(g.m + 127) / 128, (g.n + 127) / 128, 1, 256, 1, 0}
	if g.n <= 64 || s.x*s.y < 64 {
		k, s = ks[1], size{(g.m + 63) / 64, (g.n + 31) / 32, 1, 128, 1, 0}
	}
	d.inParts(g, k, s)
}

// inParts launches a product whose tiles are s. A long sum over few tiles is cut into parts, by the shape alone, which
// are then added.
func (d *device) inParts(g gemm, k kernel, s size) {
	const least, tiles, unit = 256, 528, 32 // of the sum; of a full GPU; at least BK of the kernels
	parts := max(1, min(g.k/least, tiles/(s.x*s.y)))
	per := max(unit, ((g.k+parts-1)/parts+unit-1)/unit*unit)
	parts = max(1, (g.k+per-1)/per)
	if parts == 1 {
		d.launch(k, s, p(g.c), p(g.a), p(g.b), i(g.m), i(g.n), i(g.k), i(g.lda), i(g.ldb), f(g.alpha), f(g.beta),
			i(per))
		return
	}
	s.z = parts
	room := d.scratch(4 * parts * g.m * g.n)
	defer d.done(room)
	at := d.use(room)
	d.launch(k, s, p(at), p(g.a), p(g.b), i(g.m), i(g.n), i(g.k), i(g.lda), i(g.ldb), f(1), f(0), i(per))
	d.launch(d.kernels.Parts, d.each(g.m*g.n), p(g.c), p(at), i(g.m*g.n), i(parts), f(g.alpha), f(g.beta))
}

func (d *device) GroupMatMul(dst *mat.Dense, g *mat.Groups, x, y *mat.Dense, t mat.Trans, beta mat.Real) {
	defer d.enter().leave()
	bounds := d.use(g.Buffer().(*groups).list.block)
	if t == mat.TN {
		d.launch(d.kernels.GroupInner, warps(dst.Len()), p(d.ptr(dst)), p(d.ptr(x)), p(d.ptr(y)), p(bounds),
			i(dst.Len()),
			i(dst.Cols()), i(x.Cols()), f(beta))
		return
	}
	d.launch(d.kernels.GroupRows, d.each(dst.Len()), p(d.ptr(dst)), p(d.ptr(x)), p(d.ptr(y)), p(bounds), i(g.Len()),
		i(dst.Rows()), i(dst.Cols()), i(x.Cols()), b(t == mat.NT), f(beta))
}
