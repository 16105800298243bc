package bloom

import (
	"slices"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/descent"
	"github.com/bloomgml/bloom/input"
	"github.com/bloomgml/bloom/upper"
)

// Stack is a chain of models. Level k descends on its own energy, whose features are the output of the levels before
// it:
//
//	H₀ = in(X)    Z_k = norm_k(H_{k−1})    Y_k = L_k steps of A_k on ℓ_k(·; π_k(Z_k))    H_k = out_k(Y_k) [+ H_{k−1}]
//
// and ℓ_up is a function of g(H_K; Θ). It is one sweep of block coordinate descent on Σ_k ℓ_k(Y_k; π_k(Z_k)): every
// level has its own certified step, energies, residuals and adjoint. One level without in, norm, out and residual is
// Model itself, to the bit.
type Stack struct {
	In     input.Model // nil means that H₀ is X
	Levels []Level
	Up     upper.Loss // ℓ_up with its head g
}

// Level is a model in a stack; its Up is ignored.
type Level struct {
	Model
	Norm     *input.NormLayer // nil means none
	Out      input.Model      // nil means that H is Y
	Residual bool             // add what the level was given, which must be as wide as what it gives
}

// Alone returns the stack of one level.
func (m *Model) Alone() *Stack { return &Stack{Levels: []Level{{Model: *m}}, Up: m.Up} }

// enter returns d with H₀ instead of X.
func (s *Stack) enter(c input.Context, d Data) Data {
	if s.In == nil {
		return d
	}
	return Data{On: d.On, X: input.Of(s.In.Forward(c, d.X))}
}

// before returns d with Z instead of H.
func (l *Level) before(c input.Context, d Data) Data {
	if l.Norm == nil {
		return d
	}
	return Data{On: d.On, X: input.Of(l.Norm.Forward(c, d.X.Var()))}
}

// after returns d with the output of the level, computed from y, instead of its input.
func (l *Level) after(c input.Context, d Data, y ad.Var) Data {
	if l.Out != nil {
		y = l.Out.Forward(c, input.Of(y))
	}
	if l.Residual {
		y = d.X.Var().Add(y)
	}
	return Data{On: d.On, X: input.Of(y)}
}

// pass returns d with the output of the level instead of its input.
func (l *Level) pass(c input.Context, d Data) (Data, error) {
	y, err := l.Embed(c, l.before(c, d))
	if err != nil {
		return Data{}, err
	}
	return l.after(c, d, y), nil
}

// climb returns d with H_K instead of H_k, after k levels.
func (s *Stack) climb(c input.Context, d Data, k int) (Data, error) {
	for i := range s.Levels[k:] {
		var err error
		if d, err = s.Levels[k+i].pass(c, d); err != nil {
			return Data{}, err
		}
	}
	return d, nil
}

// Totals returns Σ_k ℓ_k where the descents begin and where they end, 1×1, without η.
func (s *Stack) Totals(c input.Context, d Data) (start, end ad.Var, err error) {
	d = s.enter(c, d)
	for i := range s.Levels {
		k := &s.Levels[i]
		on := k.before(c, d)
		l := k.Lower(c, on)
		y, err := k.Embed(c, on)
		if err != nil {
			return ad.Var{}, ad.Var{}, err
		}
		from, to := l.Total(l.Feasible(l.Pi)), l.Total(y)
		if i == 0 {
			start, end = from, to
		} else {
			start, end = start.Add(from), end.Add(to)
		}
		d = k.after(c, d, y)
	}
	return start, end, nil
}

// Certify asks, while s is trained on d, whether the fixed step sizes of all levels are still certified; see
// descent.Certify. watched is false if no parameter can make a step too long.
func (s *Stack) Certify(d Data) (check func() (watched bool, err error), err error) {
	var all []func() error
	c := input.Evaluation()
	d = s.enter(c, d)
	for i := range s.Levels {
		k := &s.Levels[i]
		if f := descent.Certify(k.algorithm(), k.Lower(c, k.before(c, d))); f != nil {
			all = append(all, f)
		}
		var err error
		if d, err = k.pass(c, d); err != nil {
			return nil, err
		}
	}
	return func() (bool, error) {
		for _, certified := range all {
			if err := certified(); err != nil {
				return true, err
			}
		}
		return len(all) > 0, nil
	}, nil
}

// Embed returns H_K, n×d. The error comes from descent.Check: an algorithm that does not suit an energy.
func (s *Stack) Embed(c input.Context, d Data) (ad.Var, error) {
	top, err := s.climb(c, s.enter(c, d), 0)
	return top.X.Var(), err
}

// Predict returns g(H_K; Θ) if the loss is upper.Supervised, otherwise H_K.
func (s *Stack) Predict(c input.Context, d Data) (ad.Var, error) {
	if m, ok := s.alone(); ok {
		return m.Predict(c, d)
	}
	h, err := s.Embed(c, d)
	if err != nil {
		return ad.Var{}, err
	}
	return s.Head(c, h), nil
}

// alone returns the only level with ℓ_up, if nothing is around it.
func (s *Stack) alone() (*Model, bool) {
	if len(s.Levels) != 1 || s.In != nil {
		return nil, false
	}
	l := s.Levels[0]
	l.Up = s.Up
	return &l.Model, l.Norm == nil && l.Out == nil && !l.Residual
}

// Head applies g of a supervised stack; for other stacks it returns h unchanged.
func (s *Stack) Head(c input.Context, h ad.Var) ad.Var { return head(s.Up, c, h) }

// Loss returns ℓ_up, 1×1: what training minimises.
func (s *Stack) Loss(c input.Context, d Data) (ad.Var, error) {
	y, err := s.Predict(c, d)
	if err != nil {
		return ad.Var{}, err
	}
	return loss(s.Up, c, y), nil
}

// Params returns all trained parameters, from below: in, then of every level norm, π, terms, A and out, and Θ. What
// levels share is there once.
func (s *Stack) Params() []*ad.Param {
	var ps []*ad.Param
	for _, part := range s.parts() {
		for _, p := range part.Params() {
			if !slices.Contains(ps, p) {
				ps = append(ps, p)
			}
		}
	}
	return ps
}

// State returns what is kept besides the parameters, such as running statistics.
func (s *Stack) State() []*ad.Param {
	var ps []*ad.Param
	for _, part := range s.parts() {
		if m, ok := part.(*Model); ok {
			part = m.Pi
		}
		if x, ok := part.(input.Stateful); ok {
			ps = append(ps, x.State()...)
		}
	}
	return ps
}

// parametric is a part of a stack.
type parametric interface{ Params() []*ad.Param }

// parts returns all of a stack that may have parameters, from below.
func (s *Stack) parts() []parametric {
	var list []parametric
	if s.In != nil {
		list = append(list, s.In)
	}
	for i := range s.Levels {
		m := s.Levels[i].Model
		m.Up = nil
		list = append(list, s.Levels[i].Norm, &m)
		if s.Levels[i].Out != nil {
			list = append(list, s.Levels[i].Out)
		}
	}
	if s.Up != nil {
		list = append(list, s.Up)
	}
	return list
}
