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

// Of is an η that is the same at every place: NonNegative, Box, Ball, UnitSphere or L1 of package energy.
type Of struct{ Eta energy.Constraint }

// Constraint is that of package energy.
func (e Of) Constraint(*Place) (energy.Constraint, error) { return e.Eta, nil }

// Text has the prox in closed form.
func (e Of) Text() EtaText {
	switch c := e.Eta.(type) {
	case energy.NonNegative:
		return EtaText{"I∞[h_v < 0]", "max(0, %s)"}
	case energy.Box:
		return EtaText{fmt.Sprintf("I∞[h_v ∉ [%g, %g]]", c.Lo, c.Hi), fmt.Sprintf("min(%g, max(%g, %%s))", c.Hi, c.Lo)}
	case energy.Ball:
		return EtaText{fmt.Sprintf("I∞[‖h_v‖ > %g]", c.R), fmt.Sprintf("z · min(1, %g/‖z‖), z = %%s", c.R)}
	case energy.UnitSphere:
		return EtaText{"I∞[‖h_v‖ ≠ 1]", "z/‖z‖, z = %s"}
	case energy.L1:
		return EtaText{fmt.Sprintf("%g ‖h_v‖₁", c.T), fmt.Sprintf("sign(z) max(0, |z| − %gγσ_v), z = %%s", c.T)}
	}
	return EtaText{fmt.Sprintf("%T", e.Eta), "prox(%s)"}
}

// Clamp is I∞[h_v ≠ y_v] for labelled nodes.
type Clamp struct{}

// Constraint is that of package energy.
func (Clamp) Constraint(p *Place) (energy.Constraint, error) {
	if p.Labels.Y.IsZero() {
		return nil, errors.New("η clamps labels, and there are none")
	}
	known, err := mat.NewIndex(p.Known, p.On.Graph.NumNodes())
	if err != nil {
		return nil, err
	}
	return energy.NewClamp(p.Known, p.On.Graph.NumNodes(), ad.Eval(p.Labels.Y.Gather(known)))
}

// Text has the prox that overwrites rows.
func (Clamp) Text() EtaText {
	return EtaText{"I∞[h_v ≠ y_v] where there is a label y_v", "y_v where there is a label, else %s"}
}

// Range is I∞[H ∉ range(X)].
type Range struct{}

// Constraint is that of package energy.
func (Range) Constraint(p *Place) (energy.Constraint, error) { return energy.NewRange(ad.Eval(p.X)) }

// Text has the projection P_X.
func (Range) Text() EtaText {
	return EtaText{"I∞[H ∉ range(X)], for all of H", "row v of P_X z, z = %s"}
}
