package catalogue

import (
	"encoding/hex"
	"errors"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/bloomgml/bloom/dataset/native"
	"github.com/bloomgml/bloom/internal/generate"
)

func TestCatalogue(t *testing.T) {
	names, files := map[string]bool{}, map[string]bool{}
	for _, e := range All() {
		for _, name := range append([]string{e.Name}, e.Aliases...) {
			if names[plainName(name)] {
				t.Errorf("%s is there twice", name)
			}
			names[plainName(name)] = true
			if Find(strings.ToUpper(name)) != e {
				t.Errorf("%s is not found", name)
			}
		}
		tasks := []string{taskNodes, taskLinks, taskInductive}
		if e.Title == "" || e.License == "" || e.Cite == "" || e.Metric == "" || e.Nodes == 0 || e.Edges == 0 ||
			e.Splits == 0 || !slices.Contains(tasks, e.Task) {
			t.Errorf("%s: something is missing: %+v", e.Name, e)
		}
		if !filepath.IsLocal(e.Folder) || !filepath.IsLocal(e.Open) {
			t.Errorf("%s: %s and %s leave the folder", e.Name, e.Folder, e.Open)
		}
		for _, s := range e.Sources {
			checkSource(t, e, s, files)
		}
	}
	for _, name := range strings.Fields(`Cora Citeseer Pubmed ogbn-arxiv roman_empire amazon_ratings minesweeper tolokers
		questions actor squirrel_filtered chameleon_filtered AIFB MUTAG BGS AM WN18RR FB15k-237 WN18RR_v1 WN18RR_v2 WN18RR_v3
		WN18RR_v4 fb237_v1 fb237_v2 fb237_v3 fb237_v4 FB15k-237_v1 NELL_v1 NELL_v2 NELL_v3 NELL_v4 UMLS Kinship Nations ACM DBLP`) {
		if Find(name) == nil {
			t.Errorf("%s is not in the catalogue", name)
		}
	}
}

// checkSource checks addresses and files; files collects places, of which no two sets may share one.
func checkSource(t *testing.T, e *Entry, s origin, files map[string]bool) {
	if len(s.At) == 0 || len(s.Files) == 0 {
		t.Errorf("%s: a source without addresses or files", e.Name)
	}
	for _, at := range s.At {
		u, err := url.Parse(at)
		if err != nil || u.Host == "" || s.Archive == strings.HasSuffix(at, "/") {
			t.Errorf("%s: the address %s, %v", e.Name, at, err)
		}
	}
	for _, f := range s.Files {
		sum, err := hex.DecodeString(f.SHA256)
		if place := e.Folder + "/" + f.Path; files[place] || !filepath.IsLocal(f.Path) || err != nil ||
			(len(sum) == 32) != (f.Bytes > 0) {
			t.Errorf("%s: file %+v", e.Name, f)
		} else {
			files[place] = true
		}
	}
}

// TestCatalogueFiles compares the pinned checksums with real files.
func TestCatalogueFiles(t *testing.T) {
	root := os.Getenv("BLOOM_DATA")
	if root == "" {
		t.Skip("BLOOM_DATA is not set with benchmark files")
	}
	checked := 0
	for _, e := range All() {
		for _, s := range e.Sources {
			for _, f := range s.Files {
				if path := e.path(root, f); isFile(path) {
					checked++
					if err := verifyFile(path, f); err != nil || f.SHA256 == "" {
						t.Errorf("%v, setFile %q", err, f.SHA256)
					}
				}
			}
		}
	}
	if checked == 0 {
		t.Errorf("no file of the catalogue is in %s", root)
	}
	t.Logf("%d files", checked)
}

// nationsLike writes a set of three triples where the catalogue looks for Nations.
func nationsLike(t *testing.T, root string) {
	t.Helper()
	for name, text := range map[string]string{
		"train.txt": "a\tlikes\tb\nb\tlikes\tc\n", "valid.txt": "a\tlikes\tc\n", "test.txt": "c\tlikes\ta\n",
	} {
		path := filepath.Join(root, "kg", "nations", name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// TestOpenOrder: $BLOOM_DATA before the cache, before files, before generators.
func TestOpenOrder(t *testing.T) {
	t.Chdir(t.TempDir())
	cache, data := newCache(t), t.TempDir()
	_, err := Open("nations")
	var missing *NotHereError
	if !errors.As(err, &missing) {
		t.Fatal(err)
	}
	for _, want := range []string{filepath.Join(cache, "kg", "nations"), "train.txt, valid.txt, test.txt",
		"bloom data get Nations", "BLOOM_DATA is not set"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%v has no %s", err, want)
		}
	}
	nationsLike(t, cache)
	if path, root := Find("NATIONS").Locate(); root != cache || path != filepath.Join(cache, "kg", "nations") {
		t.Errorf("%s in %s", path, root)
	}
	t.Setenv("BLOOM_DATA", data)
	if _, root := Find("nations").Locate(); root != cache {
		t.Errorf("in %s", root)
	}
	nationsLike(t, data)
	if _, root := Find("nations").Locate(); root != data {
		t.Errorf("in %s", root)
	}
	d, err := Open("Nations")
	if err != nil || d.Name != "Nations" || d.Metric != "mrr" || d.Graph.NumNodes() != 3 {
		t.Errorf("%+v, %v", d, err)
	}
	if d, err = Open(filepath.Join(data, "kg", "nations")); err != nil || d.Graph.NumEdges() != 2 {
		t.Error(err)
	}
}

func TestOpenGenerated(t *testing.T) {
	t.Chdir(t.TempDir())
	newCache(t)
	for ref, nodes := range map[string]int{"karate": 34, "Karate": 34, "minesweeper:size=10": 100} {
		if d, err := Open(ref); err != nil || d.Graph.NumNodes() != nodes {
			t.Errorf("%s: %v", ref, err)
		}
	}
	other, _, err := generate.Make("csbm:nodes=20,degree=2")
	if err != nil {
		t.Fatal(err)
	}
	if err := native.Write("karate", other); err != nil {
		t.Fatal(err)
	}
	if d, err := Open("karate"); err != nil || d.Graph.NumNodes() != 34 {
		t.Errorf("a file comes before a generator: %v", err)
	}
	if d, err := Open("./karate"); err != nil || d.Name != other.Name {
		t.Errorf("a path is not taken for one: %v", err)
	}
	if _, err := Open("minesweeper:sise=10"); err == nil || !strings.Contains(err.Error(), `did you mean "size"`) {
		t.Error(err)
	}
}

func TestOpenUnknown(t *testing.T) {
	newCache(t)
	for ref, want := range map[string]string{
		"corra": `did you mean "cora"?`, "karat": `did you mean "karate"?`, "frobnicate": "no set of the catalogue",
	} {
		if _, err := Open(ref); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", ref, err, want)
		}
	}
	for _, ref := range []string{"./cora", "x.bloom"} {
		if _, err := Open(ref); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: %v", ref, err)
		}
	}
}
