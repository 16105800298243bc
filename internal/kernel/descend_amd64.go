//go:build amd64 && !noasm && !f64

package kernel

// pattern sets what a gather over a reads.
func (s *sweepArgs) pattern(a *CSR, val, src []Real) {
	s.ptr, s.idx, s.src, s.order = start(a.Ptr), start(a.Idx), start(src), start(a.byLength())
	if val != nil {
		s.val, s.edge = start(val), start(a.Edge)
	}
}

// keep sets the tape.
func (s *sweepArgs) keep(t stepTape) {
	s.active, s.positive, s.slope = start(t.active), start(t.positive), start(t.slope)
}

// rows runs the step for rows lo..hi.
func (f *forward) rows(lo, hi int) {
	level := Active()
	if level == Portable {
		f.rowsGeneric(lo, hi)
		return
	}
	var s sweepArgs
	s.place(lo, hi, f.width, f.stride)
	s.pattern(f.d.A, f.d.Val, f.src)
	s.coefficients(f.d.CoefA, f.d.CoefB, f.d.CoefC, f.d.Kind)
	s.keep(f.tape)
	s.dst, s.p = start(f.dst), start(f.p)
	switch phi := f.d.Kind.Phi; {
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

// rows runs the adjoint of a step for rows lo..hi.
func (t *backward) rows(lo, hi int) {
	level := Active()
	if level == Portable {
		t.rowsGeneric(lo, hi)
		return
	}
	var s sweepArgs
	s.place(lo, hi, t.width, t.stride)
	s.pattern(t.d.AT, t.d.Val, t.src)
	s.coefficients(t.d.CoefA, t.d.CoefB, t.d.CoefC, t.d.Kind)
	s.keep(t.tape)
	s.dst, s.q, s.dp, s.start = start(t.dst), start(t.q), start(t.dp), start(t.start)
	switch phi := t.d.Kind.Phi; {
	case phi == PhiSquare && level == AVX512:
		backwardSquareAVX512(s.bytes())
	case phi == PhiSquare:
		backwardSquareAVX2(s.bytes())
	case phi == PhiHuber && level == AVX512:
		backwardHuberAVX512(s.bytes())
	case phi == PhiHuber:
		backwardHuberAVX2(s.bytes())
	case level == AVX512:
		backwardLogCoshAVX512(s.bytes())
	default:
		backwardLogCoshAVX2(s.bytes())
	}
}

// rows runs the end of the adjoint for rows lo..hi.
func (t *finish) rows(lo, hi int) {
	level := Active()
	if level == Portable {
		t.rowsGeneric(lo, hi)
		return
	}
	var s sweepArgs
	s.place(lo, hi, t.width, t.stride)
	s.pattern(t.d.AT, t.d.Val, t.src)
	s.dst, s.q, s.add = start(t.dst), start(t.q), start(t.add)
	if level == AVX512 {
		finishAVX512(s.bytes())
		return
	}
	finishAVX2(s.bytes())
}
