package random

import (
	"hash/fnv"
	"math"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/mat"
)

// Glorot returns √(6/(in + out)), the bound that preserves variances forwards and backwards.
func Glorot(in, out int) float64 { return math.Sqrt(6 / float64(max(1, in+out))) }

// Uniform returns a parameter with entries uniform in ±bound, a function of seed and name.
func Uniform(name string, rows, cols int, bound float64, seed uint64) *ad.Param {
	m := mat.New(rows, cols)
	mat.Uniform(m, mat.Real(-bound), mat.Real(bound), mat.Mix(seed, Hash(name)))
	return ad.NewParam(name, m)
}

// Filled returns a parameter with equal entries.
func Filled(name string, rows, cols int, v mat.Real) *ad.Param {
	m := mat.New(rows, cols)
	mat.Fill(m, v)
	return ad.NewParam(name, m)
}

// Hash returns the number of a name.
func Hash(name string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(name))
	return h.Sum64()
}
