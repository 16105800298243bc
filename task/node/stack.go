package node

import (
	"fmt"

	"github.com/bloomgml/bloom"
	"github.com/bloomgml/bloom/ad"
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
