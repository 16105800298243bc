package kernel

import (
	"slices"
	"sort"
)

// maxCuts is how many chunks a pattern is cut into: enough to balance the load over several threads.
const maxCuts = 64

// arrange cuts the rows into len(cut)−1 chunks of about the same entries + rows, which start at multiples of
// sortBlock where rows are sorted, and sorts them. It depends on the pattern alone.
func (a *CSR) arrange() {
	align := 1
	if a.shift != nil {
		align = sortBlock
		fillShifts(a.shift, a.Ptr)
	}
	n := len(a.cut) - 1
	total := a.Ptr[a.Rows] + int64(a.Rows)
	for c := range a.cut {
		want := total * int64(c) / int64(n)
		i := sort.Search(a.Rows, func(i int) bool { return a.Ptr[i]+int64(i) >= want })
		a.cut[c] = int32(min((i+align/2)/align*align, a.Rows))
	}
	a.cut[0], a.cut[n] = 0, int32(a.Rows)
}

// chunks returns how many chunks to cut work on the pattern into, where an entry or a row costs about cols steps, at
// least one vector: one for work that is over before a second thread could join in.
func (a *CSR) chunks(cols int) int {
	const steps = 1 << 14 // of a chunk: a few microseconds
	work := a.work(max(cols, 16))
	if work < 4*steps {
		return 1
	}
	return min(work/steps, len(a.cut)-1)
}

// work returns the number of steps of all entries and rows, cols each.
func (a *CSR) work(cols int) int { return (len(a.Idx) + a.Rows) * cols }

// chunk returns the row range of chunk c of n.
func (a *CSR) chunk(c, n int) (lo, hi int) {
	cuts := len(a.cut) - 1
	return int(a.cut[c*cuts/n]), int(a.cut[(c+1)*cuts/n])
}

// sortBlock is how many rows are sorted by length together.
const sortBlock = 64

// makeOrder makes the memory that arrange fills. Rows that are short are taken in an order of work in which rows of
// one length follow each other within every block of sortBlock rows: the n-th row to take is n + shift[n]. A CPU
// guesses the end of a row of 4 entries wrong almost every time, at the price of adding about 4
// more, unless the row before it was as long. For long rows there are no shifts.
func (a *CSR) makeOrder() {
	const long = 32
	most := a.Rows
	if a.Rows >= 2 && len(a.Idx) <= long*a.Rows {
		a.shift = make([]int16, a.Rows)
		most /= sortBlock
	}
	a.cut = make([]int32, max(1, min(maxCuts, most))+1)
}

// fillShifts orders the rows of every block by length.
func fillShifts(shift []int16, ptr []int64) {
	var key [sortBlock]int64
	rows := len(shift)
	for lo := 0; lo < rows; lo += sortBlock {
		n := min(sortBlock, rows-lo)
		if ptr[lo] == ptr[lo+n] { // no entries, so no order: most blocks of an index into a long table
			clear(shift[lo : lo+n])
			continue
		}
		for i := range n {
			key[i] = (ptr[lo+i+1]-ptr[lo+i])*sortBlock + int64(i)
		}
		slices.Sort(key[:n])
		for i := range n {
			shift[lo+i] = int16(int(key[i]%sortBlock) - i)
		}
	}
}
