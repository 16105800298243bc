package kernel

// panelScratch holds the panels that chunks work in.
var panelScratch scratch

// runJob is Descent.Run on a share of the panels. It copies the Descent, so a Descent built for a call does not escape
// to the heap.
type runJob struct {
	d Descent
	share
	dst, tape, h0, p []Real
}

var runJobs jobs[runJob, *runJob]

// do runs all steps of panel first + c: p, h and the next h are copied to rows×width without gaps; the
// last step writes to dst itself.
func (t *runJob) do(c int) {
	d := &t.d
	if d.panelWidth() == 0 {
		t.fullRows()
		return
	}
	c += t.first
	lo, hi := d.panelCols(c)
	w := hi - lo
	size := panelSize(d.Rows, w)
	room := panelScratch.acquire(3 * size)
	p, h, next := room[:size], room[size:2*size], room[2*size:]
	CopyCols(p, w, t.p[lo:], d.Cols, d.Rows, w)
	src := p
	if &t.h0[0] != &t.p[0] {
		src = h
		CopyCols(h, w, t.h0[lo:], d.Cols, d.Rows, w)
	}
	tape := d.panelTape(t.tape, c)
	for k := range d.Steps {
		f := forward{d, w, next, w, src, p, d.tapeOf(tape, k, w)}
		if k == d.Steps-1 {
			f.dst, f.stride = t.dst[lo:], d.Cols
		}
		f.sweep(t.blocks)
		src, next = next, h
		h = src
	}
	panelScratch.release(room)
}

// adjointJob is Descent.Adjoint on a share of the panels, as runJob.
type adjointJob struct {
	d Descent
	share
	dh0, dp, g, tape []Real
}

var adjointJobs jobs[adjointJob, *adjointJob]

// do is the adjoint of panel first + c; without panels that is everything.
func (t *adjointJob) do(c int) {
	d := &t.d
	c += t.first
	lo, hi := d.panelCols(c)
	w := hi - lo
	size := panelSize(d.Rows, w)
	room := panelScratch.acquire(4 * size)
	u, next, q, dp := room[:size], room[size:2*size], room[2*size:3*size], room[3*size:]
	tape := d.panelTape(t.tape, c)
	b := backward{d: d, width: w, q: q, dp: dp, start: t.g[lo:], stride: d.Cols}
	for k := d.Steps - 1; k >= 0; k-- {
		b.dst, b.src, b.tape = next, u, d.tapeOf(tape, k, w)
		b.sweep(t.blocks)
		u, next, b.start = next, u, nil
	}
	f := finish{d, w, nil, d.Cols, u, q, nil}
	if t.dh0 == nil {
		f.dst, f.add = t.dp[lo:], dp
	} else {
		f.dst = t.dh0[lo:]
		CopyCols(t.dp[lo:], d.Cols, dp, w, d.Rows, w)
	}
	f.sweep(t.blocks)
	panelScratch.release(room)
}

// panelSize returns the room for a panel: whole pages and eleven lines, so the same row of two panels never has the
// same address within a page, which would stall loads behind stores.
func panelSize(rows, width int) int {
	const page, line = 4096 / RealBytes, align / RealBytes
	return (rows*width+page-1)/page*page + 11*line
}
