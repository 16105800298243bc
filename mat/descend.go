package mat

import (
	"fmt"

	"github.com/bloomgml/bloom/internal/kernel"
)

// Phi is φ of a fused step: the derivative κ′ of a node penalty, entrywise in h − p.
type Phi uint8

// The node penalties that have a fused step.
const (
	PhiSquare  = Phi(kernel.PhiSquare)  // φ(r) = r
	PhiHuber   = Phi(kernel.PhiHuber)   // φ(r) = r cut to [−T, T]
	PhiLogCosh = Phi(kernel.PhiLogCosh) // φ(r) = tanh r
)

// StepKind says which fused step.
type StepKind struct {
	Phi    Phi
	T      Real // threshold of PhiHuber, ≥ 0
	NonNeg bool // whether h ≥ 0 is asked for
}

func (k StepKind) kernel() kernel.StepKind {
	return kernel.StepKind{Phi: kernel.Phi(k.Phi), T: k.T, NonNeg: k.NonNeg}
}

// Step is one proximal descent step. dst, h, s and p are n×d; a, b and c are n×1; s may be nil.
// dst may be h, s or p.
//
//	dst ← prox( a∘h + b∘s + c∘φ(h − p) )
func Step(dst, h, s, p, a, b, c *Dense, kind StepKind) {
	mustMatch("Step", dst, h, s, p)
	mustColumns("Step", dst, a, b, c)
	fused[Stepper]("Step", dst.dev).Step(dst, h, s, p, a, b, c, kind)
}

// StepVJP is the adjoint of Step at (h, s, p), which gave out: with u = g, or u = g∘[out > 0] for h ≥ 0,
//
//	dh ← (a + c∘φ′(h−p))∘u    ds ← b∘u    dp ← −c∘φ′(h−p)∘u
//
// dh, ds or dp may be nil; one of them may be g. Where φ has a kink, at |h−p| = T, φ′ is 0.
func StepVJP(dh, ds, dp, g, out, h, p, a, b, c *Dense, kind StepKind) {
	mustMatch("StepVJP", h, g, out, p, dh, ds, dp)
	mustColumns("StepVJP", h, a, b, c)
	fused[Stepper]("StepVJP", h.dev).StepVJP(dh, ds, dp, g, out, h, p, a, b, c, kind)
}

func mustColumns(op string, h *Dense, cols ...*Dense) {
	for _, x := range cols {
		mustEqual(op, x.shape, Shape{h.Rows(), 1})
	}
	mustShare(op, h.dev, cols...)
}

// Descent is a whole descent as one operation: Steps proximal steps that are separable by columns,
//
//	h ← prox( A∘h + B∘(S h) + C∘φ(h − p) )
//
// with one number per row in A, B and C. Val holds the values of S, nil means ones. Steps is 0 or more.
type Descent struct {
	S       *Sparse
	Val     *Dense
	Steps   int
	Kind    StepKind
	A, B, C *Dense
}

// TapeShape returns the shape of what a descent on an n×d matrix keeps for its adjoint: a function of h, S, Steps and
// Kind, so the numbers need not exist yet. It is empty if the Device is not a Descender.
func (d Descent) TapeShape(h Shape) Shape {
	d.mustStep("TapeShape")
	switch dev := d.S.dev.(type) {
	case cpu: // to ask whether it is a Descender, in every epoch, would allocate now and then
		return Shape{dev.TapeLen(h, d), 1}
	case Descender:
		return Shape{dev.TapeLen(h, d), 1}
	}
	return Shape{0, 1}
}

// Descend is dst ← h after d.Steps steps from h0. All are n×d. tape, of shape d.TapeShape, receives
// what DescendVJP needs; it may be nil. h0 may be p; dst is neither.
func Descend(dst, tape, h0, p *Dense, d Descent) {
	mustMatch("Descend", dst, h0, p)
	d.check("Descend", dst, tape)
	fused[Descender]("Descend", dst.dev).Descend(dst, tape, h0, p, d)
}

// DescendVJP is the adjoint of Descend: dh0 and dp from g, the cotangent of the result, and the tape of
// Descend, which may be nil if it is empty. Where dh0 is nil, h0 was p and dp is the whole
// derivative to it. Neither dh0 nor dp is g.
func DescendVJP(dh0, dp, g, tape *Dense, d Descent) {
	mustMatch("DescendVJP", g, dh0, dp)
	d.check("DescendVJP", g, tape)
	if tape == nil {
		mustEqual("DescendVJP tape", Shape{0, 1}, d.TapeShape(g.shape))
	}
	fused[Descender]("DescendVJP", g.dev).DescendVJP(dh0, dp, g, tape, d)
}

func (d Descent) mustStep(op string) {
	if d.Steps < 0 {
		panic(fmt.Sprintf("mat: %s: a descent of %d steps", op, d.Steps))
	}
}

func (d Descent) check(op string, h, tape *Dense) {
	d.mustStep(op)
	mustEqual(op, d.S.shape, Shape{h.Rows(), h.Rows()})
	if d.Val != nil {
		mustEqual(op, d.Val.shape, Shape{d.S.nnz, 1})
	}
	if tape != nil {
		mustEqual(op, tape.shape, d.TapeShape(h.shape))
	}
	mustColumns(op, h, d.A, d.B, d.C)
	mustShare(op, h.dev, tape, d.Val)
	mustBeOn(op, h.dev, d.S.dev)
}
