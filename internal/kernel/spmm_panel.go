package kernel

// Overview. Gathering rows from a matrix too large for a core's own cache runs at a third of the speed of gathering
// from one that fits. If every row of x is used many times, it pays to copy a panel of some columns of x that fits, do
// all rows for these columns, and go on to the next panel: on 11,758 nodes, 1.04M entries and 512 columns this is 2.8
// times as fast.

// spmmPanelBytes is how much of x a panel may hold: most of a 2 MB cache.
const spmmPanelBytes = 3 << 19

// spmmPanelUses is how often a row of x must be used on average for its copy to pay.
const spmmPanelUses = 16

// panelWidth returns how many columns a panel of x has, or 0 if panels do not pay: x fits as it is, or is not used
// often enough, or 16 columns of it do not fit, or there are fewer than 4 panels.
func (a *CSR) panelWidth(cols int) int {
	if a.Cols*cols*RealBytes <= spmmPanelBytes || len(a.Idx) < spmmPanelUses*a.Cols {
		return 0
	}
	fit := min(spmmPanelBytes/(a.Cols*RealBytes), cols/4)
	return fit / 16 * 16
}

// spmmPanelJob is SpMM cut by columns: a chunk copies its columns of x together and then does all rows.
type spmmPanelJob struct {
	spmmCall
	width int
}

var (
	spmmPanelJobs jobs[spmmPanelJob, *spmmPanelJob]
	spmmPanels    scratch
)

func (j *spmmPanelJob) do(p int) {
	c := j.spmmCall
	from := p * j.width
	c.cols = min(j.width, j.cols-from)
	c.stride = c.cols
	c.x = spmmPanels.acquire(c.a.Cols * c.cols)
	c.dst = j.dst[from:]
	c.packColumns(c.x, j.x[from:], c.a.Cols, c.cols, j.stride)
	c.rows(0, c.a.Rows)
	spmmPanels.release(c.x)
}

// spmmByPanels is SpMM by column panels, where that is faster.
func spmmByPanels(dst []Real, a *CSR, val, scale, x []Real, cols int, alpha, beta Real) bool {
	b, w := sparseBodiesOf[Active()], a.panelWidth(cols)
	if b == nil || w == 0 {
		return false
	}
	c := spmmCall{b, dst, a, val, scale, x, cols, cols, cols, alpha, beta}
	spmmPanelJobs.run((cols+w-1)/w, spmmPanelJob{c, w})
	return true
}
