package graph

import (
	"encoding/binary"
	"math"
	"slices"
	"testing"

	"github.com/bloomgml/bloom/mat"
)

// FuzzBuild reads a spec out of arbitrary bytes. Build must not panic, and what it accepts must
// satisfy the invariants and agree with the maps.
func FuzzBuild(f *testing.F) {
	f.Add([]byte{})
	f.Add([]byte{4, 2, 0, 0, 1, 1, 0, 2, 1, 3})
	f.Add([]byte{3, 1, 0xff, 2, 0, 0, 0, 1, 0, 1, 1, 0, 0, 2, 0, 2})
	f.Add([]byte{5, 1, 0x10, 0, 0, 0, 1, 0, 0, 128, 63, 1, 0, 2, 0, 0, 192, 127})
	f.Fuzz(func(t *testing.T, b []byte) {
		s := specOf(b)
		before := slices.Clone(s.Triples)
		g, err := Build(s)
		if !slices.Equal(before, s.Triples) {
			t.Fatal("Build changed its input")
		}
		if err != nil {
			if g != nil {
				t.Fatal("an error and a graph")
			}
			return
		}
		if s.Relations == 0 {
			s.Relations = 1
		}
		o := newNaive(s)
		if !slices.Equal(g.Triples(), o.triples) || g.Report() != o.report {
			t.Fatalf("%v %+v, want %v %+v", g.Triples(), g.Report(), o.triples, o.report)
		}
		checkInvariants(t, g)
		if got, want := g.Stats(), naiveStats(g); got != want {
			t.Fatalf("%+v, want %+v", got, want)
		}
		_, weights := g.Normalize(Symmetric, AddLoops)
		for _, w := range weights {
			if x := float64(w); math.IsNaN(x) || math.IsInf(x, 0) {
				t.Fatalf("normalised weight %v", w)
			}
		}
	})
}

// specOf reads nodes, relations, flags and loop relation from the first bytes, then triples of
// one byte an id (and four bytes of weight, where the flags say so). Ids may be out of range.
func specOf(b []byte) Spec {
	var head [4]byte
	b = b[copy(head[:], b):]
	s := Spec{Nodes: int(int8(head[0])), Relations: int(int8(head[1])), LoopRelation: int32(int8(head[3]))}
	flags := head[2]
	s.Undirected = flags&1 != 0
	s.DropDuplicates, s.Loops = flags>>1&1 == 1, Loops(flags>>2&3)
	weighted, typed := flags&16 != 0, flags&32 != 0
	if weighted {
		s.Weights = []mat.Real{}
	}
	for size := 3; ; {
		if weighted {
			size = 7
		}
		if len(b) < size {
			break
		}
		s.Triples = append(s.Triples, Triple{int32(int8(b[0])), int32(int8(b[1])), int32(int8(b[2]))})
		if weighted {
			s.Weights = append(s.Weights, mat.Real(math.Float32frombits(binary.LittleEndian.Uint32(b[3:]))))
		}
		b = b[size:]
	}
	if typed {
		s.Types = 2
		for v := range max(s.Nodes, 0) {
			s.NodeTypes = append(s.NodeTypes, int32(v%2)+int32(flags>>7))
		}
	}
	return s
}
