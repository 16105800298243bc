package ondisk_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/internal/files"
	"github.com/bloomgml/bloom/internal/generate"
	"github.com/bloomgml/bloom/internal/ondisk"
	"github.com/bloomgml/bloom/mat"
)

// made is a generated set in memory.
func made(t *testing.T, ref string) *dataset.Dataset {
	t.Helper()
	d, ok, err := generate.Make(ref)
	if err != nil || !ok {
		t.Fatal(ok, err)
	}
	return d
}

// built is the folder of a source.
func built(t *testing.T, src ondisk.Source, o ondisk.Options) (string, *ondisk.Report) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "x.bloom")
	r, err := ondisk.Build(dir, src, o)
	if err != nil {
		t.Fatal(err)
	}
	return dir, r
}

// streamed is the source of a ref.
func streamed(t *testing.T, ref string) ondisk.Source {
	t.Helper()
	s, ok, err := generate.Stream(ref)
	if err != nil || !ok {
		t.Fatal(ok, err)
	}
	return s
}

// neighbours are the ids of the neighbours of every id.
func neighbours(d *dataset.Dataset) map[string][]string {
	near := map[string][]string{}
	for _, e := range d.Graph.Triples() {
		u, v := d.IDs.At(e.U), d.IDs.At(e.V)
		near[u], near[v] = append(near[u], v), append(near[v], u)
	}
	for _, list := range near {
		slices.Sort(list)
	}
	return near
}

// TestRoundTrip wants a set in memory back as it was, sparse features and several splits included.
func TestRoundTrip(t *testing.T) {
	d := made(t, "csbm:nodes=300,classes=3,features=5")
	for i, x := range d.Features[0].Values {
		d.Features[0].Values[i] = mat.Real(float32(x)) // as files have them
	}
	sparse := *d
	sparse.Features = []dataset.Matrix{{Rows: 300, Cols: 4, Ptr: []int64{0}}}
	x := &sparse.Features[0]
	for i := range 300 {
		x.Idx, x.Values = append(x.Idx, int32(i%4)), append(x.Values, 1)
		x.Ptr = append(x.Ptr, int64(i+1))
	}
	for name, d := range map[string]*dataset.Dataset{"dense": d, "sparse": &sparse} {
		src, err := ondisk.Of(d)
		if err != nil {
			t.Fatal(name, err)
		}
		dir, r := built(t, src, ondisk.Options{})
		got, err := ondisk.Read(dir)
		if err != nil {
			t.Fatal(name, err)
		}
		if r.Edges != int64(d.Graph.NumEdges()) || !reflect.DeepEqual(neighbours(got), neighbours(d)) {
			t.Errorf("%s: %d edges, want the %d that there were", name, r.Edges, d.Graph.NumEdges())
		}
		for _, part := range [][2]any{{got.Features, d.Features}, {got.Labels, d.Labels}, {got.Splits, d.Splits},
			{got.IDs.Bytes, d.IDs.Bytes}, {got.Name, d.Name}, {got.Metric, d.Metric}} {
			if !reflect.DeepEqual(part[0], part[1]) {
				t.Errorf("%s: %.200s, want %.200s", name, fmt.Sprint(part[0]), fmt.Sprint(part[1]))
			}
		}
	}
}

// TestMemory wants the same bytes from a build that sorts in many runs as from one that needs none.
func TestMemory(t *testing.T) {
	src := streamed(t, "rmat:nodes=4096,edges=300000,features=3,classes=4")
	small, r := built(t, src, ondisk.Options{Memory: 4<<20 + 16*4096})
	large, _ := built(t, src, ondisk.Options{})
	for _, name := range []string{"adjacency.bin", "features.bin", "labels.bin", "blocks.json"} {
		a, err1 := os.ReadFile(filepath.Join(small, name))
		b, err2 := os.ReadFile(filepath.Join(large, name))
		if err := errors.Join(err1, err2); err != nil || !slices.Equal(a, b) {
			t.Errorf("%s: %d and %d bytes, %v", name, len(a), len(b), err)
		}
	}
	if r.Loops == 0 || r.Repeats == 0 || r.Edges+r.Loops+r.Repeats != 300000 {
		t.Errorf("%d edges, %d loops, %d repeats of 300000", r.Edges, r.Loops, r.Repeats)
	}
	files, err := os.ReadDir(small)
	if err != nil || len(files) != 4 {
		t.Errorf("%v, %v: want four files and none that sorting left", files, err)
	}
}

// TestOrders wants every order to keep who is joined to whom, and what is known about whom.
func TestOrders(t *testing.T) {
	src := streamed(t, "planted:nodes=200,edges=900,features=2,classes=4")
	plain, _ := built(t, src, ondisk.Options{})
	want, err := ondisk.Read(plain)
	if err != nil {
		t.Fatal(err)
	}
	for _, order := range []string{"degree", "ldg"} {
		dir, _ := built(t, src, ondisk.Options{Order: order})
		got, err := ondisk.Read(dir)
		if err != nil {
			t.Fatal(order, err)
		}
		if !reflect.DeepEqual(neighbours(got), neighbours(want)) {
			t.Errorf("%s: other edges", order)
		}
		last := 1 << 30
		for i := range int32(200) {
			v, _ := strconv.Atoi(got.IDs.At(i))
			a, b := got.Features[0].Values[2*i], want.Features[0].Values[2*v]
			if got.Labels.Class[i] != want.Labels.Class[v] || a != b {
				t.Fatalf("%s: node %d is not %d of before", order, i, v)
			}
			_, end := got.Graph.Adjacency().Row(int(i))
			if order == "degree" && len(end) > last {
				t.Fatalf("node %d has %d neighbours, the one before %d", i, len(end), last)
			}
			last = len(end)
		}
	}
	if _, err := ondisk.Build(t.TempDir(), src, ondisk.Options{Order: "ldq"}); err == nil ||
		!strings.Contains(err.Error(), "ldg") {
		t.Errorf("order ldq: %v", err)
	}
}

// TestDamage wants an error with a place for every file that is cut, changed or gone.
func TestDamage(t *testing.T) {
	d := made(t, "csbm:nodes=60,features=3")
	src, err := ondisk.Of(d)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"blocks.json", "adjacency.bin", "features.bin", "labels.bin", "ids.bin"} {
		for how, spoil := range map[string]func(path string, b []byte) error{
			"cut":     func(path string, b []byte) error { return os.WriteFile(path, b[:len(b)-1], 0o666) },
			"changed": func(path string, b []byte) error { b[len(b)/2] ^= 4; return os.WriteFile(path, b, 0o666) },
			"gone":    func(path string, _ []byte) error { return os.Remove(path) },
		} {
			dir, _ := built(t, src, ondisk.Options{})
			path := filepath.Join(dir, name)
			b, err := os.ReadFile(path)
			if err == nil {
				err = spoil(path, b)
			}
			if err != nil {
				t.Fatal(err)
			}
			_, err = ondisk.Read(dir)
			var at *files.Error
			if !errors.As(err, &at) || at.File != path {
				t.Errorf("%s %s: %v", name, how, err)
			}
		}
	}
}

// TestCutWhileOpen wants an error, and no crash, where a file becomes shorter under an open store.
func TestCutWhileOpen(t *testing.T) {
	dir, _ := built(t, streamed(t, "planted:nodes=500,edges=900"), ondisk.Options{})
	s, err := ondisk.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := os.Truncate(filepath.Join(dir, "adjacency.bin"), 100); err != nil {
		t.Fatal(err)
	}
	err = s.Adjacency(0, new(ondisk.Adjacency))
	if err == nil || !strings.Contains(err.Error(), "block 0 has 100 of its") {
		t.Error(err)
	}
}

// failing is a source whose edges end in an error.
type failing struct{ ondisk.Source }

func (failing) Pairs(func(u, v int32) error) error { return errors.New("line 7: no edge") }

// TestFailure wants nothing left of a build that fails, and nothing touched that was there.
func TestFailure(t *testing.T) {
	src := streamed(t, "planted:nodes=64,edges=90")
	dir := filepath.Join(t.TempDir(), "x")
	if _, err := ondisk.Build(dir, failing{src}, ondisk.Options{}); err == nil ||
		!strings.Contains(err.Error(), "line 7") {
		t.Error(err)
	}
	if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%s is still there: %v", dir, err)
	}
	if _, err := ondisk.Build(dir, src, ondisk.Options{Memory: 1 << 10}); err == nil ||
		!strings.Contains(err.Error(), "bytes of memory") {
		t.Error(err)
	}
	full := t.TempDir()
	if err := os.WriteFile(filepath.Join(full, "mine"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := ondisk.Build(full, src, ondisk.Options{}); err == nil || !strings.Contains(err.Error(), "mine") {
		t.Error(err)
	}
	huge := streamed(t, "planted:nodes=1e9,edges=1e11")
	if _, err := ondisk.Build(dir, huge, ondisk.Options{Memory: 1 << 40}); err == nil ||
		!strings.Contains(err.Error(), "the disk has") {
		t.Error(err)
	}
}
