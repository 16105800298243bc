package intern

import (
	"bytes"
	"runtime"
)

// BatchSize is the most names that FindAll takes.
const BatchSize = 256

// FindAll is Find for up to BatchSize names: dst gets their numbers, −1 where they have none.
//
// Overview: a name in a large table costs three reads of memory that is not in the cache, each of which waits
// for the one before. Here every read is made for all names before the next one, so that the waits overlap.
func (t *Table) FindAll(dst []int32, names [][]byte) {
	names = names[:min(len(names), BatchSize)]
	if len(t.slots) == 0 {
		for i := range names {
			dst[i] = -1
		}
		return
	}
	var (
		hashes   [BatchSize]uint32
		found    [BatchSize]slot
		from, to [BatchSize]int64
	)
	mask := uint32(len(t.slots) - 1)
	for i, name := range names {
		hashes[i] = hash(name)
	}
	for i, h := range hashes[:len(names)] {
		at := h & mask
		for t.slots[at].id != 0 && t.slots[at].hash != h {
			at = (at + 1) & mask
		}
		found[i] = t.slots[at]
	}
	for i := range names {
		if id := found[i].id; id > 0 {
			to[i] = t.ends[id-1]
			if id > 1 {
				from[i] = t.ends[id-2]
			}
		}
	}
	touched := byte(0)
	for i := range names {
		if from[i] < to[i] {
			touched ^= t.bytes[from[i]]
		}
	}
	for i, name := range names {
		switch s := found[i]; {
		case s.id == 0:
			dst[i] = -1
		case bytes.Equal(t.bytes[from[i]:to[i]], name):
			dst[i] = s.id - 1
		default: // another name has the same hash
			dst[i] = t.slots[t.probe(name, hashes[i])].id - 1
		}
	}
	runtime.KeepAlive(touched) // or the reads would be left out
}
