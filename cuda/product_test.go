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
var engines = map[string]func(d *device, g gemm) bool{
	"tensor": func(d *device, g gemm) bool { d.inTiles(g); return true },
	"cublas": func(d *device, g gemm) bool { return d.blas.product(d, g) },
	"own":    func(d *device, g gemm) bool { d.product(g); return true },
}

// TestOwnProducts: our own kernels keep the contract too, where others are used otherwise.
func TestOwnProducts(t *testing.T) {
	d := card(t)
	blasOf, from := d.blas, d.from
	d.blas, d.from = blas{}, tensorFrom{work: math.MaxInt}
	defer func() { d.blas, d.from = blasOf, from }()
	mattest.TestDevice(t, d)
}

// random is a matrix of normal numbers on the card, and on the host.
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
	d := card(t)
	rng := rand.New(rand.NewPCG(1, 2))
	for _, s := range [][3]int{{132, 68, 36}, {64, 64, 32}, {4, 4, 4}, {300, 200, 1000}, {128, 96, 9000}} {
		for tr := mat.NN; tr <= mat.TT; tr++ {
			m, n, k := s[0], s[1], s[2]
			x, y, at := operands(d, tr, m, n, k, rng)
			for name, multiply := range engines {
				c, old := random(d, m, n, rng)
				d.enter()
				done := multiply(d, gemm{m, n, k, tr, d.of(c), d.of(x), d.of(y), x.Cols(), y.Cols(), 2, -1})
				d.leave()
				got := c.Slice()
				for range 200 {
					i, j := rng.IntN(m), rng.IntN(n)
					v, size := at(i, j)
					v, size = 2*v-float64(old[i*n+j]), 2*size+math.Abs(float64(old[i*n+j]))
					most := size * 0x1p-24 * (6*math.Sqrt(float64(k)) + 5)
					if e := math.Abs(float64(got[i*n+j]) - v); done && !(e <= most) {
						t.Fatalf("%s %v, transposes %d, entry %d,%d: %v, want %v", name, s, tr, i, j, got[i*n+j], v)
					}
				}
			}
		}
	}
}

func BenchmarkMatMul(b *testing.B) {
	d := card(b)
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
			if name == "tensor" && (x.Cols()%4 != 0 || y.Cols()%4 != 0) {
				continue
			}
			b.Run(fmt.Sprintf("%d×%d×%d-%d/%s", s.m, s.n, s.k, s.t, name), func(b *testing.B) {
				for range b.N {
					d.enter()
					multiply(d, gemm{s.m, s.n, s.k, s.t, d.of(c), d.of(x), d.of(y), x.Cols(), y.Cols(), 1, 0})
					d.leave()
				}
				d.Sync()
				work := 2 * float64(s.m) * float64(s.n) * float64(s.k) * float64(b.N)
				b.ReportMetric(work/b.Elapsed().Seconds()/1e12, "TFLOP/s")
			})
		}
	}
}
