package kernel

import (
	"slices"
	"sort"
)

// maxCuts is how many chunks a pattern is cut into: enough to balance the load over several threads.
const maxCuts = 64

// cutRows cuts the rows into at most maxCuts chunks of about the same entries + rows. It depends on
// the pattern alone. Chunks start at multiples of align.
func cutRows(rows int, ptr []int64, align int) []int32 {
	cut := make([]int32, max(1, min(maxCuts, rows/align))+1)
	fillCuts(cut, rows, ptr, align)
	return cut
}

// fillCuts is cutRows into len(cut)−1 chunks.
func fillCuts(cut []int32, rows int, ptr []int64, align int) {
	n := len(cut) - 1
	total := ptr[rows] + int64(rows)
	for c := range cut {
		want := total * int64(c) / int64(n)
		i := sort.Search(rows, func(i int) bool { return ptr[i]+int64(i) >= want })
		cut[c] = int32(min((i+align/2)/align*align, rows))
	}
	cut[0], cut[n] = 0, int32(rows)
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

// sortBlocks returns, for rows that are short, an order of work in which rows of one length follow
// each other within every block of sortBlock rows: the n-th row to take is n + shift[n]. A CPU
// guesses the end of a row of 4 entries wrong almost every time, at the price of adding about 4
// more, unless the row before it was as long. For long rows it returns nil: all shifts are 0.
func sortBlocks(rows int, ptr []int64) []int16 {
	const long = 32
	if rows < 2 || ptr[rows] > long*int64(rows) {
		return nil
	}
	shift := make([]int16, rows)
	fillShifts(shift, ptr)
	return shift
}

// fillShifts is sortBlocks into shift.
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

// rowAlign returns the alignment of chunks of a pattern with these shifts: a chunk starts at a multiple of it.
func rowAlign(shift []int16) int {
	if shift == nil {
		return 1
	}
	return sortBlock
}
