//go:build cuda && linux && (amd64 || arm64) && !f64

package cuda

// cutting says which piece of a number of op(A), and of op(B), each product takes: two bits per slot, the first slot
// lowest.
type cutting struct {
	slots int
	a, b  uint32
}

var (
	// oneOf rounds factors to bf16: A₁B₁.
	oneOf = cutting{slots: 1}
	// sixOf has the accuracy of float32: A₃B₁ + A₂B₂ + A₁B₃ + A₂B₁ + A₁B₂ + A₁B₁, omitted terms being 2⁻²⁴ of it.
	// Tensor cores cut sums off instead of rounding them, so the small ones come first.
	sixOf = cutting{slots: 6, a: 0b00_00_01_00_01_10, b: 0b00_01_00_10_01_00}
)

// panelBytes is how many bytes of pieces, whole rows of A, are made and multiplied at a time, to stay in the cache.
const panelBytes = 48 << 20

// piecesPay reports whether g is faster as six products of pieces than as one of float32, by the shapes that were
// measured. Tensor cores of GPUs for data centres are 15 times as fast as their other units, of consumer GPUs 2 to 4
// times. Long sums would be truncated too often to have the accuracy of float32.
func (d *device) piecesPay(g gemm) bool {
	fast := d.minor == 0 && d.major >= 8 && d.major <= 10
	return fast && !g.t.Left() && g.m >= 4096 && g.n >= 512 && g.k >= 256 && g.k <= 512
}

// inPieces is g as one product of 16-bit numbers, whose sums are c.slots times as long.
func (x *blas) inPieces(d *device, g gemm, c cutting) {
	right := d.scratch(c.bytes(g.k, g.n, !g.t.Right()))
	defer d.done(right)
	b := d.cut(right, g.b, g.k, g.n, !g.t.Right(), c, c.b)
	step := g.m
	if !g.t.Left() {
		step = max(512, panelBytes/c.bytes(g.k, 1, false)/512*512)
	}
	left := d.scratch(c.bytes(g.k, min(step, g.m), g.t.Left()))
	defer d.done(left)
	for row := 0; row < g.m; row += step {
		p := g
		p.m = min(step, g.m-row)
		p.a, p.c = g.a+uintptr(4*row*g.lda), g.c+uintptr(4*row*g.n)
		x.multiplyCut(d, p, d.cut(left, p.a, g.k, p.m, g.t.Left(), c, c.a), b, c)
	}
}

// cutMatrix is a matrix in pieces: its memory and its leading dimension.
type cutMatrix struct {
	at uintptr
	ld int
}

// terms returns how many terms a sum over k has in a slot: cuBLAS is fast where rows begin at whole pieces of 16 bytes.
func terms(k int) int { return (k + 7) / 8 * 8 }

// bytes returns the size in pieces of a matrix of sums of k terms and that many numbers on its other side, where the
// sums go down its rows, or across.
func (c cutting) bytes(k, other int, down bool) int {
	if down {
		other = terms(other)
	}
	return 2 * terms(k) * c.slots * other
}

// cut lays out a matrix, as bytes counts it.
func (d *device) cut(room *block, at uintptr, k, other int, down bool, c cutting, order uint32) cutMatrix {
	per := terms(k)
	m := cutMatrix{d.use(room), c.slots * per}
	rows, cols, threads := other, k, other*per/4
	if down {
		m.ld = terms(other)
		rows, cols, threads = k, other, per*((other+3)/4)
	}
	d.launch(d.kernels.Pieces, d.each(threads), p(m.at), p(at), i(rows), i(cols), i(m.ld), b(!down), i(c.slots),
		i(per), uint64(order))
	return m
}

// multiplyCut asks for g with its factors in pieces, CUDA_R_16BF, and CUBLAS_COMPUTE_32F.
func (x *blas) multiplyCut(d *device, g gemm, left, right cutMatrix, c cutting) {
	x.multiplyEx(d, g, c.slots*terms(g.k), right, left, 14, 68)
}
