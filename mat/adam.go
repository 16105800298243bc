package mat

import (
	"fmt"

	"github.com/bloomgml/bloom/internal/kernel"
)

// AdamConfig holds the rates of Adam. Decoupled makes it AdamW.
type AdamConfig = kernel.AdamConfig

// Adam moves w against grad, with the moments m and v and step number t = 1, 2, …
func Adam(w, m, v, grad *Dense, c AdamConfig, t int) {
	for _, x := range [...]*Dense{m, v, grad} {
		mustEqual("Adam", x.shape, w.shape)
	}
	if t < 1 {
		panic(fmt.Sprintf("mat: Adam: step number %d; the first is 1", t))
	}
	mustShare("Adam", w.dev, m, v, grad)
	w.dev.Adam(w, m, v, grad, c, t)
}

// Uniform fills dst with numbers from [lo, hi): entry i is a function of seed and i alone.
func Uniform(dst *Dense, lo, hi Real, seed uint64) { dst.dev.Uniform(dst, lo, hi, seed) }

// Normal fills dst with numbers from N(mean, sd²): entry i is a function of seed and i alone.
func Normal(dst *Dense, mean, sd Real, seed uint64) { dst.dev.Normal(dst, mean, sd, seed) }

// Mix derives from a seed and a counter (epoch, layer, parameter) an independent seed.
func Mix(seed, counter uint64) uint64 { return kernel.Mix(seed, counter) }
