package energy

import "github.com/bloomgml/bloom/mat"

// Step is the fused step that computes ρ′, where there is one: ρ′ is factor times the φ of kind.
func (p Penalty) Step() (kind mat.StepKind, factor float64, ok bool) { return p.phi, p.half, p.fuse }
