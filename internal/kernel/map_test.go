package kernel

import (
	"fmt"
	"math"
	"testing"
)

// mapParameter is the t that the tests use for all functions.
const mapParameter = 0.75

// naive is the closed list as a textbook writes it.
var naive = [NumFunc]func(x float64) float64{
	Exp:       math.Exp,
	Log:       math.Log,
	Tanh:      func(x float64) float64 { return 1 - 2/(math.Exp(2*x)+1) },
	Sigmoid:   func(x float64) float64 { return 1 / (1 + math.Exp(-x)) },
	Softplus:  func(x float64) float64 { return math.Log(1 + math.Exp(x)) },
	ReLU:      func(x float64) float64 { return math.Max(x, 0) },
	LeakyReLU: func(x float64) float64 { return math.Max(x, 0) + mapParameter*math.Min(x, 0) },
	Abs:       math.Abs,
	Square:    func(x float64) float64 { return math.Pow(x, 2) },
	Sqrt:      func(x float64) float64 { return math.Pow(x, 0.5) },
	Recip:     func(x float64) float64 { return math.Pow(x, -1) },
	Sin:       math.Sin,
	Cos:       math.Cos,
	Huber: func(x float64) float64 {
		if math.Abs(x) < mapParameter {
			return x * x / 2
		}
		return mapParameter*math.Abs(x) - mapParameter*mapParameter/2
	},
	LogCosh: func(x float64) float64 { return math.Log(math.Cosh(x)) },
	Clamp:   func(x float64) float64 { return math.Max(-mapParameter, math.Min(mapParameter, x)) },
}

func TestPortableMapAgainstNaive(t *testing.T) {
	rng := entryRand()
	for f := range NumFunc {
		for range 1000 {
			x := 2 * rng.NormFloat64()
			if f == Log || f == Sqrt {
				x = math.Abs(x) + 0.01
			}
			got, want := portable[f][0](x, mapParameter), naive[f](x)
			if math.Abs(got-want) > 1e-14*(1+math.Abs(want)) { // a few roundings of float64
				t.Fatalf("%v(%g) = %g, want %g", f, x, got, want)
			}
		}
	}
}

// Derivatives are central differences of the order below, away from kinks.
func TestPortableMapDerivatives(t *testing.T) {
	rng := entryRand()
	const h = 1e-5
	for f := range NumFunc {
		for order := 1; order <= 2; order++ {
			for range 300 {
				x := rng.NormFloat64()
				if f == Log || f == Sqrt || f == Recip {
					x = math.Abs(x) + 0.2
				}
				if math.Abs(math.Abs(x)-mapParameter) < 2*h || math.Abs(x) < 2*h {
					continue
				}
				below := portable[f][order-1]
				want := (below(x+h, mapParameter) - below(x-h, mapParameter)) / (2 * h)
				got := portable[f][order](x, mapParameter)
				// h²·f''' ≤ 1e-10·4e3 (for 1/x at 0.2) and rounding 1e-16/h.
				if math.Abs(got-want) > 1e-6*(1+math.Abs(want)) {
					t.Fatalf("%v order %d at %g: %g, differences give %g", f, order, x, got, want)
				}
			}
		}
	}
}

func TestMapConventions(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	cases := []struct {
		f       Func
		order   int
		x, want float64
	}{
		{ReLU, 1, 0, 0}, {Abs, 1, 0, 0}, {LeakyReLU, 1, 0, mapParameter},
		{Huber, 2, mapParameter, 0}, {Huber, 2, -mapParameter, 0}, {Huber, 2, 0.5, 1},
		{Clamp, 1, mapParameter, 0}, {Clamp, 1, 0.5, 1},
		{ReLU, 2, 1, 0}, {Abs, 2, 1, 0}, {Clamp, 2, 0, 0}, {LeakyReLU, 2, -1, 0}, {Square, 2, 5, 2},
		{Exp, 0, -inf, 0}, {Exp, 0, inf, inf}, {Exp, 0, 0, 1},
		{Log, 0, 0, -inf}, {Log, 0, inf, inf}, {Log, 0, 1, 0}, {Log, 0, -1, nan}, {Log, 0, -inf, nan},
		{Tanh, 0, inf, 1}, {Tanh, 0, -inf, -1}, {Tanh, 0, 0, 0}, {Tanh, 1, inf, 0}, {Tanh, 2, -inf, 0},
		{Sigmoid, 0, inf, 1}, {Sigmoid, 0, -inf, 0}, {Sigmoid, 0, 0, 0.5}, {Sigmoid, 1, -inf, 0}, {Sigmoid, 2, inf, 0},
		{Softplus, 0, inf, inf}, {Softplus, 0, -inf, 0},
		{ReLU, 0, -inf, 0}, {ReLU, 0, inf, inf}, {LeakyReLU, 0, -inf, -inf}, {Abs, 0, -inf, inf}, {Abs, 1, -inf, -1},
		{Sqrt, 0, -1, nan}, {Sqrt, 0, inf, inf}, {Sqrt, 1, 0, inf}, {Recip, 0, inf, 0}, {Recip, 0, 0, inf},
		{Huber, 0, -inf, inf}, {Huber, 1, -inf, -mapParameter}, {LogCosh, 0, -inf, inf}, {LogCosh, 0, 0, 0},
		{Clamp, 0, inf, mapParameter}, {Clamp, 0, -inf, -mapParameter},
		{Sin, 0, 0, 0}, {Cos, 0, 0, 1}, {Sin, 0, inf, nan},
	}
	eachLevel(t, func(t *testing.T) {
		for _, c := range cases {
			x := make([]Real, 23)
			Fill(x, Real(c.x))
			Map(x, x, c.f, c.order, mapParameter)
			for i, v := range x {
				if float64(v) != c.want && !(v != v && c.want != c.want) {
					t.Errorf("%v order %d at %g, lane %d: %g, want %g", c.f, c.order, c.x, i, v, c.want)
					break
				}
			}
		}
		for f := range NumFunc {
			for order := range 3 {
				x := make([]Real, 23)
				Fill(x, Real(nan))
				Map(x, x, f, order, mapParameter)
				if x[0] == x[0] || x[22] == x[22] {
					t.Errorf("%v order %d of NaN is %g, %g", f, order, x[0], x[22])
				}
			}
		}
	})
}

// mapUlps is the error allowed to the assembly by order, in units of the last place of the exact
// value. Measured (printed with -v): exp 1.0, log 0.8, softplus 1.6, sigmoid 2.2, tanh 2.5, log cosh
// 3.9; first derivatives at most 3.7 (tanh), second at most 7.2 (tanh), because they are
// quotients of products of these; the rest is exact or within 2.
var mapUlps = [3]float64{4, 4, 8}

// absoluteUlps are functions whose error counts against 1 near a zero that is not at 0.
var absoluteUlps = map[Func]bool{Sin: true, Cos: true}

func TestMapAccuracy(t *testing.T) {
	x := accuracyPoints()
	got := make([]Real, len(x))
	eachLevel(t, func(t *testing.T) {
		for f := range NumFunc {
			for order := range 3 {
				Map(got, x, f, order, mapParameter)
				worst, at := 0.0, Real(0)
				for i, v := range x {
					want := portable[f][order](float64(v), mapParameter)
					if e := ulps(float64(got[i]), want, absoluteUlps[f]); !(e <= worst) {
						worst, at = e, v
					}
				}
				t.Logf("%-10v order %d: %.2f ulp at %g", f, order, worst, at)
				if !(worst <= mapUlps[order]) {
					t.Errorf("%v order %d: off by %.2f ulp at %g, allowed %g", f, order, worst, at, mapUlps[order])
				}
			}
		}
	})
}

// accuracyPoints are numbers of every exponent and a dense grid around zero.
func accuracyPoints() []Real {
	var x []Real
	for bits := uint64(0); bits < 1<<32; bits += 3 * 65537 {
		x = append(x, Real(math.Float32frombits(uint32(bits))))
	}
	for v := -110.0; v < 110; v += 0.0101 {
		x = append(x, Real(v))
	}
	for v := -1.5; v < 1.5; v += 0.00037 {
		x = append(x, Real(v))
	}
	return x
}

// ulps is |got − want| in units of the last place of want: of 1 where absolute holds and |want| < 1,
// and of the smallest normal number at least.
func ulps(got, want float64, absolute bool) float64 {
	rounded := float64(Real(want))
	if got == rounded || math.IsNaN(got) && math.IsNaN(want) {
		return 0
	}
	size := math.Max(math.Abs(want), 0x1p-126)
	if absolute {
		size = math.Max(size, 1)
	}
	_, e := math.Frexp(size)
	return math.Abs(got-want) / math.Ldexp(2*roundoff, e-1)
}

func TestMapBodies(t *testing.T) {
	rng := entryRand()
	eachLevel(t, func(t *testing.T) {
		for _, n := range entrySizes() {
			x, y := withSpecials(rng, n), normals(rng, n)
			for f := range NumFunc {
				if n > 1000 && f > Log {
					break
				}
				for order := range 3 {
					testMapBody(t, x, y, f, order)
				}
			}
		}
	})
}

// testMapBody compares Map and MapMul, apart and in place, with the portable body.
func testMapBody(t *testing.T, x, y []Real, f Func, order int) {
	t.Helper()
	n := len(x)
	what := fmt.Sprintf("%v order %d", f, order)
	want, wantMul := make([]float64, n), make([]float64, n)
	for i, v := range x {
		w := portable[f][order](float64(v), mapParameter)
		want[i], wantMul[i] = w, float64(Real(w))*float64(y[i])
	}
	scale := func(want []float64) func(int) float64 {
		return func(i int) float64 {
			return math.Max(1e-37, math.Abs(want[i])+boolTo(absoluteUlps[f])*math.Abs(float64(y[i])))
		}
	}
	const tol = 18 // 8 ulp of the function (mapUlps) are 16 roundings, and one of the product
	run := func(how string, want []float64, dst guarded, call func()) {
		call()
		near(t, what+how, dst.x, want, tol*roundoff, scale(want))
		dst.check(t, what+how)
	}
	src, mul, dst := copyGuarded(x), copyGuarded(y), newGuarded(n)
	run("", want, dst, func() { Map(dst.x, src.x, f, order, mapParameter) })
	run(" times", wantMul, dst, func() { MapMul(dst.x, src.x, mul.x, f, order, mapParameter) })
	run(" times into y", wantMul, mul, func() { MapMul(mul.x, src.x, mul.x, f, order, mapParameter) })
	run(" in place", want, src, func() { Map(src.x, src.x, f, order, mapParameter) })
}

func boolTo(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

func FuzzMap(f *testing.F) {
	f.Add(uint32(0x3f800000), uint32(0x80000001), uint8(0), uint8(0))
	f.Add(uint32(0x7f800000), uint32(0xffc00000), uint8(Softplus), uint8(1))
	f.Add(uint32(0xc2d00000), uint32(0x42b17218), uint8(Exp), uint8(2))
	f.Fuzz(func(t *testing.T, a, b uint32, fn, order uint8) {
		g, k := Func(fn)%NumFunc, int(order%3)
		x := make([]Real, 21)
		for i := range x {
			x[i] = Real(math.Float32frombits(a + uint32(i)*b))
		}
		ones := make([]Real, len(x))
		Fill(ones, 1)
		for l := Portable; l <= Best(); l++ {
			restore := Use(l)
			testMapBody(t, x, ones, g, k)
			restore()
		}
	})
}

// The assembly of sin and cos serves chunks within ±sineLimit only, so these points are apart from
// accuracyPoints, whose NaNs and large numbers send a whole chunk to the portable body.
func TestSineAccuracy(t *testing.T) {
	const limit = 8192
	var x []Real
	for v := -float64(limit); v <= limit; v += 0.3217 {
		x = append(x, Real(v))
	}
	got := make([]Real, len(x))
	eachLevel(t, func(t *testing.T) {
		for _, f := range []Func{Sin, Cos} {
			for order := range 3 {
				for n := range 68 { // tails
					Map(got[:n], x[len(x)/2:len(x)/2+n], f, order, 0)
					checkSine(t, f, order, got[:n], x[len(x)/2:])
				}
				Map(got, x, f, order, 0)
				checkSine(t, f, order, got, x)
			}
		}
	})
}

// checkSine allows 2 units of the last place of 1: the reduction is exact to less than one.
func checkSine(t *testing.T, f Func, order int, got, x []Real) {
	t.Helper()
	worst, at := 0.0, Real(0)
	for i, g := range got {
		if e := ulps(float64(g), portable[f][order](float64(x[i]), 0), true); !(e <= worst) {
			worst, at = e, x[i]
		}
	}
	if len(got) > 1000 {
		t.Logf("%v order %d: %.2f ulp at %g", f, order, worst, at)
	}
	if !(worst <= 2) {
		t.Errorf("%v order %d: off by %.2f ulp at %g", f, order, worst, at)
	}
}
