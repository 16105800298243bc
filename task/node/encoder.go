package node

import (
	"github.com/bloomgml/bloom"
	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/train"
)

// Encoder is the network of a config up to its embeddings H⁽ᴸ⁾, for tasks that are not about single nodes.
type Encoder struct {
	Config   config.Config    // empty strings and counts filled in
	Data     *dataset.Dataset // features scaled and, if requested, corrupted
	Stack    *bloom.Stack     // without ℓ_up
	On       bloom.Data       // d with the graph that the energy is meant for
	Dim      int              // d, the columns of H
	Warnings []string         // what is odd about the data, one sentence each
}

// NewEncoder makes the encoder of c on d, its parameters drawn by seed and not trained. The error is a
// *train.BadSetting or a *train.BadData.
func NewEncoder(c config.Config, d *dataset.Dataset, seed uint64) (*Encoder, error) {
	c, err := filled(c)
	if err != nil {
		return nil, err
	}
	if c.Energy == nil || c.Energy.FromLabels() {
		return nil, &train.BadSetting{Key: "recipe", Value: c.Recipe,
			Want: "one whose energy depends on features, such as base: links are scored by embeddings"}
	}
	t := &Task{Config: c, Trial: train.Trial{Seed: seed}}
	if t.Data, err = ready(c.Data, d, seed); err != nil {
		return nil, err
	}
	if err := t.descend(); err != nil {
		return nil, err
	}
	dim := c.Model.Hidden
	if features := t.On.X.Shape().Cols; c.Model.Before == 0 && features > 0 {
		dim = features
	}
	if err := t.encode(dim); err != nil {
		return nil, err
	}
	return &Encoder{Config: c, Data: t.Data, Stack: t.Stack, On: t.On, Dim: dim,
		Warnings: checkInputs(t.Data)}, nil
}
