package ondisk_test

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/internal/files"
	"github.com/bloomgml/bloom/internal/ondisk"
)

// folder writes files.
func folder(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// read is what is in memory of tables that were streamed.
func read(t *testing.T, dir string, spec ondisk.TableSpec) (*dataset.Dataset, error) {
	t.Helper()
	spec.Scratch = filepath.Join(dir, "scratch")
	for _, list := range [][]string{spec.Nodes, spec.Edges} {
		for i, name := range list {
			list[i] = filepath.Join(dir, name)
		}
	}
	src, err := ondisk.OpenTables(spec)
	if err != nil {
		return nil, err
	}
	out := filepath.Join(dir, "out.bloom")
	_, err = ondisk.Build(out, src, ondisk.Options{Memory: 8 << 20})
	if err := errors.Join(err, src.Close()); err != nil {
		return nil, err
	}
	if _, err := os.Stat(spec.Scratch); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the scratch file is still there: %v", err)
	}
	return ondisk.Read(out)
}

var people = map[string]string{
	"nodes-1.csv": "id,age,dept,fold\nann,20,x,train\nbob,40,y,test\n",
	"nodes-2.csv": "id,age,dept,fold\ncyd,,x,valid\ndan,30,,\n",
	"edges.csv":   "source,target\nann,bob\nbob,ann\ncyd,dan\ndan,dan\n",
}

// TestTables reads patterns of files: ids, standardised numbers with a gap, classes, a split by column, and edges of
// which one repeats another and one is a loop.
func TestTables(t *testing.T) {
	dir := folder(t, people)
	d, err := read(t, dir, ondisk.TableSpec{Nodes: []string{"nodes-*.csv"}, Edges: []string{"edges.csv"}, Label: "dept",
		Split: "fold"})
	if err != nil {
		t.Fatal(err)
	}
	if d.IDs.At(0) != "ann" || d.IDs.At(3) != "dan" || d.Graph.NumEdges() != 2 || d.Graph.NumNodes() != 4 {
		t.Errorf("%s … %s, %d edges", d.IDs.At(0), d.IDs.At(3), d.Graph.NumEdges())
	}
	if got := d.Labels; got.Class[0] != 0 || got.Class[1] != 1 || got.Class[2] != 0 || got.Class[3] != -1 {
		t.Errorf("classes %v of %q", got.Class, got.Names)
	}
	if s := d.Splits[0]; len(s.Train) != 1 || s.Test[0] != 1 || s.Valid[0] != 2 {
		t.Errorf("split %v", s)
	}
	sd := math.Sqrt(200. / 3) // of 20, 40 and 30
	for v, want := range []float64{-10 / sd, 10 / sd, 0, 0} {
		if got := float64(d.Features[0].Values[v]); math.Abs(got-want) > 1e-6 { // rounding of single precision
			t.Errorf("node %d has %v, want %v", v, got, want)
		}
	}
}

// TestEndsOfEdges takes nodes from edges.
func TestEndsOfEdges(t *testing.T) {
	d, err := read(t, folder(t, people), ondisk.TableSpec{Edges: []string{"edges.csv"}})
	if err != nil {
		t.Fatal(err)
	}
	if d.Graph.NumNodes() != 4 || d.Graph.NumEdges() != 2 || len(d.Splits) != 0 {
		t.Errorf("%d nodes, %d edges, %d splits", d.Graph.NumNodes(), d.Graph.NumEdges(), len(d.Splits))
	}
}

// TestMistakes wants the place of what is wrong.
func TestMistakes(t *testing.T) {
	for name, c := range map[string]struct {
		change map[string]string
		spec   ondisk.TableSpec
		want   string
	}{
		"unknown end": {map[string]string{"edges.csv": "source,target\nann,eve\n"}, ondisk.TableSpec{},
			`edges.csv:2: column "target": there is no node "eve"`},
		"a word": {map[string]string{"nodes-2.csv": "id,age,dept,fold\ncyd,old,x,\n"}, ondisk.TableSpec{},
			`nodes-2.csv:2: column "age": "old" is not a number`},
		"twice": {map[string]string{"nodes-2.csv": "id,age,dept,fold\nann,1,x,\n"}, ondisk.TableSpec{},
			`nodes-2.csv:2: column "id": an earlier node has the id "ann"`},
		"other columns": {map[string]string{"nodes-2.csv": "id,age,height,dept,fold\neve,1,2,x,\n"}, ondisk.TableSpec{},
			"nodes-2.csv: 2 columns of features, and 1"},
		"part": {map[string]string{"nodes-2.csv": "id,age,dept,fold\neve,1,x,later\n"}, ondisk.TableSpec{},
			`"later" is not`},
		"column":    {nil, ondisk.TableSpec{Source: "from"}, `no column "from"`},
		"no file":   {nil, ondisk.TableSpec{Edges: []string{"none-*.csv"}}, "none-*.csv: there is no file"},
		"no memory": {nil, ondisk.TableSpec{Memory: 1}, "the ids of 1 nodes would take"},
	} {
		dir := folder(t, people)
		for file, text := range c.change {
			if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		spec := c.spec
		spec.Nodes, spec.Label, spec.Split = []string{"nodes-*.csv"}, "dept", "fold"
		if spec.Edges == nil {
			spec.Edges = []string{"edges.csv"}
		}
		_, err := read(t, dir, spec)
		var at *files.Error
		if !errors.As(err, &at) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
