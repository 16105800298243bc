package kernel

// forward is one step over a panel: for rows i of a run, with s = (A·src)[i,:],
//
//	dst[i·stride + j] = prox( a[i]·src[i,j] + b[i]·s[j] + c[i]·φ(src[i,j] − p[i,j]) )
//
// src and p are rows×width without gaps. The tape, where it is not nil, keeps φ' and z > 0.
type forward struct {
	d      *Descent
	width  int
	dst    []Real
	stride int
	src, p []Real
	tape   stepTape
}

// sweepBuffer is about how many sums the portable bodies gather before they use them: half of the
// first-level cache.
const sweepBuffer = 1 << 12

var sweepScratch scratch

// rowsGeneric is the portable body: gather a block of rows, then step on it.
func (f *forward) rowsGeneric(lo, hi int) {
	n := max(1, sweepBuffer/f.width)
	sum := sweepScratch.acquire(n * f.width)
	for ; lo < hi; lo += n {
		end := min(lo+n, hi)
		SpMMRows(sum, f.d.A, lo, end, f.d.Val, nil, f.src, f.width, 1, 0)
		for i := lo; i < end; i++ {
			f.row(i, sum[(i-lo)*f.width:(i-lo+1)*f.width])
		}
	}
	sweepScratch.release(sum)
}

func (f *forward) row(i int, sum []Real) {
	kind, w := f.d.Kind, f.width
	a, b, c := f.d.CoefA[i], f.d.CoefB[i], f.d.CoefC[i]
	active, positive := maskRow(f.tape.active, i, w), maskRow(f.tape.positive, i, w)
	dst := f.dst[i*f.stride:][:w]
	h, p := f.src[i*w:][:w], f.p[i*w:][:w]
	for j, s := range sum {
		r := h[j] - p[j]
		z := a*h[j] + b*s + c*PhiOf(kind, r)
		dst[j] = ProxOf(kind, z)
		putBit(active, j, r < kind.T && r > -kind.T)
		putBit(positive, j, z > 0)
		if f.tape.slope != nil {
			f.tape.slope[i*w+j] = kind.slope(r)
		}
	}
}

// backward is the adjoint of one step over a panel, for rows i of a run: with g = q[i,:] +
// (Aᵀ·src)[i,:], or g = start[i·stride + j] where start is not nil (the last step),
//
//	u = g∘[z > 0];  dst[i,j] = b[i]·u;  q[i,j] = (a[i] + c[i]·φ')·u;  dp[i,j] −= c[i]·φ'·u
//
// where dp starts as 0 if start is given. All except start are rows×width without gaps.
type backward struct {
	d        *Descent
	width    int
	dst, src []Real
	q, dp    []Real
	start    []Real
	stride   int
	tape     stepTape
}

func (t *backward) rowsGeneric(lo, hi int) {
	n := max(1, sweepBuffer/t.width)
	sum := sweepScratch.acquire(n * t.width)
	for ; lo < hi; lo += n {
		end := min(lo+n, hi)
		if t.start == nil {
			SpMMRows(sum, t.d.AT, lo, end, t.d.Val, nil, t.src, t.width, 1, 0)
		}
		for i := lo; i < end; i++ {
			t.row(i, sum[(i-lo)*t.width:(i-lo+1)*t.width])
		}
	}
	sweepScratch.release(sum)
}

func (t *backward) row(i int, sum []Real) {
	w := t.width
	a, b, c := t.d.CoefA[i], t.d.CoefB[i], t.d.CoefC[i]
	active, positive := maskRow(t.tape.active, i, w), maskRow(t.tape.positive, i, w)
	dst, q, dp := t.dst[i*w:][:w], t.q[i*w:][:w], t.dp[i*w:][:w]
	for j := range sum {
		u, old := Real(0), Real(0)
		if t.start != nil {
			u = t.start[i*t.stride+j]
		} else {
			u, old = sum[j]+q[j], dp[j]
		}
		if !getBit(positive, j) {
			u = 0
		}
		cs := c
		if !getBit(active, j) {
			cs = 0
		}
		if t.tape.slope != nil {
			cs = c * t.tape.slope[i*w+j]
		}
		dst[j] = b * u
		q[j] = (a + cs) * u
		dp[j] = old - cs*u
	}
}

// finish is the last step of the adjoint: dst[i·stride + j] = q[i,j] + (Aᵀ·src)[i,j] + add[i,j]; add may be nil, and
// dst may be q or add.
type finish struct {
	d           *Descent
	width       int
	dst         []Real
	stride      int
	src, q, add []Real
}

func (t *finish) rowsGeneric(lo, hi int) {
	n, w := max(1, sweepBuffer/t.width), t.width
	sum := sweepScratch.acquire(n * w)
	for ; lo < hi; lo += n {
		end := min(lo+n, hi)
		SpMMRows(sum, t.d.AT, lo, end, t.d.Val, nil, t.src, w, 1, 0)
		for i := lo; i < end; i++ {
			for j := range w {
				v := sum[(i-lo)*w+j] + t.q[i*w+j]
				if t.add != nil {
					v += t.add[i*w+j]
				}
				t.dst[i*t.stride+j] = v
			}
		}
	}
	sweepScratch.release(sum)
}

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
