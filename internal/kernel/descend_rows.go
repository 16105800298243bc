package kernel

// Row blocks: a sweep is one parallel region over blocks of rows with about the same entries.

// forwardJob, backwardJob and finishJob are one sweep over n blocks of rows.
type (
	forwardJob struct {
		forward
		n int
	}
	backwardJob struct {
		backward
		n int
	}
	finishJob struct {
		finish
		n int
	}
)

var (
	forwardJobs  jobs[forwardJob, *forwardJob]
	backwardJobs jobs[backwardJob, *backwardJob]
	finishJobs   jobs[finishJob, *finishJob]
)

func (t *forwardJob) do(c int)  { t.rows(t.d.A.chunk(c, t.n)) }
func (t *backwardJob) do(c int) { t.rowsGeneric(t.d.AT.chunk(c, t.n)) }
func (t *finishJob) do(c int)   { t.rowsGeneric(t.d.AT.chunk(c, t.n)) }

// sweep runs the step for all rows, with blocks on all threads.
func (f *forward) sweep(blocks bool) {
	if !blocks {
		f.rows(0, f.d.Rows)
		return
	}
	n := f.d.A.chunks(f.width)
	forwardJobs.run(n, forwardJob{*f, n})
}

func (t *backward) sweep(blocks bool) {
	if !blocks {
		t.rowsGeneric(0, t.d.Rows)
		return
	}
	n := t.d.AT.chunks(t.width)
	backwardJobs.run(n, backwardJob{*t, n})
}

func (t *finish) sweep(blocks bool) {
	if !blocks {
		t.rowsGeneric(0, t.d.Rows)
		return
	}
	n := t.d.AT.chunks(t.width)
	finishJobs.run(n, finishJob{*t, n})
}

// fullRows is Run without panels; steps alternate between dst and one buffer, and the last one ends in dst.
func (t *runJob) fullRows() {
	d := &t.d
	buf := panelScratch.acquire(d.Rows * d.Cols)
	src, out, other := t.h0, t.dst, buf
	if d.Steps%2 == 0 {
		out, other = buf, t.dst
	}
	for k := range d.Steps {
		f := forward{d, d.Cols, out, d.Cols, src, t.p, d.tapeOf(t.tape, k, d.Cols)}
		f.sweep(true)
		src, out, other = out, other, out
	}
	panelScratch.release(buf)
}
