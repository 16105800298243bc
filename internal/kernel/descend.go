package kernel

// Descent is Steps proximal steps on one graph; h and p are Rows×Cols, one row per node, and the
// coefficients hold one number per row.
//
//	h ← prox( CoefA∘h + CoefB∘(A·h) + CoefC∘φ(h − p) )
//
// Overview. No step mixes columns, so the columns are cut into panels narrow enough for the gathered rows to stay in a
// cache; a thread takes a panel and runs all its steps without waiting for another. Panels that are left when there are
// fewer than threads, and too large for the cache of one, are run by all threads together, one region a step over row
// blocks. So is a graph too large for panels, or with too few columns, full rows at a time. All do the same arithmetic
// on every entry in the same order, so which one runs, a matter of shape and threads, cannot be seen in the result; the
// tape is laid out by shape alone.
type Descent struct {
	A, AT *CSR   // Rows×Rows pattern and its transpose; AT is read by Adjoint only
	Val   []Real // weights of the entries, nil for ones

	Rows, Cols, Steps   int
	Kind                StepKind
	CoefA, CoefB, CoefC []Real
}

// TapeLen returns how many Reals Run keeps for Adjoint: two bits an entry and step at most, or a number
// for log-cosh, and nothing for the plain quadratic.
func (d *Descent) TapeLen() int {
	n := 0
	for c := range d.panels() {
		lo, hi := d.panelCols(c)
		n += d.Steps * d.stepTapeLen(hi-lo)
	}
	return n
}

// Run is dst = h after Steps steps from h0. tape has TapeLen numbers, or is nil when no adjoint
// follows. h0 may be p; neither is modified, nor may dst overlap them.
func (d *Descent) Run(dst, tape, h0, p []Real) {
	if tape != nil {
		d.checkTape(tape)
	}
	switch {
	case d.Rows*d.Cols == 0:
	case d.Steps == 0:
		copy(dst[:d.Rows*d.Cols], h0)
	default:
		for s := d.share(0); s.count > 0; s = d.share(s.first + s.count) {
			runJobs.run(s.count, runJob{*d, s, dst, tape, h0, p})
		}
	}
}

// Adjoint is the transpose of Run's derivative, given the tape that Run wrote: with g = ∂ℓ/∂h_L,
// and u masked by [z > 0] where the prox is h ≥ 0, from the last step to the first
//
//	u = g∘[z > 0];  dp −= c∘φ'∘u;  g ← (a + c∘φ')∘u + Aᵀ(b∘u)
//
// dp starts as 0 and dh0 is the last g. Both are overwritten. dh0 may be nil: then its value is
// added into dp, which is the derivative when h0 is p. dh0 and dp must not overlap g.
func (d *Descent) Adjoint(dh0, dp, g, tape []Real) {
	d.checkTape(tape)
	switch {
	case d.Rows*d.Cols == 0:
	case d.Steps == 0 && dh0 == nil:
		copy(dp[:d.Rows*d.Cols], g)
	case d.Steps == 0:
		copy(dh0[:d.Rows*d.Cols], g)
		clear(dp[:d.Rows*d.Cols])
	case d.adjointScaled(dh0, dp, g, tape):
	default:
		for s := d.share(0); s.count > 0; s = d.share(s.first + s.count) {
			adjointJobs.run(s.count, adjointJob{*d, s, dh0, dp, g, tape})
		}
	}
}

const (
	panelWork  = 1 << 18 // entries touched by a descent that is too small to share
	panelSteps = 6 << 16 // entries touched by a step of few columns that is one panel
	panelBytes = 3 << 19 // what a panel of h may take of the second-level cache, 2 MiB a core
	panelMost  = 1 << 24 // and a panel of 16 columns of the third-level cache
)

// panelWidth returns the width of a column panel, 0 for row blocks. It depends on the shape alone.
func (d *Descent) panelWidth() int {
	rowBytes := d.Rows * RealBytes
	switch {
	case forcePanel >= 0:
		return forcePanel
	case (d.A.NNZ()+d.Rows)*d.Cols*d.Steps < panelWork:
		return max(d.Cols, 1)
	case d.Cols >= 64 && rowBytes*32 <= panelBytes:
		return 32
	case d.Cols > 16 && rowBytes*16 <= panelMost:
		return 16
	case d.A.work(max(d.Cols, 4)) < panelSteps:
		return max(d.Cols, 1)
	}
	return 0
}

// forcePanel replaces panelWidth in tests when it is not negative.
var forcePanel = -1

// panels returns how many panels the columns are cut into; row blocks count as one panel.
func (d *Descent) panels() int {
	w := d.panelWidth()
	if w == 0 || d.Cols == 0 {
		return 1
	}
	return (d.Cols + w - 1) / w
}

// panelCols returns the first column of panel c and the one after its last.
func (d *Descent) panelCols(c int) (lo, hi int) {
	w := d.panelWidth()
	if w == 0 {
		return 0, d.Cols
	}
	return c * w, min((c+1)*w, d.Cols)
}

// share is some panels of a descent, count of them from first on: a thread each, or with blocks a single
// one for all threads, by row blocks.
type share struct {
	first, count int
	blocks       bool
}

// share returns what to run once the panels before first are done; its count is 0 after the last. Full rounds of one
// panel per thread come first, then the rest. Threads share a panel if it is larger than the second-level cache of a
// core, or if so few panels are left that all threads on one panel after another are faster than one thread per panel.
func (d *Descent) share(first int) share {
	n, alone := d.panels(), d.panels()
	switch w := d.panelWidth(); {
	case w == 0:
		alone = 0
	case d.Rows*w*RealBytes > shareBytes || d.sharePays(n%Threads(), w):
		alone -= n % Threads()
	}
	switch {
	case first < alone:
		return share{first, alone - first, false}
	case first < n:
		return share{first, 1, true}
	}
	return share{}
}

// sharePays reports whether left panels of w columns, which are less than the threads, are faster shared. Rows that
// another core wrote come from its cache: a step of a panel on n threads takes about 5/2 of 1/n of its time on one.
func (d *Descent) sharePays(left, w int) bool {
	return 5*left < 2*Threads() && d.A.chunks(w) >= 4
}

// shareBytes is the size of a panel up to which it stays with one thread; tests lower it.
var shareBytes = panelBytes
