//go:build cuda && linux && (amd64 || arm64) && !f64

package cuda

import "math/bits"

// Sizes of sort.cu.
const (
	sortChunk = 1024 // entries of a block
	sortBits  = 8    // of a digit, at most
)

// unsorted are n entries whose keys are on the GPU: entry e is in column idx[e] and has edge[e], e itself where one of
// them is 0.
type unsorted struct {
	n              int
	key, idx, edge uintptr
	ordered        bool // the keys are in order
}

// sortInto is rows.sort on the GPU.
func (d *device) sortInto(x *rows, from unsorted) {
	to, keys, numbers := x.addressesOn(d), from.key, uintptr(0)
	if !from.ordered {
		room := d.scratch(4 * 4 * from.n)
		defer d.done(room)
		keys, numbers = d.sorted(from.key, from.n, x.count, room.at)
	}
	if len(x.edge) == 0 {
		to.edge = 0
	}
	d.launch(d.kernels.SortFirst, d.each(x.count+1), p(to.ptr), p(keys), i(from.n), i(x.count))
	d.launch(d.kernels.SortTake, d.each(from.n), p(to.idx), p(to.edge), p(numbers), p(from.idx), p(from.edge),
		i(from.n))
	d.launch(d.kernels.SortLong, size{1, 1, 1, 1024, 1, 0}, p(to.longs), p(to.ptr), i(x.count), i(longRow))
	x.uneven = x.uneven || x.n > longRow
}

// sorted returns n keys below bound in order, and which entries they belong to, in room for 4n numbers.
func (d *device) sorted(key uintptr, n, bound int, room uintptr) (keys, numbers uintptr) {
	width := max(1, bits.Len(uint(max(0, bound-1))))
	passes := (width + sortBits - 1) / sortBits
	width = (width + passes - 1) / passes
	blocks := (n + sortChunk - 1) / sortChunk
	counts := d.scratch(4 * blocks << width)
	defer d.done(counts)
	keys = key
	for k := range passes {
		to := room + uintptr(8*n*(k%2))
		shift, mask := i(k*width), i(1<<width-1)
		each := size{blocks, 1, 1, 256, 1, 0}
		d.launch(d.kernels.SortCount, each, p(counts.at), p(keys), i(n), shift, mask)
		d.launch(d.kernels.SortPlaces, size{1, 1, 1, 1024, 1, 0}, p(counts.at), i(blocks<<width))
		d.launch(d.kernels.SortMove, each, p(to), p(to+uintptr(4*n)), p(keys), p(numbers), p(counts.at), i(n), shift,
			mask)
		keys, numbers = to, to+uintptr(4*n)
	}
	return keys, numbers
}
