package format

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/bloomgml/bloom/internal/testkit"
	"github.com/bloomgml/bloom/mat"
)

// ogbFiles maps the names of the sample's files to their contents. All but raw/node… are packed by gzip.
func ogbFiles(t testing.TB) map[string]string {
	_, files := filesOf(t, ogbFolder{})
	half := map[string]string{}
	for name, text := range files {
		if strings.HasPrefix(name, "raw/node") {
			half[name] = text
		} else {
			half[name+".gz"] = testkit.Packed(t, text)
		}
	}
	return half
}

// TestPackedOGB reads the same from .gz files.
func TestPackedOGB(t *testing.T) {
	saysWhat(t, testkit.Folder(t, ogbFiles(t)), known["an OGB folder"][0])
}

func TestBadOGB(t *testing.T) {
	for name, c := range map[string]struct{ file, text, want string }{
		"a node too many": {"raw/edge.csv.gz", "0,1\n1,4\n3,2\n",
			`edge.csv.gz:2: "4" is not the number of a node; there are 4`},
		"three columns":   {"raw/edge.csv.gz", "0,1\n1,0,5\n", "edge.csv.gz:2: 3 columns, want 2"},
		"lost edges":      {"raw/edge.csv.gz", "0,1\n", "edge.csv.gz: 1 lines, want 3"},
		"ragged features": {"raw/node-feat.csv", "1.5,2\n1\n1,2\n1,2\n", "node-feat.csv:2: 1 columns, want 2"},
		"bad number": {"raw/node-feat.csv", "1,2\n1,x\n1,2\n1,2\n",
			`node-feat.csv:2: column 2: "x" is not a finite number`},
		"infinite number": {"raw/node-feat.csv", "1,2\n1,2\nInf,2\n1,2\n", "node-feat.csv:3: column 1"},
		"lost features": {"raw/node-feat.csv", "1.111,2.25\n1.111,2.25\n",
			"node-feat.csv: 2 rows, want one for each of 4 nodes"},
		"too many features": {"raw/node-feat.csv", "1\n1\n1\n1\n1\n", "node-feat.csv:5: more rows than the 4 nodes"},
		"short features":    {"raw/node-feat.csv", "1", "node-feat.csv: too short for 4 rows of 1 numbers"},
		"lost labels":       {"raw/node-label.csv", "1\n", "node-label.csv: 1 lines, want 4"},
		"bad label":         {"raw/node-label.csv", "1\n1,2\n", `node-label.csv:2: "1,2" is not a class`},
		"bad year":          {"raw/node_year.csv", "x\n", `node_year.csv:1: "x" is not an integer`},
		"2⁶³ nodes":         {"raw/num-node-list.csv.gz", "9223372036854775808\n", "num-node-list.csv.gz:1: "},
		"2³¹ nodes": {"raw/num-node-list.csv.gz", "2147483648\n",
			"num-node-list.csv.gz:1: 2147483648 is not between"},
		"many nodes":   {"raw/num-node-list.csv.gz", "2147483647\n", "want 2147483647"},
		"node in both": {"split/time/test.csv.gz", "0\n", "node 0 is in the parts train and test of a split"},
		"gap in mapping": {"mapping/labelidx2what.csv.gz", "a,b\n1,x\n",
			`labelidx2what.csv.gz:2: the row ["1" "x"] is not the number 0 and a name`},
		"open quote": {"mapping/labelidx2what.csv.gz", "a,b\n0,\"x\n", "labelidx2what.csv.gz:"},
		"mapping is not UTF-8": {"mapping/labelidx2what.csv.gz", "a,b\n0,\xff\n",
			"labelidx2what.csv.gz:2: byte 0xff is not UTF-8"},
	} {
		t.Run(name, func(t *testing.T) {
			files := ogbFiles(t)
			files[c.file] = c.text
			wantError(t, testkit.Folder(t, files), c.want)
		})
	}
}

// TestArxivPartial reads what there is of ogbn-arxiv, and is told what there is not.
func TestArxivPartial(t *testing.T) {
	path := testkit.Benchmark(t, "ogbn_arxiv_partial")
	wantError(t, path, "incomplete: raw/edge.csv.gz and raw/node-feat.csv.gz missing")
	d, size, err := readOGBNodes(path)
	if err != nil {
		t.Fatal(err)
	}
	if size != (ogbSize{169343, 1166243}) || len(d.Labels.Class) != 169343 || len(d.Times) != 169343 {
		t.Errorf("%+v, %d classes, %d years", size, len(d.Labels.Class), len(d.Times))
	}
	if n := len(d.Labels.Names); n != 40 || d.Labels.Names[0] != "arxiv cs na" {
		t.Errorf("%d names, the first %q", n, d.Labels.Names[0])
	}
	if least, most := slices.Min(d.Labels.Class), slices.Max(d.Labels.Class); least != 0 || most != 39 {
		t.Errorf("classes from %d to %d", least, most)
	}
	s := d.Splits[0]
	for _, c := range []struct {
		nodes       []int32
		n           int
		first, last int64
	}{{s.Train, 90941, 1971, 2017}, {s.Valid, 29799, 2018, 2018}, {s.Test, 48603, 2019, 2020}} {
		first, last := int64(9999), int64(0)
		for _, v := range c.nodes {
			first, last = min(first, d.Times[v]), max(last, d.Times[v])
		}
		if len(c.nodes) != c.n || first != c.first || last != c.last {
			t.Errorf("%d nodes of %d to %d, want %d of %d to %d", len(c.nodes), first, last, c.n, c.first, c.last)
		}
	}
}

// TestReadDense compares many blocks, parsed at once, with the numbers that were written.
func TestReadDense(t *testing.T) {
	const seed, rows, cols = 3, 20000, 17
	r := rand.New(rand.NewPCG(seed, 0))
	want := make([]mat.Real, rows*cols)
	var text bytes.Buffer
	for i := range want {
		x := float32(r.NormFloat64())
		want[i] = mat.Real(x)
		text.WriteString(strconv.FormatFloat(float64(x), 'g', -1, 32))
		text.WriteByte(",\n"[min(1, (i%cols+1)/cols)])
	}
	dir := testkit.Folder(t, map[string]string{"x.csv": text.String()})
	x, err := readDense(dir+"/x.csv", rows, nil)
	if err != nil || !slices.Equal(x.Values, want) {
		t.Fatalf("seed %d: %d values of %d, %v", seed, len(x.Values), len(want), err)
	}
	// Of two mistakes far apart the first is reported, whoever finds which.
	lines := strings.Split(text.String(), "\n")
	lines[15000], lines[4000] = "x", "y"
	dir = testkit.Folder(t, map[string]string{"x.csv": strings.Join(lines, "\n")})
	for range 5 {
		if _, err := readDense(dir+"/x.csv", rows, nil); err == nil || !strings.Contains(err.Error(), "x.csv:4001: ") {
			t.Errorf("error %v, want one about line 4001", err)
		}
	}
}

// FuzzOGB never panics, and what it accepts has the size that it says.
func FuzzOGB(f *testing.F) {
	f.Add("4\n", "3\n", "0,1\n1,0\n3,2\n", "1,2\n1,2\n1,2\n1,2", "1\n0\n2\nnan", "label,name\n0,a\n1,\"b\"\"\"\n")
	f.Fuzz(func(t *testing.T, nodes, edges, edge, feat, label, mapping string) {
		d, err := Open(testkit.Folder(t, map[string]string{
			"raw/num-node-list.csv": nodes, "raw/num-edge-list.csv": edges, "raw/edge.csv": edge,
			"raw/node-feat.csv": feat, "raw/node-label.csv": label, "mapping/labelidx2x.csv": mapping,
			"split/s/train.csv": "0\n", "split/s/valid.csv": "1\n", "split/s/test.csv": "",
		}))
		if err != nil {
			return
		}
		n := d.Graph.NumNodes()
		if x := d.Features[0]; len(d.Labels.Class) != n || x.Rows != n || len(x.Values) != n*x.Cols {
			t.Errorf("%d nodes, %d classes, %d×%d features", n, len(d.Labels.Class), x.Rows, x.Cols)
		}
		for _, c := range d.Labels.Class {
			if int(c) >= len(d.Labels.Names) {
				t.Errorf("class %d has no name", c)
			}
		}
	})
}
