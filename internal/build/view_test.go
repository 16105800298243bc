package build

import (
	"bytes"
	"fmt"
	"sync"
	"testing"
)

// TestLengths has names of all lengths near those at which a name is kept differently, prefixes of each other and
// differing in one byte, zero bytes among them.
func TestLengths(t *testing.T) {
	var names [][]byte
	for _, n := range []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 16, 1 << 10, maxSize - 1, maxSize, maxSize + 1, 2 * maxSize} {
		for _, fill := range []byte{0, 'a'} {
			name := bytes.Repeat([]byte{fill}, n)
			if n == 0 && fill > 0 {
				continue
			}
			names = append(names, name)
			for _, i := range []int{0, n / 2, n - 1} {
				if n >= 3 {
					other := bytes.Clone(name)
					other[i] = 'b'
					names = append(names, other)
				}
			}
		}
	}
	var table Names
	for i, name := range names {
		if _, ok := table.Find(name); ok {
			t.Fatalf("name %d, of %d bytes, is found before it is added", i, len(name))
		}
		if id := table.ID(name); id != int32(i) {
			t.Fatalf("name %d, of %d bytes, is number %d", i, len(name), id)
		}
	}
	dst := make([]int32, len(names))
	table.FindAll(dst, names)
	for i, name := range names {
		if id, ok := table.Find(name); !ok || id != int32(i) || dst[i] != id || !bytes.Equal(table.At(id), name) {
			t.Errorf("name %d, of %d bytes: Find %d, %v, FindAll %d", i, len(name), id, ok, dst[i])
		}
	}
}

// TestFindWhileAdding reads while names are added. What was added before the readers began must be found, and nothing
// may get a number that is not its own; the race detector sees the rest.
func TestFindWhileAdding(t *testing.T) {
	const known, all = 1000, 20000
	name := func(i int) []byte {
		if i%2 == 0 {
			return fmt.Appendf(nil, "%d", i)
		}
		return fmt.Appendf(nil, "a longer name, number %d", i)
	}
	var table Names
	for i := range known {
		table.ID(name(i))
	}
	var group sync.WaitGroup
	for reader := range 3 {
		group.Go(func() {
			for begin := reader; begin+BatchSize <= all; begin += 97 {
				var names [BatchSize][]byte
				var dst [BatchSize]int32
				for i := range names {
					names[i] = name(begin + i)
				}
				table.FindAll(dst[:], names[:])
				for i, got := range dst {
					id, ok := table.Find(names[i])
					want := int32(begin + i)
					if got != want && (got != -1 || want < known) || ok && id != want || !ok && got >= 0 {
						t.Errorf("%q: FindAll %d, then Find %d, %v; want %d", names[i], got, id, ok, want)
						return
					}
				}
			}
		})
	}
	for i := known; i < all; i++ {
		table.ID(name(i))
	}
	group.Wait()
}
