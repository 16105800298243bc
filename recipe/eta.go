package recipe

import (
	"errors"
	"fmt"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/energy"
	"github.com/bloomgml/bloom/mat"
)

// Eta is η.
type Eta interface {
	Constraint(*Place) (energy.Constraint, error)
	Text() EtaText
}

// EtaText is a constraint for people.
type EtaText struct {
	Eta  string // η
	Prox string // its prox; %s is the point at which it is taken
}

// Of is an η that is the same at every place, a constraint of package energy.
type Of struct {
	Eta energy.Constraint `key:"+"`
}

// Constraint is the constraint itself.
func (e Of) Constraint(*Place) (energy.Constraint, error) { return e.Eta, nil }

// Text is what the constraint says of itself.
func (e Of) Text() EtaText {
	if t, ok := e.Eta.(interface{ Text() (eta, prox string) }); ok {
		eta, prox := t.Text()
		return EtaText{eta, prox}
	}
	return EtaText{fmt.Sprintf("%T", e.Eta), "prox(%s)"}
}

// Clamp is I∞[h_v ≠ y_v] for labelled nodes.
type Clamp struct{}

// Constraint holds what the place knows.
func (Clamp) Constraint(p *Place) (energy.Constraint, error) {
	if p.Labels.Y.IsZero() {
		return nil, errors.New("η clamps labels, and there are none")
	}
	known, err := mat.NewIndex(p.Known, p.On.Graph.NumNodes())
	if err != nil {
		return nil, err
	}
	return energy.Clamp(p.Known, p.On.Graph.NumNodes(), ad.Eval(p.Labels.Y.Gather(known)))
}

// Text has the prox that overwrites rows.
func (Clamp) Text() EtaText {
	return EtaText{"I∞[h_v ≠ y_v] where there is a label y_v", "y_v where there is a label, else %s"}
}

// Range is I∞[H ∉ range(X)].
type Range struct{}

// Constraint holds what the place knows.
func (Range) Constraint(p *Place) (energy.Constraint, error) { return energy.Range(ad.Eval(p.X)) }

// Text has the projection P_X.
func (Range) Text() EtaText {
	return EtaText{"I∞[H ∉ range(X)], for all of H", "row v of P_X z, z = %s"}
}
