//go:build (amd64 || arm64) && !noasm && !f64

package kernel

// pattern sets what a gather over a reads.
func (s *sweepArgs) pattern(a *CSR, val, src []Real) {
	s.ptr, s.idx, s.src, s.shift = start(a.Ptr), start(a.Idx), start(src), start(a.shift)
	s.last = a.NNZ() - 1
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
	if Active() == Portable {
		f.rowsGeneric(lo, hi)
		return
	}
	var s sweepArgs
	s.place(lo, hi, f.width, f.stride)
	s.pattern(f.d.A, f.d.Val, f.src)
	s.coefficients(f.d.CoefA, f.d.CoefB, f.d.CoefC, f.d.Kind)
	s.keep(f.tape)
	s.dst, s.p = start(f.dst), start(f.p)
	s.forward(f.d.Kind.Phi)
}
