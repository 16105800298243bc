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

// sort lists entries by key, keeping the order of entries with the same key: entry e is in column idx[e], e itself
// without idx, and has edge[e], e itself without edge.
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

// addresses of a list on the GPU.
type addresses struct{ ptr, idx, edge, longs uintptr }

func (x *rows) addressesOn(d *device) addresses {
	at := d.use(x.all.block)
	idx := at + uintptr(4*(x.count+1))
	edge := idx + uintptr(4*x.n)
	a := addresses{at, idx, edge, edge + uintptr(4*len(x.edge))}
	return a
}

// cacheBytes is how much of what all rows read may be under way at once, to stay in the cache of the GPU; busy how
// many threads of a processor keep it so.
const cacheBytes, busy = 48 << 20, 1024

// together returns how many numbers of a row of n are taken at a time, as a power of two: 0, 1 or 2.
func together(n int) int {
	switch {
	case n%4 == 0:
		return 2
	case n%2 == 0:
		return 1
	}
	return 0
}

// sums returns the first arguments and the size of a launch that sums the entries of rows of cols numbers, out of a
// matrix of from rows.
func (x *rows) sums(d *device, cols, from int, edges bool) (args [9]uint64, s size) {
	piece := 1 << together(cols)
	most := 32
	for most > 8 && 4*cols*from > cacheBytes && 4*piece*most*from > cacheBytes {
		most /= 2
	}
	tiles := max(1, (cols/piece+most-1)/most)
	l := max(1, (cols/piece+tiles-1)/tiles)
	split, blocks := x.split(d, l, tiles), 0
	if x.uneven {
		blocks = min(len(x.longs), 16*int(d.processors))
	}
	a := x.addressesOn(d)
	if !edges {
		a.edge = 0
	}
	units := 8 * (32 / (l * split)) // of a block
	return [9]uint64{p(a.ptr), p(a.idx), p(a.edge), p(a.longs), i(x.count), i(cols), i(l), i(split), i(blocks)},
		size{blocks + (x.count+units-1)/units, tiles, 1, 256, 1, 0}
}

// split returns the number of groups of l threads, for tiles of a row, that the entries of a row are cut into: the most
// that fit in a warp if rows are too few to keep the GPU busy. It is a power of two.
func (x *rows) split(d *device, l, tiles int) int {
	n := 1
	for 2*n*l <= 32 && 2*n*l*x.count*tiles <= busy*int(d.processors) {
		n *= 2
	}
	return n
}
