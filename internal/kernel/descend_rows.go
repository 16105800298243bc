package kernel

// Row blocks, for graphs of which no panel fits the cache: one parallel region a step.

// forwardJob, backwardJob and finishJob are one sweep over n blocks of rows. They copy the Descent,
// so that one built for a call does not move to the heap.
type (
	forwardJob struct {
		d Descent
		forward
		n int
	}
	backwardJob struct {
		d Descent
		backward
		n int
	}
	finishJob struct {
		d Descent
		finish
		n int
	}
)

var (
	forwardJobs  jobs[forwardJob, *forwardJob]
	backwardJobs jobs[backwardJob, *backwardJob]
	finishJobs   jobs[finishJob, *finishJob]
)

func (t *forwardJob) do(c int) {
	f := t.forward
	f.d = &t.d
	f.rows(t.d.A.chunk(c, t.n))
}

func (t *backwardJob) do(c int) {
	b := t.backward
	b.d = &t.d
	b.rows(t.d.AT.chunk(c, t.n))
}

func (t *finishJob) do(c int) {
	f := t.finish
	f.d = &t.d
	f.rows(t.d.AT.chunk(c, t.n))
}

// runRows is Run by row blocks; steps alternate between dst and one buffer so that the last one
// ends in dst.
func (d *Descent) runRows(dst, tape, h0, p []Real) {
	n := d.A.chunks(d.Cols)
	size := d.Rows * d.Cols
	buf := panelScratch.take(size)
	src, out, other := h0, dst, buf
	if d.Steps%2 == 0 {
		out, other = buf, dst
	}
	for k := range d.Steps {
		forwardJobs.run(n, forwardJob{*d, forward{nil, d.Cols, out, d.Cols, src, p, d.tapeOf(tape, k, d.Cols)}, n})
		src, out, other = out, other, out
	}
	panelScratch.give(buf)
}

// adjointRows is Adjoint by row blocks.
func (d *Descent) adjointRows(dh0, dp, g, tape []Real) {
	n := d.AT.chunks(d.Cols)
	size := d.Rows * d.Cols
	u, next := panelScratch.take(size), panelScratch.take(size)
	q := dh0
	if q == nil {
		q = panelScratch.take(size)
	}
	b := backward{width: d.Cols, q: q, dp: dp, start: g, stride: d.Cols}
	for k := d.Steps - 1; k >= 0; k-- {
		b.dst, b.src, b.tape = next, u, d.tapeOf(tape, k, d.Cols)
		backwardJobs.run(n, backwardJob{*d, b, n})
		u, next, b.start = next, u, nil
	}
	f := finish{nil, d.Cols, dh0, d.Cols, u, q, nil}
	if dh0 == nil {
		f.dst, f.add = dp, dp
	}
	finishJobs.run(n, finishJob{*d, f, n})
	if dh0 == nil {
		panelScratch.give(q)
	}
	panelScratch.give(u)
	panelScratch.give(next)
}
