package inspect

import (
	"bytes"
	"errors"
	"fmt"
	"slices"

	"github.com/bloomgml/bloom"
	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/descent"
	"github.com/bloomgml/bloom/energy"
	"github.com/bloomgml/bloom/input"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/optim"
	"github.com/bloomgml/bloom/recipe"
	"github.com/bloomgml/bloom/upper"
)

// dim is d: a row of H is a point of the plane.
const dim = 2

// Session is a drawing with what was learnt about it.
type Session struct {
	drawing Drawing // as it is now
	recipe  *recipe.Recipe
	model   *bloom.Model
	x       *mat.Dense // the places, n×2
	data    bloom.Data
	known   int
	learner *learner
	epochs  int
	loss    float64
	film    *film
	bound   Bound
}

// learner is the upper level, compiled when it is first asked for.
type learner struct {
	prog      *ad.Program
	loss      ad.Var
	grads     []ad.Var
	values    []*mat.Dense
	optimizer *optim.Optimizer
	certify   func() error // of the steps, as C moves; nil where nothing has to be checked
}

// drawn is π of a drawing: x itself.
type drawn struct{}

var _ input.Model = drawn{}

// Forward returns x.
func (drawn) Forward(_ input.Context, x input.Features) ad.Var { return x.Var() }

// Params returns none.
func (drawn) Params() []*ad.Param { return nil }

// Open returns a session of a drawing. Parameters of before that fit are kept; it may be nil. If nodes have moved and
// nothing else has changed, it is before itself.
func Open(d Drawing, before *Session) (*Session, error) {
	if err := d.check(); err != nil {
		return nil, err
	}
	if before != nil && before.drawing.moved(d) {
		before.drawing = d
		before.x.Write(d.places())
		return before, before.shoot()
	}
	r, err := recipe.Read("energy", d.Energy)
	switch {
	case err != nil:
		return nil, err
	case r.L > MaxSteps:
		return nil, fmt.Errorf("%d steps are more than a page can show, which is %d", r.L, MaxSteps)
	case r.FromLabels() || r.FromQuery():
		return nil, errors.New("this energy depends on labels or queries, and nodes here have only the place where " +
			"they were drawn")
	}
	s := &Session{drawing: d, recipe: r}
	if err := s.build(); err != nil {
		return nil, err
	}
	if before != nil {
		s.keep(before)
	}
	return s, s.shoot()
}

// moved reports whether nothing but places differ.
func (d *Drawing) moved(to Drawing) bool {
	return d.Classes == to.Classes && slices.Equal(d.Edges, to.Edges) && bytes.Equal(d.Energy, to.Energy) &&
		slices.EqualFunc(d.Nodes, to.Nodes, func(a, b Node) bool { return a.Class == b.Class })
}

func (s *Session) build() error {
	on, err := s.drawing.graph()
	if err != nil {
		return err
	}
	classes, known := s.drawing.labels()
	s.x = mat.FromSlice(len(s.drawing.Nodes), dim, s.drawing.places())
	x := ad.Input(s.x)
	s.data, s.known = bloom.Data{On: on, X: input.Of(x)}, known.Len()
	terms, err := s.recipe.Terms(&recipe.Place{On: on, Dim: dim, Pi: x, X: x, Seed: 1})
	if err != nil {
		return err
	}
	s.model = &bloom.Model{Pi: drawn{}, F: terms.F, Kappa: terms.Kappa, Eta: terms.Eta, A: s.recipe.A, L: s.recipe.L,
		Up: upper.Supervised{Head: upper.NewLinear("head", dim, s.drawing.Classes, 1), Criterion: upper.CrossEntropy,
			Target: upper.Target{Class: classes, Pick: known}}}
	if err := descent.Check(s.recipe.A, s.lower()); err != nil {
		return err
	}
	s.film = s.compileFilm()
	return nil
}

// lower returns ℓ_low.
func (s *Session) lower() *energy.Lower { return s.model.Lower(input.Evaluation(), s.data) }

// keep takes the parameters of another session that have the same name and shape.
func (s *Session) keep(before *Session) {
	was := map[string]*mat.Dense{}
	for _, p := range before.model.Params() {
		was[p.Name] = p.Value()
	}
	for _, p := range s.model.Params() {
		if w := was[p.Name]; w != nil && w.Shape() == p.Value().Shape() {
			p.Value().Write(w.Slice())
		}
	}
	s.epochs = before.epochs
}

// Learn trains for some epochs by the labels.
func (s *Session) Learn(epochs int) error {
	if s.known == 0 {
		return errors.New("no node has a class yet: label one of each, and the borders between classes are learnt")
	}
	if s.learner == nil {
		if err := s.compile(); err != nil {
			return err
		}
	}
	l := s.learner
	for range epochs {
		if err := l.prog.Run(); err != nil {
			return err
		}
		for i, g := range l.grads {
			l.values[i] = l.prog.Value(g)
		}
		s.loss = float64(l.prog.Value(l.loss).Item())
		l.optimizer.Step(l.values, l.optimizer.Rate)
		s.epochs++
		if l.certify != nil {
			if err := l.certify(); err != nil {
				return err
			}
		}
	}
	return s.shoot()
}

// compile builds the loss and its derivatives.
func (s *Session) compile() (err error) {
	l := &learner{}
	if l.loss, err = s.model.Loss(input.Training(&ad.Clock{}), s.data); err != nil {
		return err
	}
	params, vars := s.model.Params(), []ad.Var{}
	for _, p := range params {
		vars = append(vars, p.Var)
	}
	l.grads = ad.Grad(l.loss, vars...)
	l.values = make([]*mat.Dense, len(l.grads))
	l.prog = ad.Compile(append(l.grads, l.loss)...)
	l.certify = descent.Certify(s.recipe.A, s.lower())
	if l.optimizer, err = optim.New(optim.Config{Rate: 0.05, Decay: 0.003}, params, nil); err != nil {
		return err
	}
	s.learner = l
	return nil
}
