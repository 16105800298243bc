package kernel

import "sync"

// orderWindow is how far rows are moved by rowOrder: far enough for long runs of rows of one
// length, near enough for their numbers to be in the first-level cache together.
const orderWindow = 512

// rowOrder is a permutation of the rows of a pattern, made when it is first asked for.
type rowOrder struct {
	once sync.Once
	rows []int32
}

// byLength is the rows of a, sorted by their number of entries within windows that do not cross a
// chunk: position k of chunk c holds a row of chunk c. Where rows are short, a loop over entries
// ends in a mispredicted branch for most of them, which costs as much as the row; taken in this
// order, rows of one length follow each other. The order of rows is not seen in any result.
func (a *CSR) byLength() []int32 {
	a.order.once.Do(func() {
		a.order.rows = make([]int32, a.Rows)
		a.sortRows()
	})
	return a.order.rows
}

// sortRows fills the order.
func (a *CSR) sortRows() {
	for c := range len(a.cut) - 1 {
		end := int(a.cut[c+1])
		for lo := int(a.cut[c]); lo < end; lo += orderWindow {
			a.sortWindow(lo, min(lo+orderWindow, end))
		}
	}
}

// sortWindow sorts rows lo..hi by counting; lengths beyond the last count share it.
func (a *CSR) sortWindow(lo, hi int) {
	var next [129]int
	length := func(i int) int { return int(min(a.Ptr[i+1]-a.Ptr[i], int64(len(next)-2))) }
	for i := lo; i < hi; i++ {
		next[length(i)+1]++
	}
	for l := range len(next) - 1 {
		next[l+1] += next[l]
	}
	for i := lo; i < hi; i++ {
		l := length(i)
		a.order.rows[lo+next[l]] = int32(i)
		next[l]++
	}
}
