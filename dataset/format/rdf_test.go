package format

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/internal/testkit"
)

// rdfFiles maps the names of the sample's files to their contents.
func rdfFiles(t testing.TB) map[string]string {
	_, files := filesOf(t, rdfFolder{})
	return files
}

// TestRDFWithoutLiterals reads the same statements as those of AM, which has no literals as nodes, and
// as those of a set that nobody knows, which keeps all.
func TestRDFWithoutLiterals(t *testing.T) {
	for label, want := range map[string]struct{ nodes, edges int }{"label_cateogory": {5, 2},
		"label_lithogenesis": {5, 2}, "label_x": {8, 5}} {
		files := rdfFiles(t)
		for name, text := range files {
			files[name] = strings.ReplaceAll(text, "label_mutagenic", label)
		}
		d, err := Open(testkit.Folder(t, files))
		if err != nil {
			t.Fatal(err)
		}
		if d.Graph.NumNodes() != want.nodes || d.Graph.NumEdges() != want.edges {
			t.Errorf("%s: %d nodes, %d edges, want %+v", label, d.Graph.NumNodes(), d.Graph.NumEdges(), want)
		}
	}
}

func TestBadRDF(t *testing.T) {
	for name, c := range map[string]struct{ file, text, want string }{
		"statement": {"graph.nt", "<a:1> <a:p> <a:2> .\n<a:1> .", "graph.nt:2: column 7: expected"},
		"header":    {"testSet.tsv", "bond\tid\r\n", `testSet.tsv:1: the header ["bond" "id"]`},
		"columns":   {"testSet.tsv", "bond\tid\tlabel_mutagenic\r\na:3\t3.0\r\n", "testSet.tsv:2: 2 columns, want 3"},
		"empty class": {"testSet.tsv", "bond\tid\tlabel_mutagenic\r\na:3\t3.0\t\r\n",
			"testSet.tsv:2: no node or no class"},
		"other class": {"testSet.tsv", "bond\tid\tlabel_mutagenic\r\na:3\t3.0\t0\r\n",
			`testSet.tsv:2: node "a:3" has class "0" here and "1"`},
		"unknown": {"testSet.tsv", "bond\tid\tlabel_mutagenic\r\na:4\t3.0\t0\r\n", `testSet.tsv:2: node "a:4"`},
		"in train": {"testSet.tsv", "bond\tid\tlabel_mutagenic\r\na:1\t3.0\t0\r\n",
			`testSet.tsv:2: node "a:1" is in trainingSet.tsv already`},
		"twice": {"completeDataset.tsv", "bond\tlabel\na:1\t0\na:1\t1\n",
			`completeDataset.tsv:3: node "a:1" is listed twice`},
		"not UTF-8": {"completeDataset.tsv", "bond\tlabel\na:\xff\t0\n", "completeDataset.tsv:2: is not valid UTF-8"},
	} {
		t.Run(name, func(t *testing.T) {
			files := rdfFiles(t)
			files[c.file] = c.text
			wantError(t, testkit.Folder(t, files), c.want)
		})
	}
}

// TestRDFBenchmarks compares with the published counts.
func TestRDFBenchmarks(t *testing.T) {
	for _, c := range []struct {
		name                                     string
		nodes, literals, blank, edges, relations int
		classes                                  []int // sizes, descending
		train, valid, test                       int
	}{
		{"aifb", 8285, 5450, 152, 29043, 45, []int{73, 60, 28, 15}, 119, 21, 36},
		{"mutag", 23644, 1104, 0, 74227, 23, []int{211, 129}, 232, 40, 68},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := openBenchmark(t, "rdf/"+c.name)
			literals, blank := 0, 0
			for i := range d.Graph.NumNodes() {
				switch name := d.IDs.At(int32(i)); {
				case name[0] == '"':
					literals++
				case strings.HasPrefix(name, "_:"):
					blank++
				}
			}
			if g := d.Graph; g.NumNodes() != c.nodes || literals != c.literals || blank != c.blank ||
				g.NumEdges() != c.edges || len(d.Relations) != c.relations {
				t.Errorf("%d nodes, %d literals, %d blank, %d edges, %d relations; want %+v", g.NumNodes(), literals,
					blank, g.NumEdges(), len(d.Relations), c)
			}
			sizes := make([]int, len(d.Labels.Names))
			for _, class := range d.Labels.Class {
				if class >= 0 {
					sizes[class]++
				}
			}
			slices.Sort(sizes)
			slices.Reverse(sizes)
			if !slices.Equal(sizes, c.classes) {
				t.Errorf("classes of sizes %v, want %v", sizes, c.classes)
			}
			if s := d.Splits[0]; len(s.Train) != c.train || len(s.Valid) != c.valid || len(s.Test) != c.test {
				t.Errorf("%d train, %d valid, %d test; want %+v", len(s.Train), len(s.Valid), len(s.Test), c)
			}
			if d.Name != c.name || len(d.Notes) != 0 {
				t.Errorf("%s with notes %q", d.Name, d.Notes)
			}
		})
	}
}

func TestWithValidation(t *testing.T) {
	d := &dataset.Dataset{Splits: []dataset.Split{{Train: []int32{9, 1, 2, 3, 4, 5}, Valid: []int32{7, 8, 6, 10},
		Test: []int32{0}}}}
	seen := map[string]bool{}
	for seed := range uint64(20) {
		other, err := d.WithValidation(0.3, seed)
		if err != nil {
			t.Fatal(err)
		}
		s := other.Splits[0]
		all := slices.Concat(s.Train, s.Valid, s.Test)
		slices.Sort(all)
		if len(s.Valid) != 3 || !slices.IsSorted(s.Valid) || !slices.IsSorted(s.Train) ||
			fmt.Sprint(all) != "[0 1 2 3 4 5 6 7 8 9 10]" {
			t.Errorf("seed %d: %v", seed, s)
		}
		again, _ := other.WithValidation(0.3, seed)
		if fmt.Sprint(again.Splits) != fmt.Sprint(other.Splits) {
			t.Errorf("seed %d: %v, then %v", seed, other.Splits, again.Splits)
		}
		seen[fmt.Sprint(s.Valid)] = true
	}
	if len(seen) < 5 {
		t.Errorf("20 seeds draw %d sets", len(seen))
	}
	for _, share := range []float64{-0.1, 1} {
		if _, err := d.WithValidation(share, 0); err == nil {
			t.Errorf("a share of %v is accepted", share)
		}
	}
}

// FuzzRDFLabels never panics, and what it accepts is a split of labelled nodes.
func FuzzRDFLabels(f *testing.F) {
	files := rdfFiles(f)
	f.Add(files["completeDataset.tsv"], files["trainingSet.tsv"], files["testSet.tsv"])
	f.Add("n\tlabel\na\t0.0", "label\tn\n0\ta", "n\tlabel")
	f.Fuzz(func(t *testing.T, complete, train, test string) {
		d, err := Open(testkit.Folder(t, map[string]string{
			"graph.nt": "<a:1> <a:p> <a:2> .", "completeDataset.tsv": complete, "trainingSet.tsv": train,
			"testSet.tsv": test,
		}))
		if err != nil {
			return
		}
		seen := map[int32]bool{}
		for _, v := range slices.Concat(d.Splits[0].Train, d.Splits[0].Valid, d.Splits[0].Test) {
			if seen[v] || d.Labels.Class[v] < 0 {
				t.Errorf("node %d is twice in the split or has class %d", v, d.Labels.Class[v])
			}
			seen[v] = true
		}
	})
}
