package recipe

import (
	"errors"
	"fmt"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/energy"
	"github.com/bloomgml/bloom/mat"
)

// Eta is η. Its text is η, and its prox, in which %s is the point at which it is evaluated.
type Eta interface {
	Constraint(*Place) (energy.Constraint, error)
	Text() (eta, prox string)
}

// The constraints about data: labelled nodes keep their label, and columns of H are combinations of features.
var (
	Clamp Eta = clamp{}
	Range Eta = inRange{}
)

// always is an η that is the same everywhere, a constraint of package energy.
type always struct {
	Eta energy.Constraint `key:"{inline}"`
}

func (e always) Constraint(*Place) (energy.Constraint, error) { return e.Eta, nil }

// Text describes the constraint.
func (e always) Text() (eta, prox string) {
	if t, ok := e.Eta.(energy.ExplainedConstraint); ok {
		return t.Text()
	}
	return fmt.Sprintf("%T", e.Eta), "prox(%s)"
}

// clamp is I∞[h_v ≠ y_v] for labelled nodes.
type clamp struct{}

func (clamp) Constraint(p *Place) (energy.Constraint, error) {
	if p.Labels.IsZero() {
		return nil, errors.New("η clamps labels, and there are none")
	}
	known, err := mat.NewIndex(p.Known, p.On.Graph.NumNodes())
	if err != nil {
		return nil, err
	}
	return energy.Clamp(p.Known, p.On.Graph.NumNodes(), ad.Eval(p.Labels.Gather(known)))
}

// Text has the prox that overwrites rows.
func (clamp) Text() (eta, prox string) {
	return "I∞[h_v ≠ y_v] where there is a label y_v", "y_v where there is a label, else %s"
}

// inRange is I∞[H ∉ range(X)].
type inRange struct{}

func (inRange) Constraint(p *Place) (energy.Constraint, error) { return energy.Range(ad.Eval(p.X)) }

// Text has the projection P_X.
func (inRange) Text() (eta, prox string) {
	return "I∞[H ∉ range(X)], for all of H", "row v of P_X z, z = %s"
}

// Placeless reports whether a Node or an Eta can be built at the zero Place: it asks for no labels, no features and no
// query.
func Placeless(part any) bool {
	switch part.(type) {
	case labelled, pathNodes, receivedNodes, pooled, clamp, inRange:
		return false
	}
	return true
}
