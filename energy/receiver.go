package energy

// Receiver is a term in which a node takes what it receives as given: it reads Held, H̄ = H, where the derivative is
// 0. Each node then descends its own part of the energy while the others' are held, a game: the field that Lower.Grad
// returns has
//
//	row v = ∂/∂h_v of the terms of v, at h̄ = h
//
// and is the gradient of no function, unless a symmetry makes it one. Training derivatives go through H̄ as through H.
type Receiver interface{ Receives() }

// Game reports whether a term is a Receiver, so that Grad is the gradient of every node's own part and of no one
// function.
func (l *Lower) Game() bool {
	for _, f := range l.F {
		if receives(f) {
			return true
		}
	}
	for _, k := range l.Kappa {
		if receives(k) {
			return true
		}
	}
	return false
}

// receives reports whether a term, or the one that it wraps, is a Receiver.
func receives(term any) bool {
	switch t := term.(type) {
	case Receiver:
		return true
	case both:
		return receives(t.f)
	case majorizedBoth:
		return receives(t.f)
	case scaled:
		return receives(t.f)
	case majorizedScaled:
		return receives(t.f)
	case plainEdges:
		return receives(t.EdgeTerm)
	}
	return false
}
