package build

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strconv"
	"testing"
)

// TestFindAll compares with Find, for tables of all sizes up to crowded ones.
func TestFindAll(t *testing.T) {
	const seed = 3
	r := rand.New(rand.NewPCG(seed, 0))
	for _, size := range []int{0, 1, 5, 100, 5000} {
		var table Names
		for range size {
			table.ID([]byte(strconv.Itoa(r.IntN(2 * size))))
		}
		for range 50 {
			names := make([][]byte, r.IntN(BatchSize+1))
			for i := range names {
				names[i] = []byte(strconv.Itoa(r.IntN(2*size + 1)))
			}
			dst := make([]int32, len(names))
			table.FindAll(dst, names)
			for i, name := range names {
				want, ok := table.Find(name)
				if !ok {
					want = -1
				}
				if dst[i] != want {
					t.Fatalf("seed %d, %d names: FindAll(%q) = %d, want %d", seed, size, name, dst[i], want)
				}
			}
		}
	}
}

// TestIDAll compares with ID, for batches in which names repeat.
func TestIDAll(t *testing.T) {
	const seed = 4
	r := rand.New(rand.NewPCG(seed, 0))
	var table, plain Names
	for range 100 {
		names := make([][]byte, r.IntN(BatchSize+1))
		for i := range names {
			names[i] = fmt.Appendf(nil, "%d", r.IntN(5000)*r.IntN(5000))
		}
		dst := make([]int32, len(names))
		table.IDAll(dst, names)
		for i, name := range names {
			if want := plain.ID(name); dst[i] != want {
				t.Fatalf("seed %d: IDAll(%q) = %d, want %d", seed, name, dst[i], want)
			}
		}
	}
}

// BenchmarkFindAll looks up names in a table of a million, drawn at random.
func BenchmarkFindAll(b *testing.B) {
	for _, c := range []struct{ name, format string }{{"short", "%d"}, {"long", "user-%d@example.org"}} {
		b.Run(c.name, func(b *testing.B) {
			var table Names
			r := rand.New(rand.NewPCG(1, 0))
			names := make([][]byte, 1<<20)
			for i := range names {
				names[i] = fmt.Appendf(nil, c.format, i)
				table.ID(names[i])
			}
			r.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
			text := bytes.Join(names, nil) // in the order in which they are asked for, as in a file
			for i, name := range names {
				names[i], text = text[:len(name):len(name)], text[len(name):]
			}
			var dst [BatchSize]int32
			at := 0
			for b.Loop() {
				table.FindAll(dst[:], names[at:at+BatchSize])
				at = (at + BatchSize) % len(names)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/BatchSize, "ns/name")
		})
	}
}
