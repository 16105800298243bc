// Package intern numbers names: the first that is seen is 0, the next new one 1, and so on.
package intern

import (
	"bytes"
	"hash/maphash"
	"math"
)

// Table maps names to numbers in order of first appearance. The zero value is an empty table. It is
// not safe for concurrent use, except for Find and the other reading methods among themselves.
//
// Overview: open addressing with linear probing, at most half full. A slot holds 32 bits of the
// hash beside the number plus one, so that bytes are compared only where these bits agree. The names
// lie end to end in one array: a new name costs no allocation of its own, a known one costs none.
type Table struct {
	slots []slot // a power of two of them
	ends  []int64
	bytes []byte
}

// slot is empty where id is 0.
type slot struct {
	hash uint32
	id   int32 // the number plus one
}

// seed is chosen anew for every process, so that nobody can prepare names that collide. Numbers do
// not depend on it.
var seed = maphash.MakeSeed()

// NewTable returns an empty table with room for n names of size bytes in all. Both are hints.
func NewTable(n, size int) *Table {
	t := &Table{ends: make([]int64, 0, n), bytes: make([]byte, 0, size)}
	t.grow(max(16, 2*n))
	return t
}

// Len is the number of names.
func (t *Table) Len() int { return len(t.ends) }

// Ends gives for every name where it ends in Bytes; it starts where the one before ends. The slice
// belongs to the table until that is no longer added to.
func (t *Table) Ends() []int64 { return t.ends }

// Bytes are the names end to end. The slice belongs to the table, like Ends.
func (t *Table) Bytes() []byte { return t.bytes }

// At is the name with number id, as a slice of Bytes.
func (t *Table) At(id int32) []byte {
	start := int64(0)
	if id > 0 {
		start = t.ends[id-1]
	}
	return t.bytes[start:t.ends[id]]
}

// Names are all names, in the order of their numbers.
func (t *Table) Names() []string {
	names := make([]string, t.Len())
	for i := range names {
		names[i] = string(t.At(int32(i)))
	}
	return names
}

// Find returns the number of name, if it has one.
func (t *Table) Find(name []byte) (id int32, ok bool) {
	if len(t.slots) == 0 {
		return 0, false
	}
	s := t.slots[t.probe(name, hash(name))]
	return s.id - 1, s.id != 0
}

// ID returns the number of name, the next free one if it is new. The name is copied. It panics
// beyond 2³¹−2 names, which no graph can have.
func (t *Table) ID(name []byte) int32 {
	if 2*len(t.ends) >= len(t.slots) {
		t.grow(max(16, 4*len(t.ends)))
	}
	h := hash(name)
	s := &t.slots[t.probe(name, h)]
	if s.id == 0 {
		if len(t.ends) == math.MaxInt32-1 {
			panic("intern: more than 2³¹−2 names")
		}
		t.bytes = append(t.bytes, name...)
		t.ends = append(t.ends, int64(len(t.bytes)))
		*s = slot{hash: h, id: int32(len(t.ends))}
	}
	return s.id - 1
}

// probe is the position of name in slots, or of the empty slot where it belongs.
func (t *Table) probe(name []byte, h uint32) int {
	mask := len(t.slots) - 1
	i := int(h) & mask
	for {
		s := t.slots[i]
		if s.id == 0 || s.hash == h && bytes.Equal(t.At(s.id-1), name) {
			return i
		}
		i = (i + 1) & mask
	}
}

// grow moves all names to a table of at least n slots.
func (t *Table) grow(n int) {
	size := 16
	for size < n {
		size *= 2
	}
	old := t.slots
	t.slots = make([]slot, size)
	for _, s := range old {
		if s.id == 0 {
			continue
		}
		i := int(s.hash) & (size - 1)
		for t.slots[i].id != 0 {
			i = (i + 1) & (size - 1)
		}
		t.slots[i] = s
	}
}

// hash is 32 bits of the hash of name.
func hash(name []byte) uint32 { return uint32(maphash.Bytes(seed, name)) }
