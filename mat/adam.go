package mat

import (
	"fmt"

	"github.com/bloomgml/bloom/internal/kernel"
)

// AdamConfig holds the rates of Adam. Decay is the weight decay: added to the gradient (Adam with L2), or taken from
// the weights where Decoupled (AdamW).
type AdamConfig struct {
	Rate, Beta1, Beta2, Eps, Decay Real
	Decoupled                      bool
}

// Adam moves w against grad, with the moments m and v and step number t = 1, 2, …
func Adam(w, m, v, grad *Dense, c AdamConfig, t int) {
	mustMove(w, m, v, grad, t)
	w.dev.Adam(w, m, v, grad, c, t)
}

// mustMove panics if the operands of Adam do not fit each other.
func mustMove(w, m, v, grad *Dense, t int) {
	mustMatch("Adam", w, m, v, grad)
	if t < 1 {
		panic(fmt.Sprintf("mat: Adam: step number %d; the first is 1", t))
	}
}

// Moved is a matrix that Adam moves, with its moments, its gradient and the weight decay of it alone.
type Moved struct {
	W, M, V, Grad *Dense
	Decay         Real
}

// AdamAll is Adam of every matrix of a list, with its own decay instead of c's. All are on one device.
func AdamAll(list []Moved, c AdamConfig, t int) {
	if many := together(list, t); many != nil {
		many.AdamAll(list, c, t)
		return
	}
	for _, x := range list {
		c.Decay = x.Decay
		Adam(x.W, x.M, x.V, x.Grad, c, t)
	}
}

// together returns the device of a list that moves all of it at once; nil for one that does not.
func together(list []Moved, t int) Crowd {
	if len(list) == 0 {
		return nil
	}
	dev := list[0].W.dev
	many, _ := dev.(Crowd)
	for _, x := range list {
		mustMove(x.W, x.M, x.V, x.Grad, t)
		mustShare("AdamAll", dev, x.W)
	}
	return many
}

// Uniform fills dst with numbers from [lo, hi): entry i is a function of seed and i alone.
func Uniform(dst *Dense, lo, hi Real, seed uint64) { dst.dev.Uniform(dst, lo, hi, seed) }

// Normal fills dst with numbers from N(mean, sd²): entry i is a function of seed and i alone.
func Normal(dst *Dense, mean, sd Real, seed uint64) { dst.dev.Normal(dst, mean, sd, seed) }

// Mix derives from a seed and a counter (epoch, layer, parameter) an independent seed.
func Mix(seed, counter uint64) uint64 { return kernel.Mix(seed, counter) }
