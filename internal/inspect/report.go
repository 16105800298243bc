package inspect

import (
	"context"
	"errors"
	"fmt"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/descent"
	"github.com/bloomgml/bloom/energy"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/recipe"
)

// Options of an inspection.
type Options struct {
	Nodes int // at least 2
	Steps int // negative means the number of layers of the recipe
	Seed  uint64
}

// Report is the result of an inspection. The keys are stable.
type Report struct {
	Recipe   string   `json:"recipe"`
	Summary  string   `json:"summary,omitempty"`
	Source   string   `json:"source,omitempty"`
	Formula  Formula  `json:"formula"`
	Layer    Layer    `json:"layer"`
	Graph    Graph    `json:"graph"`
	RealBits int      `json:"real_bits"`
	Gradient Gradient `json:"gradient"`
	Bound    Bound    `json:"bound"`
	Descent  string   `json:"descent"`
	Trace    []Step   `json:"steps"`
	Levels   []Level  `json:"levels,omitempty"` // of a stack, from below
}

// Level says how far a level of a stack descends.
type Level struct {
	Level    int       `json:"level"`  // from 1
	Energy   []float64 `json:"energy"` // after 0, 1, … steps
	Drop     float64   `json:"drop"`
	Residual float64   `json:"residual"` // how far one more step would move, relative to H
}

// Formula is the energy.
type Formula struct {
	F     []string `json:"f"`
	Kappa []string `json:"kappa"`
	Eta   string   `json:"eta"`
	Where []string `json:"where"`
}

// Layer describes the layer that follows from the energy and the algorithm.
type Layer struct {
	Message   []string `json:"message"` // to the target of an edge
	Inverse   []string `json:"inverse"` // and back to its source
	Aggregate []string `json:"aggregate"`
	Update    []string `json:"update"`
	Where     []string `json:"where"`
}

// Graph is the random graph.
type Graph struct {
	Nodes     int    `json:"nodes"`
	Edges     int    `json:"edges"`
	Relations int    `json:"relations"`
	Dim       int    `json:"dim"`
	Seed      uint64 `json:"seed"`
	Kind      string `json:"kind"`
}

// Bound is the maximum length of a step.
type Bound struct {
	Gamma  float64 `json:"gamma"`      // the largest γ that is certified not to raise the energy; 0 if none is
	Convex bool    `json:"convex_eta"` // whether η is convex, which allows steps of twice the length
	// the term that has no bound; none if no bound can be, as nodes hold what they receive
	Term   string `json:"term,omitempty"`
	Advice string `json:"advice,omitempty"`
}

// Step is the energy after a number of steps.
type Step struct {
	Step   int     `json:"step"`
	Energy float64 `json:"energy"`
	F      float64 `json:"f"` // with terms on all of H at once
	Kappa  float64 `json:"kappa"`
	Eta    float64 `json:"eta"`
}

// Run inspects a recipe. If the descent fails, the Report is complete except for its steps, and comes with the error;
// Run stops between steps when ctx is done.
func Run(ctx context.Context, r *recipe.Recipe, o Options) (*Report, error) {
	w, err := newWorld(r, o.Nodes, o.Seed)
	if err != nil {
		return nil, err
	}
	l, err := r.Lower(w.place)
	if err != nil {
		return nil, err
	}
	h0, err := StartOf(l, w.start)
	if err != nil {
		return nil, err
	}
	return At(ctx, Subject{Recipe: r, Lower: l, Held: l, Start: h0, Graph: w.graph}, o)
}

// StartOf returns where training starts too: the point next to h at which η is finite, as a copy.
func StartOf(l *energy.Lower, h ad.Var) (*mat.Dense, error) {
	h0 := l.Feasible(h)
	prog := ad.Compile(h0)
	if err := prog.Run(); err != nil {
		return nil, err
	}
	return clone(prog.Value(h0)), nil
}

// Subject is an energy on a graph.
type Subject struct {
	Recipe *recipe.Recipe // describes the parts
	Lower  *energy.Lower
	Held   *energy.Lower // what finite differences are taken of; Lower itself where nothing is held
	Start  *mat.Dense    // H⁰
	Graph  Graph
}

// At inspects a subject.
func At(ctx context.Context, s Subject, o Options) (rep *Report, err error) {
	r, l, h0 := s.Recipe, s.Lower, clone(s.Start)
	rep = &Report{Recipe: r.Name, Summary: r.Summary, Source: r.Source, Graph: s.Graph, RealBits: realBits()}
	rep.Formula, rep.Layer = Describe(r)
	rep.Descent = r.Update().Name
	if rep.Gradient, err = gradient(l, s.Held, normal(h0.Rows(), h0.Cols(), mat.Mix(o.Seed, 4))); err != nil {
		return nil, err
	}
	if rep.Bound, err = BoundOf(r, l, h0); err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	steps := o.Steps
	if steps < 0 {
		steps = r.L
	}
	rep.Trace, err = trace(ctx, r.A, l, h0, steps)
	return rep, err
}

func clone(m *mat.Dense) *mat.Dense { return mat.FromSlice(m.Rows(), m.Cols(), m.Slice()) }

func realBits() int { return 8 * mat.New(1, 1).Bytes() }

// BoundOf returns the largest certified γ, with the σ that the algorithm has at H⁰.
func BoundOf(r *recipe.Recipe, l *energy.Lower, h0 *mat.Dense) (Bound, error) {
	b := Bound{Convex: l.Eta == nil || l.Eta.Convex()}
	if l.Game() {
		b.Advice = "each node steps down its own part while what it receives is held, and no one function need fall"
		return b, nil
	}
	var none *energy.NoBound
	if _, err := l.Curvature(); errors.As(err, &none) {
		b.Term, b.Advice = none.Term, "use backtracking"
		return b, nil
	} else if err != nil {
		return b, err
	}
	sigma := ad.Number(1)
	if _, s := descent.Pace(r.A); s != nil {
		sigma = s.Sigma(l, ad.Input(h0))
	}
	gamma, err := l.Bound(sigma)
	if err != nil {
		return b, err
	}
	prog := ad.Compile(gamma)
	if err := prog.Run(); err != nil {
		return b, err
	}
	b.Gamma = float64(prog.Value(gamma).Item())
	switch _, s := descent.Pace(r.A); { // what the bound does not promise
	case s != nil && energy.NameOf(s) == "Softmax":
		b.Advice = "with σ as it is at H⁰"
	case r.A != descent.Proximal(descent.Pace(r.A)):
		b.Advice = "that is for plain steps; with " + r.Update().Name + " the energy may rise in between"
	}
	return b, nil
}

// trace returns the energy at H⁰ and after every step.
func trace(ctx context.Context, a descent.Algorithm, l *energy.Lower, h0 *mat.Dense, steps int) ([]Step, error) {
	if err := descent.Check(a, l); err != nil {
		return nil, err
	}
	s := a.Start(ad.Input(h0))
	hs := []ad.Var{s.H}
	for range steps {
		s = descent.Guard(l, s, a.Step(l, s))
		hs = append(hs, s.H)
	}
	prog := ad.Compile(hs...)
	if err := prog.Run(); err != nil {
		return nil, err
	}
	var list []Step
	for k, h := range hs {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		rep, err := l.Report(prog.Value(h))
		if err != nil {
			return list, fmt.Errorf("step %d: %w", k, err)
		}
		s := Step{Step: k, Energy: rep.Total, Eta: rep.Eta}
		for _, t := range append(rep.Edges, rep.Whole...) {
			s.F += t.Total
		}
		for _, t := range rep.Nodes {
			s.Kappa += t.Total
		}
		list = append(list, s)
	}
	return list, nil
}
