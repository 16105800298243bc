package train

import (
	"slices"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/input"
	"github.com/bloomgml/bloom/mat"
)

// Pass is ℓ_up of a batch with its derivatives: compiled once, and run for every batch without an allocation.
type Pass struct {
	Program *ad.Program
	Clock   *ad.Clock // of dropout

	values  []*mat.Dense // where the program leaves the loss, its derivatives, and what follows
	params  int
	updates *input.Updates
}

// NewPass writes down a loss, 1×1, and its derivatives to params. Dropout is drawn by seed. Passes that are given the
// same memory work in it in turn; nil means memory of its own.
func NewPass(memory *ad.Arena, seed uint64, params []*ad.Param,
	loss func(input.Context) (ad.Var, error)) (*Pass, error) {
	p := &Pass{Clock: &ad.Clock{Seed: seed}, params: len(params)}
	c := input.Training(p.Clock)
	p.updates = c.Updates
	var err error
	write := func([]ad.Var) []ad.Var {
		var y ad.Var
		if y, err = loss(c); err != nil {
			return nil
		}
		vars := make([]ad.Var, len(params))
		for i, w := range params {
			vars[i] = w.Var
		}
		return slices.Concat([]ad.Var{y}, ad.Grad(y, vars...), p.updates.Outputs())
	}
	var outputs []ad.Var
	if memory == nil {
		outputs = write(nil)
	} else if f := ad.NewFunc(memory, write); err == nil {
		outputs = f.Call()
	}
	if err != nil {
		return nil, err
	}
	p.Program = ad.Compile(outputs...)
	for _, v := range outputs {
		p.values = append(p.values, p.Program.Value(v))
	}
	return p, nil
}

// Run runs a batch of an epoch; tick, a number unique to the batch, seeds dropout. Running statistics are updated if
// the loss is finite. The error is a *NotFinite.
func (p *Pass) Run(epoch int, tick uint64) error {
	p.Clock.Epoch = tick
	if err := p.Program.Run(); err != nil {
		return &NotFinite{Epoch: epoch, What: "a step of the descent", Err: err}
	}
	if p.Loss().CheckFinite() == nil {
		p.updates.Apply(p.values[1+p.params:])
	}
	return nil
}

// Loss returns the loss of the last batch, 1×1; the next Run overwrites it.
func (p *Pass) Loss() *mat.Dense { return p.values[0] }

// Grads returns the derivatives of the loss, in the order of the parameters.
func (p *Pass) Grads() []*mat.Dense { return p.values[1 : 1+p.params] }
