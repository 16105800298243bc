//go:build arm64 && !noasm && !f64

package kernel

// Calls of the assembly by name, not through a table: the arguments stay on the stack.

// step is Step on the rows of s.
func (s *sweepArgs) step(phi Phi) {
	switch phi {
	case PhiSquare:
		stepSquareNEON(s.bytes())
	case PhiHuber:
		stepHuberNEON(s.bytes())
	default:
		stepLogCoshNEON(s.bytes())
	}
}

// stepVJP is StepVJP on the rows of s.
func (s *sweepArgs) stepVJP(phi Phi) {
	switch phi {
	case PhiSquare:
		stepVJPSquareNEON(s.bytes())
	case PhiHuber:
		stepVJPHuberNEON(s.bytes())
	default:
		stepVJPLogCoshNEON(s.bytes())
	}
}

// forward is a step of a Descent on the rows of s.
func (s *sweepArgs) forward(phi Phi) {
	switch phi {
	case PhiSquare:
		forwardSquareNEON(s.bytes())
	case PhiHuber:
		forwardHuberNEON(s.bytes())
	default:
		forwardLogCoshNEON(s.bytes())
	}
}

// run calls the assembly.
func (s *sweepArgs) run(body sweepBody, phi Phi) {
	switch back := body == sweepBackward; {
	case body == sweepBegin:
		beginNEON(s.bytes())
	case back && phi == PhiSquare:
		backwardSquareNEON(s.bytes())
	case back && phi == PhiHuber:
		backwardHuberNEON(s.bytes())
	case back:
		backwardLogCoshNEON(s.bytes())
	case phi == PhiSquare:
		finishSquareNEON(s.bytes())
	case phi == PhiHuber:
		finishHuberNEON(s.bytes())
	default:
		finishLogCoshNEON(s.bytes())
	}
}
