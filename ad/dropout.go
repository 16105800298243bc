package ad

import (
	"sync"

	"github.com/bloomgml/bloom/mat"
)

// Clock is the state of random operations: the same seed and epoch give the same numbers, in any order and on any
// number of threads. Set it between runs.
type Clock struct {
	Seed, Epoch uint64
	Beside      *Clock // if not nil, its Epoch is used instead of this one's

	setting sync.Mutex
	seed    *mat.Seed // Mix(Seed, Epoch) as of shown
	shown   uint64
}

// set takes the present time over to the device.
func (c *Clock) set() {
	c.setting.Lock()
	defer c.setting.Unlock()
	epoch := c.Epoch
	if c.Beside != nil {
		epoch = c.Beside.Epoch
	}
	if now := mat.Mix(c.Seed, epoch); c.seed == nil || c.shown != now {
		if c.seed == nil {
			c.seed = mat.NewSeed()
		}
		c.seed.Set(now)
		c.shown = now
	}
}

// dropout sets entries to zero with probability p.
type dropout struct {
	p     mat.Real
	clock *Clock
	site  uint64
}

func (dropout) timed() bool                       { return true }
func (dropout) Name() string                      { return "dropout" }
func (dropout) InPlace() int                      { return 1 }
func (dropout) Shapes(in []mat.Shape) []mat.Shape { return in }
func (o dropout) VJP(in, out, g []Var) []Var      { return []Var{apply1(o, g[0])} }
func (o dropout) Eval(out, in []*mat.Dense) {
	mat.Dropout(out[0], in[0], o.p, o.clock.seed, o.site)
}

// Dropout returns v with every entry set to 0 with probability p and divided by 1−p otherwise. The choice
// is a function of the clock, of site, which tells the places of a model apart, and of the position.
func (v Var) Dropout(p float64, clock *Clock, site uint64) Var {
	if p == 0 {
		return v
	}
	return apply1(dropout{mat.Real(p), clock, site}, v)
}
