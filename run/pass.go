package run

import (
	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/input"
	"github.com/bloomgml/bloom/mat"
)

// Pass is ℓ_up of a batch with its derivatives: written down once, and run for every batch without an allocation.
type Pass struct {
	Program *ad.Program
	Clock   *ad.Clock // of dropout

	loss    ad.Var
	grads   []*mat.Dense // where the program leaves them
	updates *input.Updates
}

// NewPass writes down a loss, 1×1, and its derivatives to params. Dropout is drawn by seed.
func NewPass(seed uint64, params []*ad.Param, loss func(input.Context) (ad.Var, error)) (*Pass, error) {
	p := &Pass{Clock: &ad.Clock{Seed: seed}}
	c := input.Training(p.Clock)
	var err error
	if p.loss, err = loss(c); err != nil {
		return nil, err
	}
	p.updates = c.Updates
	var vars []ad.Var
	for _, w := range params {
		vars = append(vars, w.Var)
	}
	grads := ad.Grad(p.loss, vars...)
	p.Program = ad.Compile(append(append([]ad.Var{p.loss}, grads...), p.updates.Outputs()...)...)
	for _, g := range grads {
		p.grads = append(p.grads, p.Program.Value(g))
	}
	return p, nil
}

// Run is a batch of an epoch; tick, a number of its own for every batch, is what dropout draws by. Running statistics
// follow where the loss is a number. The error is a *NotFinite.
func (p *Pass) Run(epoch int, tick uint64) error {
	p.Clock.Epoch = tick
	if err := p.Program.Run(); err != nil {
		return &NotFinite{Epoch: epoch, What: "a step of the descent", Err: err}
	}
	if p.Loss().CheckFinite() == nil {
		p.updates.Apply(p.Program)
	}
	return nil
}

// Loss is the loss of the last batch, 1×1; the next Run overwrites it.
func (p *Pass) Loss() *mat.Dense { return p.Program.Value(p.loss) }

// Grads are its derivatives, in the order of the parameters.
func (p *Pass) Grads() []*mat.Dense { return p.grads }
