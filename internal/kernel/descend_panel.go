package kernel

// panelScratch holds the panels that chunks work in.
var panelScratch scratch

// runPanelJob is Descent.Run cut by column panels.
type runPanelJob struct {
	d                Descent
	dst, tape, h0, p []Real
}

var runPanelJobs jobs[runPanelJob, *runPanelJob]

// do runs all steps of one panel: p, h and the next h are copied to rows×width without gaps; the
// last step writes to dst itself.
func (t *runPanelJob) do(c int) {
	d := &t.d
	lo, hi := d.panelCols(c)
	w := hi - lo
	size := panelSize(d.Rows, w)
	room := panelScratch.take(3 * size)
	p, h, next := room[:size], room[size:2*size], room[2*size:]
	copyPanel(p, w, t.p[lo:], d.Cols, d.Rows, w)
	src := p
	if &t.h0[0] != &t.p[0] {
		src = h
		copyPanel(h, w, t.h0[lo:], d.Cols, d.Rows, w)
	}
	tape := d.panelTape(t.tape, c)
	for k := range d.Steps {
		f := forward{d, w, next, w, src, p, d.tapeOf(tape, k, w)}
		if k == d.Steps-1 {
			f.dst, f.stride = t.dst[lo:], d.Cols
		}
		f.rows(0, d.Rows)
		src, next = next, h
		h = src
	}
	panelScratch.give(room)
}

// adjointPanelJob is Descent.Adjoint cut by column panels.
type adjointPanelJob struct {
	d                Descent
	dh0, dp, g, tape []Real
}

var adjointPanelJobs jobs[adjointPanelJob, *adjointPanelJob]

func (t *adjointPanelJob) do(c int) {
	d := &t.d
	lo, hi := d.panelCols(c)
	w := hi - lo
	size := panelSize(d.Rows, w)
	room := panelScratch.take(4 * size)
	u, next, q, dp := room[:size], room[size:2*size], room[2*size:3*size], room[3*size:]
	tape := d.panelTape(t.tape, c)
	b := backward{d: d, width: w, q: q, dp: dp, start: t.g[lo:], stride: d.Cols}
	for k := d.Steps - 1; k >= 0; k-- {
		b.dst, b.src, b.tape = next, u, d.tapeOf(tape, k, w)
		b.rows(0, d.Rows)
		u, next, b.start = next, u, nil
	}
	f := finish{d, w, nil, d.Cols, u, q, nil}
	if t.dh0 == nil {
		f.dst, f.add = t.dp[lo:], dp
	} else {
		f.dst = t.dh0[lo:]
		copyPanel(t.dp[lo:], d.Cols, dp, w, d.Rows, w)
	}
	f.rows(0, d.Rows)
	panelScratch.give(room)
}

// panelSize is the room for a panel: whole pages and eleven lines, so that the same row of two
// panels never has the same address within a page, which would stall loads behind stores.
func panelSize(rows, width int) int {
	const page, line = 4096 / RealBytes, align / RealBytes
	return (rows*width+page-1)/page*page + 11*line
}

// copyPanel is dst[i·dstStride + j] = src[i·srcStride + j] for i < rows, j < cols.
func copyPanel(dst []Real, dstStride int, src []Real, srcStride, rows, cols int) {
	for i := range rows {
		copy(dst[i*dstStride:i*dstStride+cols], src[i*srcStride:i*srcStride+cols])
	}
}
