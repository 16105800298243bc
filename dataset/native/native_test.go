package native

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/internal/files"
	"github.com/bloomgml/bloom/internal/testkit"
	"github.com/bloomgml/bloom/mat"
)

// everything is a set that has something in every field.
func everything(t testing.TB) *dataset.Dataset {
	t.Helper()
	build := func(s graph.Spec) *graph.Graph {
		g, err := graph.Build(s)
		if err != nil {
			t.Fatal(err)
		}
		return g
	}
	twin := &dataset.Dataset{
		Name: "twin", IDs: dataset.NewIDs([]string{"x", "ü"}), Relations: []string{"likes", "knows"}, Metric: "mrr",
		Graph: build(graph.Spec{Nodes: 2, Relations: 2, Triples: []graph.Triple{{U: 0, R: 1, V: 1}}}),
		Test:  []graph.Triple{{U: 1, R: 0, V: 0}},
	}
	return &dataset.Dataset{
		Name: "everything", IDs: dataset.NewIDs([]string{"ann", "", "bob", "ann"}), Metric: "roc_auc",
		Graph: build(graph.Spec{
			Nodes: 4, Relations: 2, NodeTypes: []int32{0, 0, 1, 1}, Types: 2, Loops: graph.DropLoops,
			Triples: []graph.Triple{{U: 0, R: 1, V: 2}, {U: 1, V: 1}, {U: 3, V: 0}}, Weights: []mat.Real{0.5, 1, 2},
		}),
		Types: []string{"person", "place"}, Relations: []string{"likes", "knows"},
		Features: []dataset.Matrix{
			{Rows: 2, Cols: 3, Ptr: []int64{0, 1, 3}, Idx: []int32{2, 0, 1}, Values: []mat.Real{0.1, -1, 3}},
			{Rows: 2, Cols: 2, Values: []mat.Real{1, 2, 3, 0.3}},
		},
		Labels: dataset.Labels{Class: []int32{1, -1, 0, 0}, Names: []string{"no", "yes"}},
		Splits: []dataset.Split{{Train: []int32{0}, Valid: []int32{}, Test: []int32{2, 3}}, {Train: []int32{3}}},
		Valid:  []graph.Triple{{U: 0, R: 0, V: 3}}, Test: []graph.Triple{{U: 1, R: 1, V: 2}, {U: 2, R: 0, V: 2}},
		Twin: twin, DrawnValid: true, Corrupted: []int32{1, 3}, Times: []int64{2019, 2020, 0, -1},
		Notes: []string{"1 self loop was dropped"}, Of: 1000,
		Settled: dataset.Settled{Energy: "2 steps of f", Spread: true},
		Raw: &dataset.Raw{Nodes: [][]dataset.RawColumn{{{Name: "age", Values: texts("", "41")}}, {}},
			Edges: []dataset.RawColumn{{Name: "since", Values: texts("a", "ü", "", "b", "c")}}},
		Schema: &dataset.Schema{Types: []dataset.TypeSchema{{Name: "person", ID: "id",
			Columns: []dataset.Column{{Name: "age", Kind: dataset.Number, Mean: 41.5, SD: 0.1}}}}},
	}
}

// texts are the given ones.
func texts(list ...string) (t dataset.Texts) {
	for _, s := range list {
		t.Append([]byte(s))
	}
	return t
}

func TestNativeRoundTrip(t *testing.T) {
	bare, err := graph.Build(graph.Spec{})
	if err != nil {
		t.Fatal(err)
	}
	undirected, err := graph.Build(graph.Spec{Nodes: 3, Triples: []graph.Triple{{U: 0, V: 1}, {U: 2, V: 2}},
		Undirected: true})
	if err != nil {
		t.Fatal(err)
	}
	inverses, err := everything(t).Graph.WithInverse()
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []*dataset.Dataset{
		everything(t),
		{Name: "bare", Graph: bare},
		{Name: "empty matrix", Graph: undirected, Features: []dataset.Matrix{{Rows: 3}}},
		{Graph: undirected, Features: []dataset.Matrix{{Rows: 3, Cols: 2, Ptr: []int64{0, 0, 2, 2},
			Idx: []int32{0, 1}}}},
		{Name: "inverses", Graph: inverses, Relations: []string{"likes", "knows"}},
	} {
		t.Run(want.Name, func(t *testing.T) {
			got, err := Read(written(t, want))
			if err != nil {
				t.Fatal(err)
			}
			testkit.Same(t, got, want)
			if len(want.IDs.Ends) > 0 && !reflect.DeepEqual(got.IDs.Find("ann", 4), []int32{0, 3}) {
				t.Errorf("ann is %v", got.IDs.Find("ann", 4))
			}
			for range 2 {
				if err := got.Close(); err != nil {
					t.Error(err)
				}
			}
		})
	}
}

// TestOlderSettled: files of earlier versions have one text for what they were settled by.
func TestOlderSettled(t *testing.T) {
	d := everything(t)
	d.Settled = dataset.Settled{Energy: "with the spread of features\n2 steps of f"}
	got, err := Read(written(t, d))
	if want := (dataset.Settled{Energy: "2 steps of f", Spread: true}); err != nil || got.Settled != want {
		t.Errorf("%+v, %v", got, err)
	}
	d.Settled.Energy = "the fixed point of\nf"
	if _, err := Read(written(t, d)); err == nil || !strings.Contains(err.Error(), "train it again") {
		t.Errorf("states that were relaxed: %v", err)
	}
}

// TestNativeContent: a file is recognised whatever its name, and the same set gives the same bytes.
func TestNativeContent(t *testing.T) {
	path := written(t, everything(t))
	other := filepath.Join(t.TempDir(), "set.dat")
	if err := os.Rename(path, other); err != nil {
		t.Fatal(err)
	}
	if !Is(other, false) {
		t.Error("the file is not recognised")
	}
	d, err := Read(other)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	again := written(t, d)
	a, _ := os.ReadFile(other)
	b, _ := os.ReadFile(again)
	if len(a) == 0 || string(a) != string(b) {
		t.Errorf("%d bytes, written again %d that differ", len(a), len(b))
	}
}

// TestNativeDamage: whichever byte is changed and wherever the file ends, opening it fails.
func TestNativeDamage(t *testing.T) {
	whole, err := os.ReadFile(written(t, everything(t)))
	if err != nil {
		t.Fatal(err)
	}
	fails := func(what string, b []byte) {
		var wrong *files.Error
		if _, err := decodeNative("f", inMemory(b)); !errors.As(err, &wrong) || wrong.Offset < 0 {
			t.Errorf("%s: error %v", what, err)
		}
	}
	rng := rand.New(rand.NewPCG(1, 1))
	for i := range whole {
		b := append([]byte(nil), whole...)
		b[i] ^= 1 << rng.IntN(8)
		fails(fmt.Sprintf("byte %d flipped", i), b)
		fails(fmt.Sprintf("cut at %d", i), whole[:i:i])
	}
	fails("longer", append(append([]byte(nil), whole...), 0))
}

// inMemory is b as an open file.
func inMemory(b []byte) *mapping {
	m := &mapping{bytes: bytesOf(make([]int64, len(b)/8+1))[:len(b)], unmap: func() error { return nil }}
	copy(m.bytes, b)
	return m
}

// repair makes the checksums of a file right, as far as its table makes sense.
func repair(b []byte) {
	if len(b) < headerBytes {
		return
	}
	le := binary.LittleEndian
	n := min(uint64(le.Uint32(b[12:])), uint64(len(b)-headerBytes)/entryBytes)
	front := b[:headerBytes+entryBytes*n]
	for i := headerBytes; i < len(front); i += entryBytes {
		s := sectionAt(front[i:])
		if s.offset <= uint64(len(b)) && s.length <= uint64(len(b))-s.offset {
			s.checksum = checksum(b[s.offset : s.offset+s.length])
			s.encode(front[i:])
		}
	}
	le.PutUint32(b[28:], frontChecksum(front))
}

// TestNativeLies: files whose checksums are right and whose content is not.
func TestNativeLies(t *testing.T) {
	whole, err := os.ReadFile(written(t, everything(t)))
	if err != nil {
		t.Fatal(err)
	}
	le := binary.LittleEndian
	table := map[sectionKind]int{} // where the entry of a kind stands, in part 0
	for i := int(le.Uint32(whole[12:])) - 1; i >= 0; i-- {
		at := headerBytes + entryBytes*i
		table[sectionAt(whole[at:]).kind] = at
	}
	content := func(b []byte, kind sectionKind) []byte {
		s := sectionAt(b[table[kind]:])
		return b[s.offset:]
	}
	for _, c := range []struct {
		want  string
		spoil func(b []byte)
	}{
		{"byte 0: not a .bloom file", func(b []byte) { b[0] = 'x' }},
		{"byte 8: version 7; this bloom knows version 1 only", func(b []byte) { b[8] = 7 }},
		{"byte 16: the file has", func(b []byte) { b[16]++ }},
		{"byte 12: 0 sections", func(b []byte) { le.PutUint32(b[12:], 0) }},
		{"byte 12: 4294967295 sections", func(b []byte) { le.PutUint32(b[12:], 1<<32-1) }},
		{"byte 24: real numbers of 3 bytes", func(b []byte) { b[24] = 3 }},
		{"a section of kind 99", func(b []byte) { b[headerBytes] = 99 }},
		{"is unknown or a duplicate", func(b []byte) {
			copy(b[table[sectionTargets]:], b[table[sectionSources]:][:12])
		}},
		{"of part 200 is unknown", func(b []byte) { b[table[sectionMeta]+4] = 200 }},
		{"want it at", func(b []byte) { le.PutUint64(b[table[sectionTargets]+16:], 64) }},
		{"want it at", func(b []byte) { le.PutUint64(b[table[sectionTargets]+24:], 1<<63) }},
		{"want it at", func(b []byte) { le.PutUint64(b[table[sectionMeta]+16:], 1<<64-64) }},
		{"source 0: 77 is not in 0 to 3 nodes", func(b []byte) { content(b, sectionSources)[0] = 77 }},
		{"the description of the data", func(b []byte) { content(b, sectionMeta)[0] = '[' }},
		{"entry 1, -2, is not in -1 to 1", func(b []byte) { content(b, sectionClasses)[4] = 0xfe }},
		{"id 0 goes from byte 0 to 103 of 9", func(b []byte) { content(b, sectionIDEnds)[0] = 103 }},
		{"row 1 goes from 9 to 3", func(b []byte) { content(b, sectionFeaturePtr)[8] = 9 }},
		{"entry 0, 50, is not in 0 to 2", func(b []byte) { content(b, sectionFeatureIdx)[0] = 50 }},
		{"triple 0, {0 9 3}, is not one of 4 nodes and 2 relations", func(b []byte) {
			content(b, sectionValidTriples)[4] = 9
		}},
		{"unexpected section", func(b []byte) { b[table[sectionCorrupted]+8] = 1 }},
		{"part 0 has no description", func(b []byte) { b[table[sectionMeta]+8] = 1 }},
	} {
		b := append([]byte(nil), whole...)
		c.spoil(b)
		repair(b)
		d, err := decodeNative("f.bloom", inMemory(b))
		var wrong *files.Error
		if d != nil || !errors.As(err, &wrong) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("got %v, want %s", err, c.want)
		}
	}
}

// TestNativeWidth: a file of the other width of real numbers is converted.
func TestNativeWidth(t *testing.T) {
	if got := viewReals(bytesOf([]float64{1, -0.5}), 8); !reflect.DeepEqual(got, []mat.Real{1, -0.5}) {
		t.Error(got)
	}
	if got := viewReals(bytesOf([]float32{1, -0.5}), 4); !reflect.DeepEqual(got, []mat.Real{1, -0.5}) {
		t.Error(got)
	}
}

func TestWriteRefuses(t *testing.T) {
	loop := everything(t)
	loop.Twin.Twin = loop
	for want, d := range map[string]*dataset.Dataset{
		"there is no graph":            {},
		"a chain of more than 7 twins": loop,
		`the name "\xff" is not UTF-8`: {Graph: loop.Graph, Relations: []string{"\xff", "b"}},
		"9 rows of features for node":  {Graph: loop.Graph, Features: []dataset.Matrix{{Rows: 9}}},
		"3 classes for 4 nodes":        {Graph: loop.Graph, Labels: dataset.Labels{Class: make([]int32, 3)}},
	} {
		path := filepath.Join(t.TempDir(), "old.bloom")
		if err := os.WriteFile(path, []byte("old"), 0o666); err != nil {
			t.Fatal(err)
		}
		if err := Write(path, d); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
		left, _ := os.ReadDir(filepath.Dir(path))
		if text, _ := os.ReadFile(path); string(text) != "old" || len(left) != 1 {
			t.Errorf("after an error the file is %q among %d", text, len(left))
		}
	}
}

// FuzzNative opens arbitrary bytes, also with their checksums made right so that what lies behind
// them is reached. Nothing may panic, and what is accepted must be usable.
func FuzzNative(f *testing.F) {
	whole, err := os.ReadFile(written(f, everything(f)))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(whole)
	f.Add(whole[:100])
	f.Fuzz(func(t *testing.T, b []byte) {
		fixed := inMemory(b)
		repair(fixed.bytes)
		for _, m := range []*mapping{inMemory(b), fixed} {
			d, err := decodeNative("f", m)
			if err != nil {
				continue
			}
			for ; d != nil; d = d.Twin {
				use(d)
			}
		}
	})
}

// use reads all of d.
func use(d *dataset.Dataset) {
	g := d.Graph
	g.Stats()
	g.Normalize(graph.Symmetric, graph.AddLoops)
	g.WeightedDegrees(graph.Either)
	for v := range int32(g.NumNodes()) {
		d.IDs.At(v)
	}
	d.IDs.Find("ann", g.NumNodes())
	for _, m := range d.Features {
		row := make([]mat.Real, min(m.Cols, 1<<16))
		for i := range m.Rows {
			if m.Cols == len(row) {
				m.Row(row, i)
			}
		}
	}
}

// written is the path of d in a .bloom file.
func written(t testing.TB, d *dataset.Dataset) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "set.bloom")
	if err := Write(path, d); err != nil {
		t.Fatal(err)
	}
	return path
}
