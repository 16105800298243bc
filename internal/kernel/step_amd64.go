//go:build amd64 && !noasm && !f64

package kernel

// Calls of the assembly by name, not through a table: the arguments stay on the stack.

// step is Step on the rows of s.
func (s *sweepArgs) step(phi Phi) {
	switch level := Active(); {
	case phi == PhiSquare && level == AVX512:
		stepSquareAVX512(s.bytes())
	case phi == PhiSquare:
		stepSquareAVX2(s.bytes())
	case phi == PhiHuber && level == AVX512:
		stepHuberAVX512(s.bytes())
	case phi == PhiHuber:
		stepHuberAVX2(s.bytes())
	case level == AVX512:
		stepLogCoshAVX512(s.bytes())
	default:
		stepLogCoshAVX2(s.bytes())
	}
}

// stepVJP is StepVJP on the rows of s.
func (s *sweepArgs) stepVJP(phi Phi) {
	switch level := Active(); {
	case phi == PhiSquare && level == AVX512:
		stepVJPSquareAVX512(s.bytes())
	case phi == PhiSquare:
		stepVJPSquareAVX2(s.bytes())
	case phi == PhiHuber && level == AVX512:
		stepVJPHuberAVX512(s.bytes())
	case phi == PhiHuber:
		stepVJPHuberAVX2(s.bytes())
	case level == AVX512:
		stepVJPLogCoshAVX512(s.bytes())
	default:
		stepVJPLogCoshAVX2(s.bytes())
	}
}

// forward is a step of a Descent on the rows of s.
func (s *sweepArgs) forward(phi Phi) {
	switch level := Active(); {
	case phi == PhiSquare && level == AVX512:
		forwardSquareAVX512(s.bytes())
	case phi == PhiSquare:
		forwardSquareAVX2(s.bytes())
	case phi == PhiHuber && level == AVX512:
		forwardHuberAVX512(s.bytes())
	case phi == PhiHuber:
		forwardHuberAVX2(s.bytes())
	case level == AVX512:
		forwardLogCoshAVX512(s.bytes())
	default:
		forwardLogCoshAVX2(s.bytes())
	}
}

// run calls the assembly.
func (s *sweepArgs) run(body sweepBody, phi Phi) {
	if Active() == AVX512 {
		s.runAVX512(body, phi)
		return
	}
	s.runAVX2(body, phi)
}

func (s *sweepArgs) runAVX512(body sweepBody, phi Phi) {
	switch back := body == sweepBackward; {
	case body == sweepBegin:
		beginAVX512(s.bytes())
	case back && phi == PhiSquare:
		backwardSquareAVX512(s.bytes())
	case back && phi == PhiHuber:
		backwardHuberAVX512(s.bytes())
	case back:
		backwardLogCoshAVX512(s.bytes())
	case phi == PhiSquare:
		finishSquareAVX512(s.bytes())
	case phi == PhiHuber:
		finishHuberAVX512(s.bytes())
	default:
		finishLogCoshAVX512(s.bytes())
	}
}

func (s *sweepArgs) runAVX2(body sweepBody, phi Phi) {
	switch back := body == sweepBackward; {
	case body == sweepBegin:
		beginAVX2(s.bytes())
	case back && phi == PhiSquare:
		backwardSquareAVX2(s.bytes())
	case back && phi == PhiHuber:
		backwardHuberAVX2(s.bytes())
	case back:
		backwardLogCoshAVX2(s.bytes())
	case phi == PhiSquare:
		finishSquareAVX2(s.bytes())
	case phi == PhiHuber:
		finishHuberAVX2(s.bytes())
	default:
		finishLogCoshAVX2(s.bytes())
	}
}
