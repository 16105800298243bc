//go:build cuda && linux && (amd64 || arm64) && !f64

package cuda

import (
	"unsafe"

	"github.com/bloomgml/bloom/mat"
)

// ints is a list of whole numbers on the GPU, and where it is refilled from.
type ints struct {
	*block
	host []int32
}

func (d *device) newInts(n int) ints { return ints{d.allocate(4 * n), make([]int32, n)} }

// send copies the list to the GPU.
func (d *device) send(x ints) {
	d.upload(x.at, unsafe.Pointer(unsafe.SliceData(x.host)), 4*len(x.host))
}

// index is a list of ids, and for every id the positions that hold it.
type index struct {
	list    ints
	inverse *rows
}

func (x *index) Len() int         { return len(x.list.host) }
func (x *index) blocks() []*block { return []*block{x.list.block, x.inverse.all.block} }

// ids returns where the ids of an Index are.
func (d *device) ids(x *mat.Index) uintptr { return d.use(x.Buffer().(*index).list.block) }

func (d *device) Index(ids []int32, bound int) mat.Buffer {
	defer d.enterUnrecorded("Index").leave()
	x := &index{d.newInts(len(ids)), d.newRows(bound, len(ids), false)}
	x.fill(d, ids)
	return x
}

func (x *index) fill(d *device, ids []int32) {
	copy(x.list.host, ids)
	d.send(x.list)
	x.inverse.sort(x.list.host, nil, nil)
	d.send(x.inverse.all)
}

func (d *device) UpdateIndex(x mat.Buffer, ids []int32) {
	defer d.enterUnrecorded("UpdateIndex").leave()
	to := x.(*index)
	if len(ids)+to.inverse.count < d.sortFrom {
		to.fill(d, ids)
		return
	}
	d.upload(to.list.at, unsafe.Pointer(unsafe.SliceData(ids)), 4*len(ids))
	d.sortInto(to.inverse, unsorted{n: len(ids), key: to.list.at})
}

// pattern is a Sparse by rows, where edge is the row of an entry, and by columns, where it is its number.
type pattern struct{ byRow, byCol *rows }

func (x *pattern) Len() int         { return x.byRow.n }
func (x *pattern) blocks() []*block { return []*block{x.byRow.all.block, x.byCol.all.block} }

func (d *device) Pattern(n, cols int, ptr []int64, idx []int32) mat.Buffer {
	defer d.enterUnrecorded("Pattern").leave()
	x := &pattern{d.newRows(n, len(idx), true), d.newRows(cols, len(idx), true)}
	for row := range n {
		for e := ptr[row]; e < ptr[row+1]; e++ {
			x.byRow.edge[e] = int32(row)
		}
		x.byRow.ptr[row+1] = int32(ptr[row+1])
	}
	x.fill(d, idx)
	return x
}

func (x *pattern) fill(d *device, idx []int32) {
	copy(x.byRow.idx, idx)
	x.byRow.findLong()
	x.byCol.sort(idx, x.byRow.edge, nil)
	d.send(x.byRow.all)
	d.send(x.byCol.all)
}

func (d *device) UpdatePattern(s mat.Buffer, idx []int32) {
	defer d.enterUnrecorded("UpdatePattern").leave()
	to := s.(*pattern)
	if len(idx)+to.byCol.count < d.sortFrom {
		to.fill(d, idx)
		return
	}
	a := to.byRow.addressesOn(d)
	d.upload(a.idx, unsafe.Pointer(unsafe.SliceData(idx)), 4*len(idx))
	d.sortInto(to.byCol, unsorted{n: len(idx), key: a.idx, idx: a.edge})
}

// triples are listed by each of their three numbers, where edge is the last of the others; first has the first number
// of every triple.
type triples struct {
	by    [3]*rows
	first ints
}

func (x *triples) Len() int { return x.by[0].n }
func (x *triples) blocks() []*block {
	return []*block{x.by[0].all.block, x.by[1].all.block, x.by[2].all.block, x.first.block}
}

// others are the two other places of a triple.
var others = [3][2]int{{1, 2}, {0, 2}, {0, 1}}

func (d *device) Triples(bounds [3]int, ids [3][]int32) mat.Buffer {
	defer d.enterUnrecorded("Triples").leave()
	x := &triples{first: d.newInts(len(ids[0]))}
	for to := range x.by {
		x.by[to] = d.newRows(bounds[to], len(ids[0]), true)
	}
	x.fill(d, ids)
	return x
}

func (x *triples) fill(d *device, ids [3][]int32) {
	for to, o := range others {
		x.by[to].sort(ids[to], ids[o[0]], ids[o[1]])
		d.send(x.by[to].all)
	}
	copy(x.first.host, ids[0])
	d.send(x.first)
}

func (d *device) UpdateTriples(t mat.Buffer, ids [3][]int32) {
	defer d.enterUnrecorded("UpdateTriples").leave()
	to := t.(*triples)
	if n := len(ids[0]); n == 0 || n+max(to.by[0].count, to.by[1].count, to.by[2].count) < d.sortFrom {
		to.fill(d, ids)
		return
	}
	to.sort(d, ids)
}

// sort is fill on the GPU.
func (x *triples) sort(d *device, ids [3][]int32) {
	n := len(ids[0])
	room := d.scratch(3 * 4 * n)
	defer d.done(room)
	var at [3]uintptr
	for k := range ids {
		at[k] = room.at + uintptr(4*n*k)
		d.upload(at[k], unsafe.Pointer(unsafe.SliceData(ids[k])), 4*n)
	}
	for to, o := range others {
		d.sortInto(x.by[to], unsorted{n: n, key: at[to], idx: at[o[0]], edge: at[o[1]], ordered: to == 0})
	}
	d.move(x.first.at, at[0], n)
}

// groups holds the bounds of groups.
type groups struct{ list ints }

func (x *groups) Len() int         { return len(x.list.host) - 1 }
func (x *groups) blocks() []*block { return []*block{x.list.block} }

func (d *device) Groups(bounds []int) mat.Buffer {
	defer d.enterUnrecorded("Groups").leave()
	x := &groups{d.newInts(len(bounds))}
	x.fill(d, bounds)
	return x
}

func (x *groups) fill(d *device, bounds []int) {
	for g, at := range bounds {
		x.list.host[g] = int32(at)
	}
	d.send(x.list)
}

func (d *device) UpdateGroups(g mat.Buffer, bounds []int) {
	defer d.enterUnrecorded("UpdateGroups").leave()
	g.(*groups).fill(d, bounds)
}

// seed holds the number of a mat.Seed.
type seed struct{ *block }

func (*seed) Len() int { return 1 }

func (d *device) Seed() mat.Buffer {
	defer d.enterUnrecorded("Seed").leave()
	s := &seed{d.allocate(8)}
	d.zero(s.at, 2)
	return s
}

func (d *device) UpdateSeed(s mat.Buffer, v uint64) {
	defer d.enterUnrecorded("UpdateSeed").leave()
	at := s.(*seed).at
	for half, word := range [...]uint32{uint32(v), uint32(v >> 32)} {
		d.must("filling", d.callDirect(d.library.fill, at+uintptr(4*half), uintptr(word), 1, d.stream))
	}
}
