package bloom

import (
	"fmt"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/input"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/upper"
)

// Placed is a level of a stack on a graph, in evaluation: a separate model whose features are the output of the
// levels before it and whose head is everything after it. The methods of Model therefore describe this level.
type Placed struct {
	*Model
	On Data
}

// Place returns the levels on d, from below.
func (s *Stack) Place(d Data) ([]Placed, error) {
	if m, ok := s.alone(); ok {
		return []Placed{{m, d}}, nil
	}
	c := input.Evaluation()
	at := s.enter(c, d)
	given := make([]ad.Var, len(s.Levels))
	for k := range s.Levels {
		given[k] = at.X.Var()
		var err error
		if at, err = s.Levels[k].pass(c, at); err != nil {
			return nil, err
		}
	}
	prog := ad.Compile(given...)
	if err := prog.Run(); err != nil {
		return nil, err
	}
	list := make([]Placed, len(given))
	for k, h := range given {
		list[k] = s.place(k, Data{On: d.On, X: input.Dense(prog.Value(h))})
	}
	return list, nil
}

// place returns level k on d, which holds H_k as it is given.
func (s *Stack) place(k int, d Data) Placed {
	l := s.Levels[k]
	if up, ok := s.Up.(upper.Supervised); ok {
		up.Head = rest{s, k, d}
		l.Up = up
	}
	return Placed{&l.Model, l.before(input.Evaluation(), d)}
}

// rest is everything above the descent of level k as a head.
type rest struct {
	of    *Stack
	k     int
	given Data // what the level was given
}

var _ upper.Head = rest{}

func (rest) Params() []*ad.Param            { return nil }
func (rest) Affine() (w, b ad.Var, ok bool) { return ad.Var{}, ad.Var{}, false }

// Predict passes y through the levels above. Their algorithms suit them: Place has checked.
func (r rest) Predict(c input.Context, y ad.Var) ad.Var {
	top, err := r.of.climb(c, r.of.Levels[r.k].after(c, r.given, y), r.k+1)
	if err != nil {
		panic(err)
	}
	return r.of.Head(c, top.X.Var())
}

// Evidence runs the descents on d, plus one more step each, and returns the evidence of every level, from below.
func (s *Stack) Evidence(d Data) ([]Evidence, error) {
	levels, err := s.Place(d)
	if err != nil {
		return nil, err
	}
	list := make([]Evidence, len(levels))
	for k, l := range levels {
		if list[k], err = l.Evidence(l.On); err != nil {
			return nil, fmt.Errorf("level %d: %w", k+1, err)
		}
	}
	return list, nil
}

// Settled is a level with the rows that its descent found for all nodes.
type Settled struct {
	Placed
	Y *mat.Dense // n×d
}

// Settle returns every level on d with what its descent finds, from below.
func (s *Stack) Settle(d Data) ([]Settled, error) {
	levels, err := s.Place(d)
	if err != nil {
		return nil, err
	}
	list, outs := make([]Settled, len(levels)), make([]ad.Var, len(levels))
	for k, l := range levels {
		list[k].Placed = l
		if outs[k], err = l.Embed(input.Evaluation(), l.On); err != nil {
			return nil, err
		}
	}
	prog := ad.Compile(outs...)
	if err := prog.Run(); err != nil {
		return nil, err
	}
	for k := range list {
		list[k].Y = prog.Value(outs[k])
	}
	return list, nil
}
