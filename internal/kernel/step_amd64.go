//go:build amd64 && !noasm && !f64

package kernel

import (
	"math"
	"unsafe"
)

//go:generate go -C gen run ./step -out ../step_amd64.s -stubs ../step_stubs_amd64.go -pkg kernel

// sweepArgs is what the assembly of steps and sweeps reads, field by field as listed in gen/step.
// What a body does not need is zero.
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

// start is the address of a slice, nil for nil.
func start[T any](x []T) unsafe.Pointer { return unsafe.Pointer(unsafe.SliceData(x)) }

func stepRows(t *stepJob, lo, hi int) {
	level := Active()
	if level == Portable {
		stepRowsGeneric(t, lo, hi)
		return
	}
	var s sweepArgs
	s.place(lo, hi, t.cols, t.cols)
	s.coefficients(t.a, t.b, t.c, t.kind)
	s.src, s.s, s.p, s.dst = start(t.h), start(t.s), start(t.p), start(t.dst)
	switch phi := t.kind.Phi; {
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

func stepVJPRows(t *stepVJPJob, lo, hi int) {
	level := Active()
	if level == Portable {
		stepVJPRowsGeneric(t, lo, hi)
		return
	}
	var s sweepArgs
	s.place(lo, hi, t.cols, t.cols)
	s.coefficients(t.a, t.b, t.c, t.kind)
	s.dst, s.src, s.p = start(t.g), start(t.h), start(t.p)
	s.dh, s.ds, s.dp = start(t.dh), start(t.ds), start(t.dp)
	if t.kind.NonNeg {
		s.out = start(t.out)
	}
	if t.add {
		s.start = s.dp
	}
	switch phi := t.kind.Phi; {
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
