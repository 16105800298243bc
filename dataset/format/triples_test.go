package format

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/dataset/native"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/internal/build"
	"github.com/bloomgml/bloom/internal/files"
	"github.com/bloomgml/bloom/internal/testkit"
)

// wantError checks that reading path fails and says all of parts.
func wantError(t *testing.T, path string, parts ...string) {
	t.Helper()
	d, err := Open(path)
	if err == nil {
		t.Fatalf("no error, but %d nodes", d.Graph.NumNodes())
	}
	for _, part := range parts {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("error %q does not say %q", err, part)
		}
	}
}

// spoken is a fact in words.
func spoken(d *dataset.Dataset, t graph.Triple) string {
	return d.IDs.At(t.U) + " " + d.Relations[t.R] + " " + d.IDs.At(t.V)
}

func TestTripleFolder(t *testing.T) {
	dir := testkit.Folder(t, map[string]string{
		"train.txt": "007\tknows\tb\r\nb\tknows\tc\r\nb\tlikes\t007",
		"valid.txt": "b\tknows\tc\n\nd\tlikes\tb\n",
		"test.txt":  "c\thates\tb\n",
	})
	d, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	if d.Graph.NumNodes() != 4 || d.Graph.NumEdges() != 3 || d.Graph.Undirected() || d.Metric != "mrr" || !d.IsLinks() {
		t.Errorf("%d nodes, %d edges, undirected %v, metric %q", d.Graph.NumNodes(), d.Graph.NumEdges(),
			d.Graph.Undirected(), d.Metric)
	}
	if want := []string{"knows", "likes", "hates"}; !slices.Equal(d.Relations, want) {
		t.Errorf("relations %q, want %q", d.Relations, want)
	}
	var got []string
	for _, x := range slices.Concat(d.Graph.Triples(), d.Valid, d.Test) {
		got = append(got, spoken(d, x))
	}
	want := []string{"007 knows b", "b knows c", "b likes 007", "b knows c", "d likes b", "c hates b"}
	if !slices.Equal(got, want) {
		t.Errorf("facts %q, want %q", got, want)
	}
	notes := []string{"1 of 2 valid triples have an entity that is in no training triple.",
		"1 of 2 valid triples are in train too."}
	if !slices.Equal(d.Notes, notes) {
		t.Errorf("notes %q, want %q", d.Notes, notes)
	}
}

// TestPackedTriples reads the same facts from .gz files.
func TestPackedTriples(t *testing.T) {
	d, err := Open(testkit.Folder(t, map[string]string{
		"train.txt.gz": testkit.Packed(t, "a\tr\tb\n"), "valid.txt.gz": testkit.Packed(t, "b\tr\ta\n"),
		"test.txt": "a\tr\ta\n",
	}))
	if err != nil {
		t.Fatal(err)
	}
	if spoken(d, d.Graph.Edge(0)) != "a r b" || spoken(d, d.Valid[0]) != "b r a" || spoken(d, d.Test[0]) != "a r a" {
		t.Errorf("read %v %v %v", d.Graph.Triples(), d.Valid, d.Test)
	}
}

// TestInductiveTwin: a relation that training has not seen is refused with its place.
func TestInductiveTwin(t *testing.T) {
	_, files := filesOf(t, factFolder{})
	files["X_ind/test.txt"] = "y\ts\tx\ny\tnew\tx\n"
	wantError(t, filepath.Join(testkit.Folder(t, files), "X"), filepath.Join("X_ind", "test.txt")+":2: ",
		`relation "new"`)
}

// TestTwinInside reads a folder whose other graph is in files of its own (ILPC).
func TestTwinInside(t *testing.T) {
	d, err := Open(testkit.Folder(t, map[string]string{"train.txt": "a\tr\tb\nb\ts\ta\n",
		"inference.txt": "x\ts\ty\n", "inference_validation.txt": "y\ts\tx\n", "inference_test.txt": "y\tr\tx\n"}))
	if err != nil {
		t.Fatal(err)
	}
	if d.Twin == nil || d.Graph.NumEdges() != 2 || len(d.Valid)+len(d.Test)+len(d.Notes) != 0 || d.Metric != "mrr" {
		t.Fatalf("%+v", d)
	}
	if x := d.Twin; spoken(x, x.Graph.Edge(0)) != "x s y" || spoken(x, x.Valid[0]) != "y s x" ||
		spoken(x, x.Test[0]) != "y r x" || x.Metric != "mrr" {
		t.Errorf("read %v %v %v", x.Graph.Triples(), x.Valid, x.Test)
	}
}

// TestBadTriples are the ways in which a file of triples can be wrong.
func TestBadTriples(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"two columns":  {"a\tr\tb\na\tr\n", "train.txt:2: 2 columns, want 3"},
		"four columns": {"a\tr\tb\n\na\tr\tb\tc\n", "train.txt:3: 4 columns, want 3"},
		"one column":   {"a\tr\tb\na b c\n", "train.txt:2: 1 columns, want 3"},
		"empty name":   {"a\tr\tb\na\t\tb\n", "train.txt:2: an empty name"},
		"not UTF-8":    {"a\tr\tb\na\tr\t\xff\n", "train.txt:2: is not valid UTF-8"},
	} {
		t.Run(name, func(t *testing.T) {
			wantError(t, testkit.Folder(t, map[string]string{"train.txt": c.text, "valid.txt": "a\tr\tb\n"}), c.want)
		})
	}
}

// FuzzTriples never panics; what it accepts has as many facts as lines with text.
func FuzzTriples(f *testing.F) {
	f.Add([]byte("a\tr\tb\r\nb\tr\ta"))
	f.Add([]byte("a\t\tb\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		n := &names{Builder: build.New("f", "f"), relations: new(build.Names)}
		facts := 0
		err := files.EachLine(text, 1, func(_ int, text []byte) error {
			if len(text) == 0 {
				return nil
			}
			x, err := n.parse(text)
			if err == nil && string(n.entities.At(x.U))+"\t"+string(n.relations.At(x.R))+"\t"+string(
				n.entities.At(x.V)) != string(text) {
				t.Errorf("%q became %v", text, x)
			}
			facts++
			return err
		})
		if err == nil && facts > 0 && n.entities.Len() == 0 {
			t.Errorf("%d facts without entities", facts)
		}
	})
}

// TestBomb packs more than may come out, and reads it under a limit and without one.
func TestBomb(t *testing.T) {
	dir := testkit.Folder(t, map[string]string{"train.txt.gz": testkit.Packed(t, strings.Repeat("a\tr\tb\n", 1<<16))})
	if _, err := Open(dir); err != nil {
		t.Fatal(err)
	}
	old := files.Bounds
	files.Bounds.Bytes = 1 << 18
	t.Cleanup(func() { files.Bounds = old })
	wantError(t, dir, "train.txt.gz: unpacks to more than 262144 bytes")
}

// TestSingleFile: a tenth of the facts validates and a tenth tests, and no entity or relation is left without a
// training fact.
func TestSingleFile(t *testing.T) {
	var text strings.Builder
	for i := range 100 {
		fmt.Fprintf(&text, "e%d\tr%d\te%d\n", i%20, i%3, (i*7+1+i/20)%20)
	}
	d, err := Open(sample(t, "kg.tsv", map[string]string{"kg.tsv": text.String()}))
	if err != nil {
		t.Fatal(err)
	}
	if len(d.Valid) != 10 || len(d.Test) != 10 || d.Graph.NumEdges() != 80 {
		t.Fatalf("%d train, %d validate, %d test", d.Graph.NumEdges(), len(d.Valid), len(d.Test))
	}
	seen := map[int32]bool{}
	for _, f := range d.Graph.Triples() {
		seen[f.U], seen[f.V], seen[100+f.R] = true, true, true
	}
	if len(seen) != 23 {
		t.Errorf("%d entities and relations are trained on, want 23", len(seen))
	}
}

// TestFalseTriples: what the folder says is false is read, numbered like facts, and survives a .bloom file; a false
// triple that is a fact is left out with a note, and a broken line is an error with its place.
func TestFalseTriples(t *testing.T) {
	all := map[string]string{"train.txt": "a\tr\tb\nb\tr\tc\n", "valid.txt": "a\tr\tc\n", "test.txt": "c\tr\ta\n",
		"valid_negatives.txt": "b\tr\ta\na\tr\tb\n", "test_negatives.txt": "c\tr\tb\n"}
	d, err := Open(testkit.Folder(t, all))
	if err != nil {
		t.Fatal(err)
	}
	if len(d.False[0]) != 1 || len(d.False[1]) != 1 || spoken(d, d.False[0][0]) != "b r a" ||
		spoken(d, d.False[1][0]) != "c r b" || d.Graph.NumEdges() != 2 {
		t.Errorf("false facts %v", d.False)
	}
	want := []string{"1 of 2 triples of valid_negatives.txt are also facts, so they do not count as false."}
	if !slices.Equal(d.Notes, want) {
		t.Errorf("notes %q, want %q", d.Notes, want)
	}
	file := filepath.Join(t.TempDir(), "d.bloom")
	if err := native.Write(file, d); err != nil {
		t.Fatal(err)
	}
	again, err := Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	testkit.Same(t, again, d)
	if changes := d.Fingerprint().Changes(again.Fingerprint()); len(changes) > 0 {
		t.Errorf("changes %q", changes)
	}
	all["test_negatives.txt"] = "c\tr\n"
	wantError(t, testkit.Folder(t, all), "test_negatives.txt", "2 columns")
}
