package build

import (
	"bytes"
	"encoding/binary"
	"hash/maphash"
	"math"
	"math/bits"
	"sync/atomic"
	"unsafe"

	"github.com/bloomgml/bloom/internal/host"
)

// Names maps names to numbers in order of first appearance. The zero value is an empty table. One goroutine may add
// names while others call Find and FindAll, which may or may not see what is being added; the other methods are for the
// goroutine that adds.
//
// Overview: open addressing with linear probing, at most half full. A slot holds the number plus one, 32 bits of the
// hash and a key: the name itself where it is short, else where its bytes are, which are compared only where hash and
// length agree. The names lie end to end in one array: a new name costs no allocation of its own, a known one costs
// none. A slot is complete before its number is stored; arrays that have become too small are replaced, not changed, so
// that whoever still reads the old ones only misses what came later.
type Names struct {
	ends  []int64
	bytes []byte
	view  atomic.Pointer[view]
}

// view is what Find reads.
type view struct {
	slots []slot // a power of two of them
	bytes []byte // the arrays of Table.bytes and Table.ends up to their capacity
	ends  []int64
}

// slot is empty if id is 0.
type slot struct {
	key  key
	hash uint32
	id   int32 // the number plus one, read and written atomically
}

// NewNames returns an empty table with room for n names of size bytes in all. Both are hints.
func NewNames(n, size int) *Names {
	t := &Names{ends: make([]int64, 0, n), bytes: make([]byte, 0, size)}
	host.AdviseHuge(t.ends)
	host.AdviseHuge(t.bytes)
	t.grow(max(16, 2*n))
	return t
}

// Len returns the number of names.
func (t *Names) Len() int { return len(t.ends) }

// Ends returns, for every name, where it ends in Bytes; it starts where the previous one ends. The slice belongs to the
// table as long as names are added.
func (t *Names) Ends() []int64 { return t.ends }

// Bytes returns the names end to end. The slice belongs to the table, like Ends.
func (t *Names) Bytes() []byte { return t.bytes }

// Freeze releases the memory that only Find, FindAll and ID need. None of them may be called afterwards.
func (t *Names) Freeze() { t.view.Store(nil) }

// Fits reports whether n more names of size bytes in all need no larger arrays.
func (t *Names) Fits(n, size int) bool {
	v := t.view.Load()
	return v != nil && len(t.ends)+n <= cap(t.ends) && len(t.bytes)+size <= cap(t.bytes) &&
		2*(len(t.ends)+n) < len(v.slots)
}

// SizeWith returns how many bytes the table would take with n more names of size bytes in all, including the arrays
// that it outgrows.
func (t *Names) SizeWith(n, size int) int64 {
	ends, room, slots := cap(t.ends), cap(t.bytes), 0
	if v := t.view.Load(); v != nil {
		slots = len(v.slots)
	}
	if len(t.ends)+n > ends {
		ends += max(len(t.ends)+n, 3*ends/2)
	}
	if len(t.bytes)+size > room {
		room += max(len(t.bytes)+size, 3*room/2)
	}
	if n > 0 && 2*(len(t.ends)+n) >= slots {
		slots += 4 * max(len(t.ends)+n, slots/2)
	}
	return int64(ends)*8 + int64(room) + int64(slots)*int64(unsafe.Sizeof(slot{}))
}

// At returns the name with number id, as a slice of Bytes.
func (t *Names) At(id int32) []byte {
	start := int64(0)
	if id > 0 {
		start = t.ends[id-1]
	}
	return t.bytes[start:t.ends[id]]
}

// Names returns all names, in the order of their numbers.
func (t *Names) Names() []string {
	names := make([]string, t.Len())
	for i := range names {
		names[i] = string(t.At(int32(i)))
	}
	return names
}

// Find returns the number of name, if it has one.
func (t *Names) Find(name []byte) (id int32, ok bool) {
	v := t.view.Load()
	if v == nil {
		return 0, false
	}
	k, h := hash(name)
	_, id = v.probe(name, k, h)
	return id - 1, id != 0
}

// ID returns the number of name, the next free one if it is new. The name is copied. It panics
// beyond 2³¹−2 names, which no graph can have, and beyond 2⁴⁰ bytes of them.
func (t *Names) ID(name []byte) int32 {
	v := t.view.Load()
	if v == nil || 2*len(t.ends) >= len(v.slots) {
		v = t.grow(max(16, 4*len(t.ends)))
	}
	k, h := hash(name)
	at, id := v.probe(name, k, h)
	if id == 0 {
		if len(t.ends) == math.MaxInt32-1 || len(t.bytes) > maxBytes-len(name) {
			panic("intern: more than 2³¹−2 names, or 2⁴⁰ bytes")
		}
		if !k.short() {
			k = farKey(len(t.bytes), len(name))
		}
		v = t.append(name)
		id = int32(len(t.ends))
		s := &v.slots[at]
		s.key, s.hash = k, h
		atomic.StoreInt32(&s.id, id)
	}
	return id - 1
}

// append copies a name to the end.
func (t *Names) append(name []byte) *view {
	v := t.view.Load()
	if len(t.ends) == cap(t.ends) || cap(t.bytes)-len(t.bytes) < len(name) {
		if len(t.ends) == cap(t.ends) {
			t.ends = host.GrowHuge(t.ends, max(16, len(t.ends)/2))
		}
		if cap(t.bytes)-len(t.bytes) < len(name) {
			t.bytes = host.GrowHuge(t.bytes, max(256, len(name), len(t.bytes)/2))
		}
		v = t.show(v.slots)
	}
	t.bytes = append(t.bytes, name...)
	t.ends = append(t.ends, int64(len(t.bytes)))
	return v
}

// show publishes the current arrays to Find.
func (t *Names) show(slots []slot) *view {
	v := &view{slots, t.bytes[:cap(t.bytes)], t.ends[:cap(t.ends)]}
	t.view.Store(v)
	return v
}

// probe returns the position in slots of name, whose key and hash are given, or of the empty slot where it belongs, and
// the content of the slot: the number plus one, or 0. A name whose bytes this view does not have yet counts as a
// different one.
func (v *view) probe(name []byte, k key, h uint32) (at int, id int32) {
	mask := len(v.slots) - 1
	for at = int(h) & mask; ; at = (at + 1) & mask {
		s := &v.slots[at]
		id = atomic.LoadInt32(&s.id)
		if id == 0 || s.hash == h && (s.key == k || k == far && v.same(s.key, id, name)) {
			return at, id
		}
	}
}

// same reports whether the slot with key k and id, its number plus one, holds name, which is a long one.
func (v *view) same(k key, id int32, name []byte) bool {
	if k.short() || k.size() != min(len(name), maxSize) {
		return false
	}
	begin := k.offset()
	end := begin + len(name)
	if end > len(v.bytes) || int(id) > len(v.ends) || k.size() == maxSize && v.ends[id-1] != int64(end) {
		return false
	}
	return bytes.Equal(v.bytes[begin:end], name)
}

// grow moves all names to at least n slots.
func (t *Names) grow(n int) *view {
	size := 16
	for size < n {
		size *= 2
	}
	slots := make([]slot, size)
	host.AdviseHuge(slots)
	if old := t.view.Load(); old != nil {
		for _, s := range old.slots {
			if s.id == 0 {
				continue
			}
			at := int(s.hash) & (size - 1)
			for slots[at].id != 0 {
				at = (at + 1) & (size - 1)
			}
			slots[at] = s
		}
	}
	return t.show(slots)
}

// key is a name of up to 7 bytes with its length in the highest byte, or, where that is 255, the place of a
// longer one: 16 bits of its length, 40 bits of where it begins.
type key uint64

const (
	far      = ^key(0)   // the key of long names before they are stored
	maxShort = 7         // bytes of a name that is its own key
	maxSize  = 1<<16 - 1 // the stored length of names with this many bytes or more
	maxBytes = 1 << 40   // of all names
)

// farKey returns the key of a name of n bytes, more than maxShort, that begins at begin.
func farKey(begin, n int) key { return 0xff<<56 | key(min(n, maxSize))<<40 | key(begin) }

func (k key) short() bool { return k < 0xff<<56 }
func (k key) size() int   { return int(k >> 40 & maxSize) }
func (k key) offset() int { return int(k & (maxBytes - 1)) }

// seed and mixers are random in every process, so nobody can prepare names that collide. Numbers do not depend on them.
var (
	seed   = maphash.MakeSeed()
	mixers = [2]uint64{maphash.String(seed, "add"), maphash.String(seed, "times") | 1}
)

// hash returns 32 bits of the hash of name, and its key if it is short, otherwise far.
func hash(name []byte) (key, uint32) {
	n := len(name)
	if n > maxShort {
		return far, uint32(maphash.Bytes(seed, name))
	}
	var x uint64
	switch {
	case n >= 4: // two reads that overlap; what both see lies in the same place
		x = uint64(binary.LittleEndian.Uint32(name)) | uint64(binary.LittleEndian.Uint32(name[n-4:]))<<(8*(n-4))
	case n >= 2:
		x = uint64(binary.LittleEndian.Uint16(name)) | uint64(name[n-1])<<(8*(n-1))
	case n == 1:
		x = uint64(name[0])
	}
	x |= uint64(n) << 56
	high, low := bits.Mul64(x^mixers[0], mixers[1])
	return key(x), uint32(high ^ low)
}
