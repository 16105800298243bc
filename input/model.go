package input

import (
	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/internal/random"
	"github.com/bloomgml/bloom/mat"
)

// Model is π: one row of embeddings per row of features.
type Model interface {
	Forward(c Context, x Features) ad.Var
	Params() []*ad.Param
}

// Stateful is a Model that keeps numbers that are not trained, like running statistics. They belong into
// a checkpoint.
type Stateful interface{ State() []*ad.Param }

// Context says how a model is run. The zero value is evaluation.
type Context struct {
	Training bool
	Clock    *ad.Clock // what dropout depends on; needed in training where there is dropout
	Updates  *Updates  // collects what training changes on the side; nil to leave that out
}

// Training returns the context of a training run.
func Training(clock *ad.Clock) Context {
	return Context{Training: true, Clock: clock, Updates: &Updates{}}
}

// Evaluation returns the context of an evaluation: nothing is random, and running statistics are used.
func Evaluation() Context { return Context{} }

// Drop applies dropout at the place of the given name; places with different names drop differently.
func (c Context) Drop(x ad.Var, p float64, place string) ad.Var {
	if !c.Training || p == 0 {
		return x
	}
	if c.Clock == nil {
		panic("input: dropout in training without a clock")
	}
	return x.Dropout(p, c.Clock, random.Hash(place))
}

// Updates are the side effects of training: values that replace others after a run.
type Updates struct{ list []update }

type update struct {
	of   *ad.Param
	rows *mat.Index // nil for all
	next ad.Var
}

// Follow makes next the value of some rows of a parameter after a run. rows must not have duplicates; nil means all
// rows.
func (u *Updates) Follow(of *ad.Param, rows *mat.Index, next ad.Var) {
	if u != nil {
		u.list = append(u.list, update{of, rows, next})
	}
}

// Outputs returns the new values, to be compiled with the loss.
func (u *Updates) Outputs() []ad.Var {
	vs := make([]ad.Var, len(u.list))
	for i, x := range u.list {
		vs[i] = x.next
	}
	return vs
}

// Apply copies the values of Outputs after a run to where they belong.
func (u *Updates) Apply(values []*mat.Dense) {
	for i, x := range u.list {
		if x.rows == nil {
			mat.Copy(x.of.Value(), values[i])
		} else {
			mat.Scatter(x.of.Value(), values[i], x.rows)
		}
	}
}

// Glorot returns a parameter with entries uniform in ±√(6/(rows + cols)): variances stay the same forwards and
// backwards (Glorot and Bengio 2010). It is a function of seed and name.
func Glorot(name string, rows, cols int, seed uint64) *ad.Param {
	return random.Uniform(name, rows, cols, random.Glorot(rows, cols), seed)
}
