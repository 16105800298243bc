package build

import (
	"encoding/binary"
	"hash/maphash"
	"math/bits"
)

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
