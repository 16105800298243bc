package kernel

import (
	"math"
	"unsafe"
)

// stepRowsGeneric is the portable body of Step for rows lo..hi.
func stepRowsGeneric(t *stepJob, lo, hi int) {
	for i := lo; i < hi; i++ {
		a, b, c := t.a[i], Real(0), t.c[i]
		if t.s != nil {
			b = t.b[i]
		}
		for j := i * t.cols; j < (i+1)*t.cols; j++ {
			h := t.h[j]
			z := a * h
			if t.s != nil {
				z += b * t.s[j]
			}
			t.dst[j] = ProxOf(t.kind, z+c*PhiOf(t.kind, h-t.p[j]))
		}
	}
}

// stepVJPRowsGeneric is the portable body of StepVJP for rows lo..hi.
func stepVJPRowsGeneric(t *stepVJPJob, lo, hi int) {
	for i := lo; i < hi; i++ {
		a, c := t.a[i], t.c[i]
		for j := i * t.cols; j < (i+1)*t.cols; j++ {
			u := t.g[j]
			if t.kind.NonNeg && !(t.out[j] > 0) {
				u = 0
			}
			cs := c * t.kind.slope(t.h[j]-t.p[j])
			if t.dp != nil {
				d := -cs * u
				if t.add {
					d += t.dp[j]
				}
				t.dp[j] = d
			}
			if t.ds != nil {
				t.ds[j] = t.b[i] * u
			}
			if t.dh != nil {
				t.dh[j] = (a + cs) * u
			}
		}
	}
}

// sweepArgs is what the assembly of steps and sweeps reads, field by field as listed in gen/step.go. Fields that a body
// does not need are zero.
type sweepArgs struct {
	lo, hi                           int
	shift                            unsafe.Pointer
	width, rowBytes, maskBytes       int
	ptr, idx                         unsafe.Pointer
	last                             int // entry
	edge, val, src                   unsafe.Pointer
	a, b, c                          unsafe.Pointer
	t, low, floor                    float32Word
	dst                              unsafe.Pointer
	stride                           int
	p, s, active, positive, slope    unsafe.Pointer
	inv, start, old                  unsafe.Pointer
	oldActive, oldSlope, dpIn, dpOut unsafe.Pointer
	dh, ds, dp, out                  unsafe.Pointer
}

// float32Word is a number alone in eight bytes.
type float32Word struct{ v, _ float32 }

func (a *sweepArgs) bytes() *byte { return (*byte)(unsafe.Pointer(a)) }

// place sets the rows and the shape.
func (a *sweepArgs) place(lo, hi, width, stride int) {
	a.lo, a.hi, a.width, a.stride = lo, hi, width, 4*stride
	a.rowBytes, a.maskBytes = 4*width, 2*maskWords(width)
}

// coefficients sets a, b, c and the numbers of kind.
func (s *sweepArgs) coefficients(a, b, c []Real, kind StepKind) {
	s.a, s.b, s.c = start(a), start(b), start(c)
	s.t.v, s.low.v, s.floor.v = float32(kind.T), -float32(kind.T), float32(math.Inf(-1))
	if kind.NonNeg {
		s.floor.v = 0
	}
}

// start returns the address of a slice, nil for nil.
func start[T any](x []T) unsafe.Pointer { return unsafe.Pointer(unsafe.SliceData(x)) }
