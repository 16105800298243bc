package node

import (
	"fmt"

	"github.com/bloomgml/bloom"
	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/input"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/recipe"
	"github.com/bloomgml/bloom/train"
)

// stack builds the levels above in, all of them dim columns wide:
//
//	Z = norm(H)      π(Z) = Z W + b      out(Y) = dropout(relu(norm(Y))) W + b
//
// where the first norm is layer norm and the second batch norm; at most one of them is used.
func (t *Task) stack(in input.Model, dim int) error {
	if t.Config.Energy.Eta == recipe.Range {
		return &train.BadSetting{Key: "energy.eta", Value: "range",
			Want: "another η if stack.levels is above 1: the features of a level are not constant"}
	}
	s := &bloom.Stack{In: in}
	for k := range t.Config.Stack.Levels {
		l, err := t.level(k, dim)
		if err != nil {
			return err
		}
		s.Levels = append(s.Levels, l)
	}
	t.Stack = s
	return nil
}

// level returns level k, from 0; the names of its parameters begin with its number, from 1.
func (t *Task) level(k, dim int) (bloom.Level, error) {
	c, seed, prefix := t.Config, t.Trial.Seed, fmt.Sprintf("level.%d.", k+1)
	l := bloom.Level{Residual: c.Stack.Residual}
	lead := input.NoNorm
	switch norm := normOf(c.Stack.Norm); norm {
	case input.LayerNorm:
		l.Norm = input.NewNorm(norm, prefix+"norm", dim)
		l.Norm.Fused = true
	default:
		lead = norm
	}
	out, err := input.NewMLP(input.MLP{Name: prefix + "out", Sizes: []int{dim, dim}, Lead: true, Norm: lead,
		Dropout: c.Model.Dropout, Seed: seed})
	if err != nil {
		return l, err
	}
	l.Out = out
	p := t.at(dim)
	p.Prefix, p.Seed = prefix, mat.Mix(seed, uint64(k+1))
	p.X = ad.Fill(mat.Shape{Rows: t.On.On.Graph.NumNodes(), Cols: dim}, 0) // what it is given: its width alone is read
	m, err := t.model(input.NewLinear(prefix+"pi", dim, dim, seed), p)
	if err != nil {
		return l, err
	}
	xavier(append(m.Pi.Params(), out.Params()...), seed)
	l.Model = *m
	return l, nil
}

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
	return &Encoder{Config: c, Data: t.Data, Stack: t.Stack, On: t.On, Dim: dim, Warnings: checkInputs(t.Data)}, nil
}
