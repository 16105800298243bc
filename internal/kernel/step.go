package kernel

//go:generate go -C gen run . step
//go:generate go -C gen run ./neon -name step

import "math"

// Phi is the derivative κ' of the node penalty, entrywise in r = h − p.
type Phi uint8

// The penalties that a fused step knows.
const (
	PhiSquare  Phi = iota // φ(r) = r, φ'(r) = 1
	PhiHuber              // φ(r) = clamp(r, −T, T), φ'(r) = 1 where |r| < T, else 0
	PhiLogCosh            // φ(r) = tanh r, φ'(r) = 1 − tanh² r
)

// StepKind says which step: φ, its threshold, and whether the prox is h ≥ 0.
type StepKind struct {
	Phi    Phi
	T      Real // threshold of PhiHuber, ≥ 0
	NonNeg bool
}

// Step is one proximal descent step; dst, h, s, p are rows×cols, and a, b, c hold one number per row. If s is nil,
// there is no message term. dst may be h, s or p.
//
//	dst[i,j] = prox( a[i]·h[i,j] + b[i]·s[i,j] + c[i]·φ(h[i,j] − p[i,j]) )
//
// prox(z) is max(z, 0) when kind.NonNeg, else z; a NaN stays a NaN.
func Step(dst, h, s, p, a, b, c []Real, rows, cols int, kind StepKind) {
	stepJobs.run(stepChunks(rows, cols), stepJob{dst, h, s, p, a, b, c, rows, cols, kind})
}

// StepVJP is the adjoint of Step at (h, s, p) with output out; all matrices are rows×cols.
//
//	u  = g · [out > 0 if kind.NonNeg]
//	dh = (a + c·φ'(h − p)) · u
//	ds = b · u
//	dp = −c·φ'(h − p) · u      (dp += when add)
//
// Any of dh, ds, dp may be nil; dh, ds or dp may be g.
func StepVJP(dh, ds, dp, g, out, h, p, a, b, c []Real, rows, cols int, kind StepKind, add bool) {
	stepVJPJobs.run(stepChunks(rows, cols),
		stepVJPJob{dh, ds, dp, g, out, h, p, a, b, c, rows, cols, kind, add})
}

// stepChunk is about how many entries one chunk of Step works on: 3 µs in cache.
const stepChunk = 1 << 14

func stepChunkRows(cols int) int { return max(1, stepChunk/max(cols, 1)) }

func stepChunks(rows, cols int) int {
	if cols == 0 {
		return 0
	}
	n := stepChunkRows(cols)
	if rows*cols <= 2*stepChunk {
		n = max(rows, 1)
	}
	return (rows + n - 1) / n
}

// stepSpan returns the rows of chunk i.
func stepSpan(i, rows, cols int) (lo, hi int) {
	if stepChunks(rows, cols) == 1 {
		return 0, rows
	}
	n := stepChunkRows(cols)
	return i * n, min((i+1)*n, rows)
}

// stepJob holds the arguments of Step.
type stepJob struct {
	dst, h, s, p, a, b, c []Real
	rows, cols            int
	kind                  StepKind
}

var stepJobs jobs[stepJob, *stepJob]

func (t *stepJob) do(chunk int) {
	lo, hi := stepSpan(chunk, t.rows, t.cols)
	if Active() == Portable {
		stepRowsGeneric(t, lo, hi)
		return
	}
	var s sweepArgs
	s.place(lo, hi, t.cols, t.cols)
	s.coefficients(t.a, t.b, t.c, t.kind)
	s.src, s.s, s.p, s.dst = start(t.h), start(t.s), start(t.p), start(t.dst)
	s.step(t.kind.Phi)
}

// stepVJPJob holds the arguments of StepVJP.
type stepVJPJob struct {
	dh, ds, dp, g, out, h, p, a, b, c []Real
	rows, cols                        int
	kind                              StepKind
	add                               bool
}

var stepVJPJobs jobs[stepVJPJob, *stepVJPJob]

func (t *stepVJPJob) do(chunk int) {
	lo, hi := stepSpan(chunk, t.rows, t.cols)
	if Active() == Portable {
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
	s.stepVJP(t.kind.Phi)
}

// PhiOf returns φ(r), in the precision of r.
func PhiOf[F float32 | float64](k StepKind, r F) F {
	switch t := F(k.T); k.Phi {
	case PhiHuber:
		if r > t {
			return t
		}
		if r < -t {
			return -t
		}
	case PhiLogCosh:
		return F(math.Tanh(float64(r)))
	}
	return r
}

// slope returns φ'(r).
func (k StepKind) slope(r Real) Real {
	switch k.Phi {
	case PhiHuber:
		if r < k.T && r > -k.T {
			return 1
		}
		return 0
	case PhiLogCosh:
		t := Real(math.Tanh(float64(r)))
		return 1 - t*t
	}
	return 1
}

// ProxOf returns max(z, 0) when NonNeg, else z; a NaN stays a NaN.
func ProxOf[F float32 | float64](k StepKind, z F) F {
	if k.NonNeg && z < 0 {
		return 0
	}
	return z
}
