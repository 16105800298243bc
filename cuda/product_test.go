//go:build cuda && linux && (amd64 || arm64) && !f64

package cuda

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/mat/mattest"
)

// engines are the ways to multiply matrices.
var engines = map[string]func(d *device, g gemm){
	"tensor": func(d *device, g gemm) { d.inTiles(g) },
	"cublas": func(d *device, g gemm) { d.blas.multiplyPlain(d, g) },
	"pieces": func(d *device, g gemm) { d.blas.inPieces(d, g, sixOf) },
	"own":    func(d *device, g gemm) { d.product(g) },
}

// missing reports whether a GPU cannot multiply that way.
func missing(d *device, engine string) bool {
	return engine != "own" && d.major < tensorCards || (engine == "cublas" || engine == "pieces") && d.blas.sgemm == 0
}

// TestOwnProducts: our own kernels keep the contract too, where others are used otherwise.
func TestOwnProducts(t *testing.T) {
	d := gpu(t)
	blasOf, from := d.blas, d.from
	d.blas, d.from = blas{}, tensorFrom{work: math.MaxInt}
	defer func() { d.blas, d.from = blasOf, from }()
	mattest.TestDevice(t, d)
}

// random is a matrix of normal numbers on the GPU, and on the host.
func random(d *device, rows, cols int, rng *rand.Rand) (*mat.Dense, []mat.Real) {
	x := make([]mat.Real, rows*cols)
	for i := range x {
		x[i] = mat.Real(rng.NormFloat64())
	}
	m := mat.NewOn(d, rows, cols)
	m.Write(x)
	return m, x
}

// operands are matrices whose product is m×n with sums of k terms.
func operands(d *device, t mat.Trans, m, n, k int, rng *rand.Rand) (x, y *mat.Dense,
	at func(i, j int) (v, size float64)) {
	shape := func(swap bool, rows, cols int) (int, int) {
		if swap {
			return cols, rows
		}
		return rows, cols
	}
	rows, cols := shape(t.Left(), m, k)
	x, xs := random(d, rows, cols, rng)
	rows, cols = shape(t.Right(), k, n)
	y, ys := random(d, rows, cols, rng)
	return x, y, func(i, j int) (v, size float64) {
		for p := range k {
			a, b := i*k+p, p*n+j
			if t.Left() {
				a = p*m + i
			}
			if t.Right() {
				b = j*k + p
			}
			v += float64(xs[a]) * float64(ys[b])
			size += math.Pow(float64(xs[a])*float64(ys[b]), 2)
		}
		return v, math.Sqrt(size)
	}
}

// TestEngines: all of them are as accurate as float32, a whole sum or one in parts, with edges that are no whole tile.
func TestEngines(t *testing.T) {
	d := gpu(t)
	rng := rand.New(rand.NewPCG(1, 2))
	for _, s := range [][3]int{{132, 68, 36}, {64, 64, 32}, {4, 4, 4}, {300, 200, 500}, {300, 200, 1000},
		{128, 96, 9000}} {
		for tr := mat.NN; tr <= mat.TT; tr++ {
			m, n, k := s[0], s[1], s[2]
			x, y, at := operands(d, tr, m, n, k, rng)
			for name, multiply := range engines {
				if missing(d, name) || name == "pieces" && k > 512 {
					continue
				}
				c, old := random(d, m, n, rng)
				d.enter()
				multiply(d, gemm{m, n, k, tr, d.ptr(c), d.ptr(x), d.ptr(y), x.Cols(), y.Cols(), 2, -1})
				d.leave()
				got := c.Slice()
				for range 200 {
					i, j := rng.IntN(m), rng.IntN(n)
					v, size := at(i, j)
					v, size = 2*v-float64(old[i*n+j]), 2*size+math.Abs(float64(old[i*n+j]))
					most := size * 0x1p-24 * (6*math.Sqrt(float64(k)) + 5)
					if e := math.Abs(float64(got[i*n+j]) - v); !(e <= most) {
						t.Fatalf("%s %v, transposes %d, entry %d,%d: %v, want %v", name, s, tr, i, j, got[i*n+j], v)
					}
				}
			}
		}
	}
}

// TestPiecesRound: sums of positive numbers, where cutting off instead of rounding shows, are as good in pieces as sums
// that are rounded k times in float32 may be, √k units of it, up to a factor of two.
func TestPiecesRound(t *testing.T) {
	d := gpu(t)
	if missing(d, "pieces") {
		t.Skip("no cuBLAS")
	}
	for _, s := range [][3]int{{256, 128, 512}, {128, 1024, 512}, {640, 128, 300}} {
		m, n, k := s[0], s[1], s[2]
		x, y := mat.NewOn(d, k, m), mat.NewOn(d, k, n)
		mat.Uniform(x, 0, 1, 1)
		mat.Uniform(y, 0, 1, 2)
		xs, ys, worst := x.Slice(), y.Slice(), map[string]float64{}
		for _, name := range []string{"cublas", "pieces"} {
			c := mat.NewOn(d, m, n)
			d.enter()
			engines[name](d, gemm{m, n, k, mat.TN, d.ptr(c), d.ptr(x), d.ptr(y), m, n, 1, 0})
			d.leave()
			got := c.Slice()
			for q := range 300 {
				i, j, want := q*7%m, q*13%n, 0.0
				for p := range k {
					want += float64(xs[p*m+i]) * float64(ys[p*n+j])
				}
				worst[name] = max(worst[name], math.Abs(float64(got[i*n+j])-want)/want)
			}
		}
		t.Logf("%d×%d, sums of %d: off by %.1e in float32, by %.1e in pieces", m, n, k, worst["cublas"],
			worst["pieces"])
		if most := 8 * worst["cublas"]; worst["pieces"] > most {
			t.Errorf("%d×%d, sums of %d: off by %.1e, want at most %.1e", m, n, k, worst["pieces"], most)
		}
	}
}

func BenchmarkMatMul(b *testing.B) {
	d := gpu(b)
	rng := rand.New(rand.NewPCG(1, 2))
	for _, s := range []struct {
		m, n, k int
		t       mat.Trans
	}{
		{22662, 512, 512, mat.NN}, {22662, 512, 512, mat.NT}, {512, 512, 22662, mat.TN}, {22662, 512, 300, mat.NN},
		{300, 512, 22662, mat.TN}, {169343, 256, 128, mat.NN}, {169343, 256, 256, mat.NN}, {256, 256, 169343, mat.TN},
		{128, 256, 169343, mat.TN}, {169343, 40, 256, mat.NN}, {256, 40, 169343, mat.TN}, {169343, 256, 40, mat.NT},
		{19717, 64, 500, mat.NN}, {500, 64, 19717, mat.TN}, {19717, 64, 64, mat.NN}, {64, 64, 19717, mat.TN},
		{22662, 18, 512, mat.NN}, {512, 18, 22662, mat.TN}, {22662, 512, 18, mat.NT}, {512, 512, 512, mat.NN},
	} {
		x, y, _ := operands(d, s.t, s.m, s.n, s.k, rng)
		c := mat.NewOn(d, s.m, s.n)
		for name, multiply := range engines {
			if missing(d, name) || name == "tensor" && (x.Cols()%4 != 0 || y.Cols()%4 != 0) {
				continue
			}
			b.Run(fmt.Sprintf("%d×%d×%d-%d/%s", s.m, s.n, s.k, s.t, name), func(b *testing.B) {
				for range b.N {
					d.enter()
					multiply(d, gemm{s.m, s.n, s.k, s.t, d.ptr(c), d.ptr(x), d.ptr(y), x.Cols(), y.Cols(), 1, 0})
					d.leave()
				}
				d.Sync()
				work := 2 * float64(s.m) * float64(s.n) * float64(s.k) * float64(b.N)
				b.ReportMetric(work/b.Elapsed().Seconds()/1e12, "TFLOP/s")
			})
		}
	}
}
