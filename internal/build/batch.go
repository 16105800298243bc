package build

import (
	"runtime"
	"sync/atomic"
)

// BatchSize is the maximum number of names for FindAll and IDAll.
const BatchSize = 256

// batch is the state of a lookup of several names.
type batch struct {
	keys   [BatchSize]key
	hashes [BatchSize]uint32
	places [BatchSize]uint32
}

// FindAll is Find for up to BatchSize names: it writes their numbers to dst, −1 for unknown names.
//
// Overview: a name in a large table costs one read of memory that is not in the cache, or two if it is long. Here every
// read is made for all names before anything depends on it, so the waits overlap.
func (t *Names) FindAll(dst []int32, names [][]byte) {
	v := t.view.Load()
	if v == nil {
		for i := range names {
			dst[i] = -1
		}
		return
	}
	var b batch
	b.fetch(v, names)
	mask := uint32(len(v.slots) - 1)
	longs := 0
	for i, h := range b.hashes[:len(names)] {
		at, k := h&mask, b.keys[i]
		for {
			s := &v.slots[at]
			id := atomic.LoadInt32(&s.id)
			if id == 0 || s.hash == h && (s.key == k || k == far && !s.key.short()) {
				dst[i] = id - 1
				break
			}
			at = (at + 1) & mask
		}
		if k == far && dst[i] >= 0 {
			b.keys[i], b.places[longs] = v.slots[at].key, uint32(i)
			longs++
		}
	}
	b.verify(v, dst, names, b.places[:longs])
}

// IDAll is ID for up to BatchSize names, in order: it writes their numbers to dst.
func (t *Names) IDAll(dst []int32, names [][]byte) {
	if v := t.view.Load(); v != nil {
		var b batch
		b.fetch(v, names)
	}
	for i, name := range names {
		dst[i] = t.ID(name)
	}
}

// fetch computes the hashes of names and touches the slots where they should be.
func (b *batch) fetch(v *view, names [][]byte) {
	for i, name := range names {
		b.keys[i], b.hashes[i] = hash(name)
	}
	mask, touched := uint32(len(v.slots)-1), uint32(0)
	for _, h := range b.hashes[:len(names)] {
		touched ^= uint32(atomic.LoadInt32(&v.slots[h&mask].id))
	}
	runtime.KeepAlive(touched) // otherwise the compiler would drop the reads
}

// verify compares the long names, at the given places, with the names that have the same hash.
func (b *batch) verify(v *view, dst []int32, names [][]byte, places []uint32) {
	touched := byte(0)
	for _, i := range places {
		if begin := b.keys[i].offset(); begin+len(names[i]) <= len(v.bytes) {
			touched ^= v.bytes[begin] ^ v.bytes[begin+len(names[i])-1] // which may lie in the next cache line
		}
	}
	runtime.KeepAlive(touched)
	for _, i := range places {
		if !v.same(b.keys[i], dst[i]+1, names[i]) { // another name has the same hash
			_, id := v.probe(names[i], far, b.hashes[i])
			dst[i] = id - 1
		}
	}
}
