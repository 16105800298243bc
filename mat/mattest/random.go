package mattest

import (
	"fmt"
	"math"
	"slices"

	"github.com/bloomgml/bloom/mat"
)

// checkUniform: numbers of [lo, hi), spread evenly.
func checkUniform(s *suite) {
	s.distribution("Uniform", mat.Uniform, func(x, lo, hi float64) float64 { return (x - lo) / (hi - lo) })
	for _, x := range s.randomNumbers(mat.Uniform, mat.Shape{Rows: 300, Cols: 300}, -2, -1, 5) {
		if x < -2 || x >= -1 {
			s.Fatalf("Uniform on [-2, -1) gave %v", x)
		}
	}
}

// checkNormal: numbers of N(mean, sd²).
func checkNormal(s *suite) {
	s.distribution("Normal", mat.Normal,
		func(x, mean, sd float64) float64 { return math.Erfc((mean-x)/(sd*math.Sqrt2)) / 2 })
}

// randomNumbers fills a matrix on the device with random numbers.
func (s *suite) randomNumbers(f func(*mat.Dense, mat.Real, mat.Real, uint64), shape mat.Shape, a, b mat.Real,
	seed uint64) []mat.Real {
	x := s.put(junk(shape))
	f(x.Dense, a, b, seed)
	got := s.numbers("random numbers", x)
	s.note(got...)
	return got
}

// distribution: entry i depends on the seed and on i alone, so that the shape does not matter;
// neighbours and seeds are independent; and the numbers are spread as cdf says.
func (s *suite) distribution(name string, f func(*mat.Dense, mat.Real, mat.Real, uint64),
	cdf func(x, a, b float64) float64) {
	const n = 160 * 150
	var last []float64
	for key := range uint64(4) {
		a, b := mat.Real(-0.5), mat.Real(1.5)
		x := s.randomNumbers(f, mat.Shape{Rows: 160, Cols: 150}, a, b, key)
		for _, shape := range []mat.Shape{{Rows: 0, Cols: 3}, {Rows: 1, Cols: 1}, {Rows: 150, Cols: 160},
			{Rows: 7, Cols: 31}} {
			s.sameBits(name+" of another shape", s.randomNumbers(f, shape, a, b, key), x[:shape.Len()])
		}
		u := make([]float64, n)
		for i, v := range x {
			u[i] = cdf(float64(v), float64(a), float64(b))
		}
		s.independent(fmt.Sprintf("%s, seed %d, neighbours", name, key), u[1:], u[:n-1])
		if last != nil {
			s.independent(fmt.Sprintf("%s, seeds %d and %d", name, key, key-1), u, last)
		}
		last = slices.Clone(u)
		s.even(fmt.Sprintf("%s, seed %d", name, key), u)
	}
}

// independent: the correlation of n pairs of independent numbers is below 5/√n, except for one case in two million.
func (s *suite) independent(name string, a, b []float64) {
	s.Helper()
	cov := 0.0
	for i := range a {
		cov += (a[i] - 0.5) * (b[i] - 0.5)
	}
	if r := 12 * cov / float64(len(a)); !(math.Abs(r) < 5/math.Sqrt(float64(len(a)))) {
		s.Fatalf("%s: correlation %v of %d pairs", name, r, len(a))
	}
}

// even: Kolmogorov's distance of n uniform numbers from the diagonal is below 2.5/√n, except for one case in 130,000.
// It sorts u.
func (s *suite) even(name string, u []float64) {
	s.Helper()
	slices.Sort(u)
	n := float64(len(u))
	for i, v := range u {
		if d := math.Max(math.Abs(v-float64(i)/n), math.Abs(v-float64(i+1)/n)); !(d < 2.5/math.Sqrt(n)) {
			s.Fatalf("%s: %v of the numbers are below quantile %v", name, float64(i)/n, v)
		}
	}
}

// checkDropout: a fraction p of the entries is 0, the others are divided by 1 − p; which ones, the
// seed and the position say.
func checkDropout(s *suite) {
	for _, p := range []mat.Real{0, 0.25, 0.5, 0.9} {
		for key := range uint64(3) {
			mask := s.mask(p, mat.Shape{Rows: 131, Cols: 257}, seeded(key), key+5)
			s.dropped(fmt.Sprintf("Dropout %v, seed %d", p, key), mask, float64(p))
			for _, shape := range s.some() {
				x, at := s.random(shape), seeded(key)
				s.try(trial{
					name: fmt.Sprintf("Dropout %v, seed %d", p, key), in: []grid{x}, dst: []grid{junk(shape)},
					over: [][2]int{{0, 0}},
					run:  func(dst, in []*mat.Dense) { mat.Dropout(dst[0], in[0], p, at, key+5) },
					want: alone(func(i, j int) near {
						if mask[i*shape.Cols+j] == 0 {
							return exact(0)
						}
						v := x.at(i, j) / (1 - float64(p))
						return rounded(v, v, 3)
					}),
				})
			}
		}
	}
}

// mask returns what Dropout leaves of a matrix of ones.
func (s *suite) mask(p mat.Real, shape mat.Shape, at *mat.Seed, site uint64) []mat.Real {
	x := s.put(newGrid(shape))
	mat.Fill(x.Dense, 1)
	mat.Dropout(x.Dense, x.Dense, p, at, site)
	return s.numbers("Dropout", x)
}

func seeded(v uint64) *mat.Seed {
	at := mat.NewSeed()
	at.Set(v)
	return at
}

// draws returns what a seed draws at two sites.
func (s *suite) draws(at *mat.Seed) []mat.Real {
	shape := mat.Shape{Rows: 7, Cols: 30}
	return append(s.mask(0.5, shape, at, 1), s.mask(0.5, shape, at, 2)...)
}

// checkSeed: it begins as 0.
func checkSeed(s *suite) {
	if l := s.dev.Seed(); l.Len() != 1 {
		s.Fatalf("a seed has length %d", l.Len())
	}
	s.sameBits("Dropout with a new seed", s.draws(mat.NewSeed()), s.draws(seeded(0)))
}

// checkUpdateSeed: seeds of one number draw the same, seeds of two draw differently, and so do two sites.
func checkUpdateSeed(s *suite) {
	at, seen := mat.NewSeed(), map[string]uint64{}
	for _, v := range []uint64{0, 1, 2, 3, 1 << 31, 1 << 32, 1<<63 + 1, 1} {
		at.Set(v)
		got := s.draws(at)
		s.sameBits("Dropout with a seed that was set", got, s.draws(seeded(v)))
		for site, half := range [][]mat.Real{got[:len(got)/2], got[len(got)/2:]} {
			key := fmt.Sprint(half)
			if was, ok := seen[key]; ok && was != 2*v+uint64(site) {
				s.Fatalf("Dropout draws the same with seed %d, site %d as before", v, site)
			}
			seen[key] = 2*v + uint64(site)
		}
	}
}

// dropped: the number of zeros is binomial; five standard deviations are one case in two million.
func (s *suite) dropped(name string, mask []mat.Real, p float64) {
	s.Helper()
	zeros, both := 0.0, 0.0
	for i, v := range mask {
		zeros += indicator(v == 0)
		both += indicator(v == 0 && mask[(i+1)%len(mask)] == 0)
	}
	n := float64(len(mask))
	if sd := math.Sqrt(n * p * (1 - p)); math.Abs(zeros-n*p) > 5*sd {
		s.Fatalf("%s: %v of %v entries are 0", name, zeros, n)
	}
	if sd := math.Sqrt(n * p * p); math.Abs(both-n*p*p) > 7*sd { // pairs overlap: twice the variance at most
		s.Fatalf("%s: %v of %v pairs of neighbours are 0", name, both, n)
	}
}
