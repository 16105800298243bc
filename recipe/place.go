package recipe

import (
	"errors"
	"fmt"
	"slices"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/descent"
	"github.com/bloomgml/bloom/energy"
	"github.com/bloomgml/bloom/mat"
)

// Edges says what graph a term is meant for.
type Edges uint8

// The kinds of edges.
const (
	Undirected Edges = iota // one relation, edges stored once
	Relations               // directed, several relations
	Inverses                // directed, every relation with its inverse as a relation of its own
	Signed                  // directed, several relations, with false edges
)

// Place is the context that the terms of a recipe are built for.
type Place struct {
	On     *energy.Structure
	Dim    int    // d, also the number of classes where there are labels
	Pi, X  ad.Var // π(x; W), n×d, and the features
	Labels ad.Var
	Known  []int32 // the labelled nodes
	Seed   uint64  // of the parameters
	Prefix string  // before the names of the parameters
	// TrainLambda makes λ of every edge term trained, through softplus, from its value.
	TrainLambda bool

	params  map[string]*ad.Param
	weights map[int]energy.Weight // the trained λ of the terms of f, by their place in it
	term    int                   // the term that Lower is building
}

// lambda returns λ of the edge term that is being built. A trained λ is made on first use: a recipe that is built
// twice at one place, for training and for evaluation, shares it.
func (p *Place) lambda(value float64) energy.Weight {
	if !p.TrainLambda {
		return energy.Fixed(value)
	}
	w, ok := p.weights[p.term]
	if !ok {
		name := "λ"
		if p.term > 0 {
			name = fmt.Sprintf("λ.%d", p.term)
		}
		w = energy.Trained(p.Prefix+name, value)
		if p.weights == nil {
			p.weights = map[int]energy.Weight{}
		}
		p.weights[p.term] = w
	}
	return w
}

// param returns the parameter of a name, made when first asked for: shared by all terms. It starts as diagonal·I plus
// numbers between −spread and spread.
func (p *Place) param(name string, rows, cols int, diagonal, spread float64) *ad.Param {
	if v, ok := p.params[name]; ok {
		return v
	}
	m := mat.New(rows, cols)
	mat.Uniform(m, mat.Real(-spread), mat.Real(spread), mat.Mix(p.Seed, uint64(100+len(p.params))))
	if diagonal != 0 {
		mat.Axpby(m, m, mat.Eye(rows), 1, mat.Real(diagonal))
	}
	if p.params == nil {
		p.params = map[string]*ad.Param{}
	}
	p.params[name] = ad.NewParam(p.Prefix+name, m)
	return p.params[name]
}

// stack is like param for n d×d matrices below each other.
func (p *Place) stack(name string, n int, diagonal, spread float64) *ad.Param {
	_, shared := p.params[name]
	v := p.param(name, n*p.Dim, p.Dim, 0, spread)
	if !shared {
		m := v.Value()
		mat.Axpby(m, m, energy.Identities(n, p.Dim), 1, mat.Real(diagonal))
	}
	return v
}

// relations returns |R|.
func (p *Place) relations() int { return p.On.Graph.NumRelations() }

// Edges returns the kind of graph that all terms of r are meant for; terms for undirected edges work on every graph.
func (r *Recipe) Edges() (Edges, error) {
	kind, by := Undirected, ""
	need := func(k Edges, text string) (err error) {
		switch {
		case k == Undirected || k == kind:
		case by != "":
			err = fmt.Errorf("terms %s and %s need different graphs", by, text)
		default:
			kind, by = k, text
		}
		return err
	}
	for _, f := range r.F {
		if err := need(f.Edges(), f.Text().F); err != nil {
			return 0, err
		}
	}
	for _, k := range r.Kappa {
		if t, ok := k.(interface{ Edges() Edges }); ok {
			if err := need(t.Edges(), k.Text().Kappa); err != nil {
				return 0, err
			}
		}
	}
	return kind, nil
}

// Lower returns ℓ_low at a place, its terms having been given the features there.
func (r *Recipe) Lower(p *Place) (*energy.Lower, error) {
	l, err := r.Terms(p)
	if err != nil {
		return nil, err
	}
	l.F = energy.Given(l.F, l.On, l.X)
	return l, nil
}

// Terms is Lower with the terms as a bloom.Model has them, which may be used on another graph.
func (r *Recipe) Terms(p *Place) (*energy.Lower, error) {
	if err := r.check(); err != nil {
		return nil, err
	}
	if r.FromQuery() && (p.X.IsZero() || p.X.Cols() != p.Dim) {
		return nil, errors.New("the node term of a path model is about a query, whose x has as many columns as h")
	}
	if p.X.IsZero() && slices.ContainsFunc(r.F, readsFeatures) {
		return nil, errors.New("an edge term reads the features of nodes, and there are none")
	}
	l := &energy.Lower{On: p.On, Pi: p.Pi, X: p.X}
	for i, f := range r.F {
		p.term = i
		l.F = append(l.F, f.Term(p))
	}
	for _, k := range r.Kappa {
		l.Kappa = append(l.Kappa, k.Term(p))
	}
	if r.Eta != nil {
		eta, err := r.Eta.Constraint(p)
		if err != nil {
			return nil, err
		}
		l.Eta = eta
	}
	return l, nil
}

// check finds parts that do not go together.
func (r *Recipe) check() error {
	_, sigma := descent.Pace(r.A)
	if r.Eta == Range && (sigma != nil || energy.NameOf(r.A) == "TWIRLS") {
		return errors.New("range(X) couples the nodes: it needs one step size for all, so no σ and no twirls")
	}
	_, err := r.Edges()
	return err
}

// readsFeatures reports whether a term is a function of the features too.
func readsFeatures(f Edge) bool {
	switch f.(type) {
	case bundle, mirrored, mapped, signed:
		return true
	}
	return false
}

// FromLabels reports whether the energy is about labels; H then starts from Ȳ instead of π(x; W).
func (r *Recipe) FromLabels() bool {
	return r.Eta == Clamp || slices.ContainsFunc(r.Kappa, func(k Node) bool { _, ok := k.(labelled); return ok })
}
