package build

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"testing"
)

// TestAgainstMap compares with Go's map on names that repeat, the empty one among them.
func TestAgainstMap(t *testing.T) {
	const seed = 7
	r := rand.New(rand.NewPCG(seed, 0))
	for _, table := range []*Names{{}, NewNames(0, 0), NewNames(5000, 100)} {
		want := map[string]int32{}
		for i := range 20000 {
			name := strconv.Itoa(r.IntN(8000))
			if r.IntN(50) == 0 {
				name = ""
			}
			id, known := want[name]
			if got, ok := table.Find([]byte(name)); ok != known || ok && got != id {
				t.Fatalf("seed %d, draw %d: Find(%q) = %d, %v; want %d, %v", seed, i, name, got, ok, id, known)
			}
			if !known {
				id = int32(len(want))
				want[name] = id
			}
			if got := table.ID([]byte(name)); got != id {
				t.Fatalf("seed %d, draw %d: ID(%q) = %d, want %d", seed, i, name, got, id)
			}
		}
		if table.Len() != len(want) {
			t.Fatalf("Len = %d, want %d", table.Len(), len(want))
		}
		for i, name := range table.Names() {
			if want[name] != int32(i) {
				t.Fatalf("name %d is %q, whose number is %d", i, name, want[name])
			}
		}
	}
}

// TestNameIsCopied changes the caller's slice after it was numbered.
func TestNameIsCopied(t *testing.T) {
	var table Names
	name := []byte("a")
	table.ID(name)
	name[0] = 'b'
	if id, ok := table.Find([]byte("a")); !ok || id != 0 {
		t.Errorf("Find(a) = %d, %v after the caller's bytes changed", id, ok)
	}
	if _, ok := table.Find(name); ok {
		t.Error("b is found, but only a was added")
	}
}

// TestKnownNamesAllocateNothing is the reason why this package exists.
func TestKnownNamesAllocateNothing(t *testing.T) {
	var table Names
	names := make([][]byte, 1000)
	for i := range names {
		names[i] = []byte(strconv.Itoa(i))
		table.ID(names[i])
	}
	n := testing.AllocsPerRun(10, func() {
		for _, name := range names {
			table.ID(name)
		}
	})
	if n != 0 {
		t.Errorf("%v allocations for 1000 known names", n)
	}
}

func ExampleNames() {
	var t Names
	for _, name := range []string{"alice", "bob", "alice"} {
		fmt.Println(name, t.ID([]byte(name)))
	}
	_, ok := t.Find([]byte("carol"))
	fmt.Println(ok, t.Len(), string(t.Bytes()), t.Ends())
	// Output:
	// alice 0
	// bob 1
	// alice 0
	// false 2 alicebob [5 8]
}
