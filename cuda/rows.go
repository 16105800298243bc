//go:build cuda && linux && (amd64 || arm64) && !f64

package cuda

// rows is a list of entries by rows, as the kernels of gather.cu read it: row r has the entries ptr[r] ≤ e < ptr[r+1],
// entry e is in column idx[e] and belongs to edge[e]. Rows of more than longRow entries are listed too, after their
// number. All lies in one piece of memory.
type rows struct {
	all            ints
	count, n       int // rows, and entries that there is room for
	ptr, idx, edge []int32
	longs          []int32
	uneven         bool // it may have long rows
}

// longRow is LONG of gather.cu.
const longRow = 64

func (d *device) newRows(count, n int, edges bool) *rows {
	most, more := n/(longRow+1), 0
	if edges {
		more = n
	}
	x := &rows{all: d.newInts(count + 1 + n + more + 1 + most), count: count, n: n}
	at := x.all.host
	cut := func(n int) []int32 {
		part := at[:n:n]
		at = at[n:]
		return part
	}
	x.ptr, x.idx, x.edge, x.longs = cut(count+1), cut(n), cut(more), cut(1+most)
	return x
}

// sort lists entries by key, those of one key in their order: entry e is in column idx[e], e itself without idx, and
// has edge[e], e itself without edge.
func (x *rows) sort(key, idx, edge []int32) {
	clear(x.ptr)
	for _, k := range key {
		x.ptr[k+1]++
	}
	for r := range x.count {
		x.ptr[r+1] += x.ptr[r]
	}
	for e, k := range key {
		at := x.ptr[k]
		x.ptr[k]++
		x.idx[at] = int32(e)
		if idx != nil {
			x.idx[at] = idx[e]
		}
		switch {
		case edge != nil:
			x.edge[at] = edge[e]
		case len(x.edge) > 0:
			x.edge[at] = int32(e)
		}
	}
	copy(x.ptr[1:], x.ptr[:x.count])
	x.ptr[0] = 0
	x.findLong()
}

// findLong lists the long rows. A batch begins with all entries in one row: it has one then, or never.
func (x *rows) findLong() {
	n := int32(0)
	for r := range x.count {
		if x.ptr[r+1]-x.ptr[r] > longRow {
			n++
			x.longs[n] = int32(r)
		}
	}
	x.longs[0] = n
	x.uneven = x.uneven || n > 0
}

// addresses of a list on the card.
type addresses struct{ ptr, idx, edge, longs uintptr }

func (x *rows) on(d *device) addresses {
	at := d.use(x.all.block)
	idx := at + uintptr(4*(x.count+1))
	edge := idx + uintptr(4*x.n)
	a := addresses{at, idx, edge, edge + uintptr(4*len(x.edge))}
	return a
}

// sums are the first arguments and the size of a launch that sums the entries of rows of cols numbers, and whether it
// takes four at a time.
func (x *rows) sums(d *device, cols int, edges bool) (args [9]uint64, s size, four bool) {
	wide := 1
	if cols%4 == 0 {
		wide = 4
	}
	l := lanes(cols / wide)
	tiles := (cols/wide + l - 1) / l
	split, busy := 1, 4096*int(d.processors) // threads that keep the card busy
	for split*2*l <= 32 && (split*8 <= x.n/max(1, x.count) || x.count*tiles*l*split*2 <= busy) {
		split *= 2
	}
	blocks := 0
	if x.uneven {
		blocks = min(len(x.longs)*tiles, 4*int(d.processors))
	}
	a := x.on(d)
	if !edges {
		a.edge = 0
	}
	short := (x.count*tiles*l*split + 255) / 256
	return [9]uint64{p(a.ptr), p(a.idx), p(a.edge), p(a.longs), i(x.count), i(cols), i(l), i(split), i(blocks)},
		size{blocks + short, 1, 1, 256, 1}, wide == 4
}
