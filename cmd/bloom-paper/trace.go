package main

import (
	"context"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/descent"
	"github.com/bloomgml/bloom/energy"
	"github.com/bloomgml/bloom/input"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/task/node"
)

// lowerOf is the lower level of a task in evaluation mode, with π(X; W) computed once.
func lowerOf(t *node.Task) *energy.Lower {
	l := t.Stack.Levels[0].Lower(input.Evaluation(), t.On)
	if !l.Pi.IsZero() {
		l.Pi = ad.Const(ad.Eval(l.Pi))
	}
	return l
}

// trace takes steps of a on l from h0, n×d, and shows H before the first and after every one. One step is compiled and
// replayed, so that a thousand cost no memory. The algorithm must not look at the number of the layer: not Adam, not
// FISTA.
func trace(ctx context.Context, a descent.Algorithm, l *energy.Lower, h0 *mat.Dense, steps int,
	see func(step int, h *mat.Dense) error) error {
	h := mat.New(h0.Rows(), h0.Cols())
	mat.Copy(h, h0)
	from := descent.State{H: ad.Input(h)}
	memory := []*mat.Dense{h}
	for _, s := range a.Start(from.H).S {
		m := mat.New(s.Shape().Rows, s.Shape().Cols) // at rest
		memory, from.S = append(memory, m), append(from.S, ad.Input(m))
	}
	to := descent.Guard(l, from, a.Step(l, from))
	next := append([]ad.Var{to.H}, to.S...)
	prog := ad.Compile(next...)
	for step := range steps + 1 {
		if err := see(step, h); err != nil || step == steps {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := prog.Run(); err != nil {
			return err
		}
		for i, m := range memory {
			mat.Copy(m, prog.Value(next[i]))
		}
	}
	return nil
}

// onHost copies a matrix to the host, row by row.
func onHost(m *mat.Dense) []float64 {
	buf := make([]mat.Real, m.Len())
	m.Read(buf)
	out := make([]float64, len(buf))
	for i, v := range buf {
		out[i] = float64(v)
	}
	return out
}
