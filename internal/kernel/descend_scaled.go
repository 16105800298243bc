package kernel

import "slices"

// Overview. The adjoint in assembly keeps less than the plain one: a sweep spends most of its time on stores that miss
// the first-level cache. Of a step k it stores w = b∘u alone, the matrix that the next sweep gathers; that sweep gets u
// back as w/b and makes (a + c∘φ')∘u of it. The matrix w of step k+1 still lies where w of step k−1 is about to be
// written, so dp is brought up to date only every other sweep, by two steps at a time.

// Bounds on |b| within which w/b gives u back to two roundings. Beyond them w is u, and b goes
// into the weights of the entries.
const (
	leastScale = 1.0 / (1 << 40)
	mostScale  = 1 << 40
)

// scaled holds the arguments of the adjoint, with the b and 1/b in use, and the weights of the entries of AT if they
// differ from the weights of the Descent.
type scaled struct {
	d Descent
	share
	dh0, dp, g      []Real
	tape            []Real
	b, inv, weights []Real
}

// scales fills b and inv = 1/b. A row without entries in A is free to have any b. It reports
// whether every b can be divided by.
func (d *Descent) scales(b, inv []Real) bool {
	chunks := entryChunks(d.Rows)
	bad := partials.acquire(chunks)
	defer partials.release(bad)
	scaleJobs.run(chunks, scaleJob{d.A.Ptr, d.CoefB[:d.Rows], b, inv, bad})
	return !slices.Contains(bad, 1)
}

// scaleJob is scales by some rows a chunk; bad is 1 for a chunk with a b that cannot be divided by.
type scaleJob struct {
	ptr               []int64
	coef, b, inv, bad []Real
}

var scaleJobs jobs[scaleJob, *scaleJob]

func (j *scaleJob) do(chunk int) {
	j.bad[chunk] = 0
	for i := chunk * entryChunk; i < min((chunk+1)*entryChunk, len(j.coef)); i++ {
		v := j.coef[i]
		if j.ptr[i] == j.ptr[i+1] {
			v = 1
		}
		if size := max(v, -v); !(size >= leastScale && size <= mostScale) {
			j.bad[chunk] = 1
			return
		}
		j.b[i], j.inv[i] = v, 1/v
	}
}

// weigh sets b and inv to 1 and puts b into the weights of the entries of AT.
func (d *Descent) weigh(b, inv, weights []Real) {
	for i := range b {
		b[i], inv[i] = 1, 1
	}
	for e, j := range d.AT.Idx {
		weights[e] = d.CoefB[j]
		if d.Val != nil {
			weights[e] *= d.Val[d.AT.edge(int64(e))]
		}
	}
}

// adjointScaled is Adjoint in assembly; it reports false if there is no assembly for it.
func (d *Descent) adjointScaled(dh0, dp, g, tape []Real) bool {
	if Active() == Portable {
		return false
	}
	room := scaleScratch.acquire(2 * d.Rows)
	t := scaled{*d, share{}, dh0, dp, g, tape, room[:d.Rows], room[d.Rows:], nil}
	if !d.scales(t.b, t.inv) {
		t.weights = scaleScratch.acquire(d.AT.NNZ())
		d.weigh(t.b, t.inv, t.weights)
	}
	for t.share = d.share(0); t.count > 0; t.share = d.share(t.first + t.count) {
		scaledJobs.run(t.count, t)
	}
	scaleScratch.release(room)
	if t.weights != nil {
		scaleScratch.release(t.weights)
	}
	return true
}

var (
	scaledJobs   jobs[scaled, *scaled]
	scaleScratch scratch // holds b, 1/b and weights
)

// do is the adjoint of panel first + c; without panels that is everything.
func (t *scaled) do(c int) {
	if t.d.panelWidth() == 0 {
		t.fullRows()
		return
	}
	c += t.first
	lo, hi := t.d.panelCols(c)
	size := panelSize(t.d.Rows, hi-lo)
	room := panelScratch.acquire(3 * size)
	p := scaledPanel{t, lo, hi - lo, t.d.panelTape(t.tape, c), room[2*size:]}
	p.sweeps(room[:size], room[size:2*size])
	panelScratch.release(room)
}

// fullRows is the adjoint without panels; dp takes the place of one.
func (t *scaled) fullRows() {
	size := t.d.Rows * t.d.Cols
	w, other := panelScratch.acquire(size), panelScratch.acquire(size)
	p := scaledPanel{t, 0, t.d.Cols, t.tape, t.dp}
	p.sweeps(w, other)
	panelScratch.release(w)
	panelScratch.release(other)
}

// scaledPanel is a panel of width columns from lo on; sum is rows×width, dp as far as it is known.
type scaledPanel struct {
	*scaled
	lo, width int
	tape, sum []Real
}

// sweeps runs all sweeps of the panel, with w and other as room.
func (p *scaledPanel) sweeps(w, other []Real) {
	last := p.d.Steps - 1
	s := p.args(p.d.Cols)
	s.start, s.dst = start(p.g[p.lo:]), start(w)
	s.positive = start(p.tapeAt(last).positive)
	p.sweep(&s, sweepBegin)
	for k := last; k >= 0; k-- {
		s := p.args(p.d.Cols)
		s.pattern(p.d.AT, p.d.Val, w)
		if p.weights != nil {
			s.val, s.edge = start(p.weights), nil
		}
		s.active, s.slope = start(p.tapeAt(k).active), start(p.tapeAt(k).slope)
		p.collect(&s, k, other)
		if k == 0 {
			p.results(&s)
			p.sweep(&s, sweepFinish)
			break
		}
		s.dst, s.positive = start(other), start(p.tapeAt(k-1).positive)
		p.sweep(&s, sweepBackward)
		w, other = other, w
	}
}

// args starts the arguments of a sweep.
func (p *scaledPanel) args(stride int) (s sweepArgs) {
	s.place(0, p.d.Rows, p.width, stride)
	s.coefficients(p.d.CoefA, p.b, p.d.CoefC, p.d.Kind)
	s.inv = start(p.inv)
	return s
}

func (p *scaledPanel) tapeAt(k int) stepTape { return p.d.tapeOf(p.tape, k, p.width) }

// collect sets what the sweep of step k does to dp: nothing in every other sweep but the last,
// else it adds step k, and k+1 whose w is in old unless the sweep before has added that.
func (p *scaledPanel) collect(s *sweepArgs, k int, old []Real) {
	last := p.d.Steps - 1
	if pair := (last-k)%2 == 1; pair {
		s.old = start(old)
		s.oldActive, s.oldSlope = start(p.tapeAt(k+1).active), start(p.tapeAt(k+1).slope)
	} else if k > 0 {
		return
	}
	s.dpOut = start(p.sum)
	if k < last-1 {
		s.dpIn = start(p.sum)
	}
}

// results sets where the last sweep writes.
func (p *scaledPanel) results(s *sweepArgs) {
	s.dpOut = start(p.dp[p.lo:])
	if p.dh0 != nil {
		s.dh = start(p.dh0[p.lo:])
	}
}

// sweepBody says which sweep of the adjoint.
type sweepBody uint8

const (
	sweepBegin    sweepBody = iota // w of the last step
	sweepBackward                  // w of a step from w of the next
	sweepFinish                    // dh0 and dp
)

// run calls the assembly.
func (s *sweepArgs) run(body sweepBody, phi Phi) {
	switch body {
	case sweepBegin:
		s.beginAdjoint()
	case sweepBackward:
		s.backward(phi)
	default:
		s.finish(phi)
	}
}

// sweep runs one sweep over all rows.
func (p *scaledPanel) sweep(s *sweepArgs, body sweepBody) {
	if !p.blocks {
		s.run(body, p.d.Kind.Phi)
		return
	}
	n := p.d.AT.chunks(p.width)
	sweepJobs.run(n, sweepJob{*s, body, p.d.Kind.Phi, p.d.AT, n})
}

// sweepJob is a sweep by row blocks.
type sweepJob struct {
	args sweepArgs
	body sweepBody
	phi  Phi
	a    *CSR
	n    int
}

var sweepJobs jobs[sweepJob, *sweepJob]

func (t *sweepJob) do(c int) {
	s := t.args
	s.lo, s.hi = t.a.chunk(c, t.n)
	s.run(t.body, t.phi)
}
