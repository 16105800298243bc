package importer

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/internal/audit"
	"github.com/bloomgml/bloom/internal/codec/table"
	"github.com/bloomgml/bloom/internal/files"
	"github.com/bloomgml/bloom/mat"
)

// tables writes files into one folder of the test and returns it.
func tables(t testing.TB, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

const (
	peopleCSV = "id,age,city,smoker,joined,bio,dept\n" +
		"ann,30,Rome,true,2019-01-01,likes cats,ops\n" +
		"bob,NA,Oslo,false,2020-05-05,likes dogs,dev\n" +
		"cat,50,Rome,false,2021-01-01,\"a, b\",dev\n" +
		"dan,40,,true,2021-06-01,nothing,\n" +
		"eve,20,Oslo,false,2022-01-01,42,ops\n" +
		"ann,99,Rome,true,2022-01-01,again,ops\n" +
		",1,Rome,true,2022-01-01,nobody,ops\n"
	followsCSV = "from,to,weight,since\nann,bob,0.5,2020\nbob,ann,2,2021\nbob,cat,,2020\ncat,cat,1,2020\n" +
		"zoe,ann,1,2020\ndan,,1,2020\ndan,eve,-3,2020\ndan,eve,x,2021\neve,dan,1.25,2022\n"
)

// team is the import of people and follows.
func team(t *testing.T) (*dataset.Dataset, *Report, string) {
	t.Helper()
	dir := tables(t, map[string]string{"people.csv": peopleCSV, "follows.csv": followsCSV})
	d, report, err := Run(context.Background(), Spec{
		Name: "team", Nodes: []Input{{Table: filepath.Join(dir, "people.csv")}},
		Edges: []Input{{Table: filepath.Join(dir, "follows.csv")}},
		Label: "dept", Rejects: filepath.Join(dir, "rejects.csv"), Split: Split{Ratio: [3]float64{0.5, 0.5, 0}},
		Columns: []string{},
	})
	if err != nil {
		t.Fatal(err)
	}
	return d, report, dir
}

func TestImport(t *testing.T) {
	d, report, dir := team(t)
	if d.Graph.NumNodes() != 5 || d.Graph.NumEdges() != 4 || !d.Graph.Undirected() {
		t.Errorf("%d nodes, %d edges, undirected %v; want 5, 4, true", d.Graph.NumNodes(), d.Graph.NumEdges(),
			d.Graph.Undirected())
	}
	if want := []mat.Real{0.5, 1, 1, 1.25}; !reflect.DeepEqual(d.Graph.Weights(), want) {
		t.Errorf("weights %v, want %v", d.Graph.Weights(), want)
	}
	if report.Duplicates != 1 || report.Loops != 1 || report.Rejected != 6 {
		t.Errorf("%d duplicates, %d loops, %d rejects; want 1, 1, 6", report.Duplicates, report.Loops, report.Rejected)
	}
	if want := []int32{1, 0, 0, -1, 1}; !reflect.DeepEqual(d.Labels.Class, want) ||
		!reflect.DeepEqual(d.Labels.Names, []string{"dev", "ops"}) {
		t.Errorf("classes %v of %v, want %v", d.Labels.Class, d.Labels.Names, want)
	}
	kinds := map[string]string{}
	for _, c := range d.Schema.Types[0].Columns {
		kinds[c.Name] = c.Kind
	}
	if want := map[string]string{"age": dataset.Number, "city": dataset.Category, "smoker": dataset.Category,
		"joined": dataset.Time, "bio": dataset.Skipped}; !reflect.DeepEqual(kinds, want) {
		t.Errorf("kinds %v, want %v", kinds, want)
	}
	// age: mean 35 of 30, 50, 40, 20, deviation √125; city: Oslo, Rome; smoker: false, true. joined is TestTimes'.
	sd := mat.Real(math.Sqrt(125))
	want := []mat.Real{
		-5 / sd, 0, 1, 0, 1,
		0, 1, 0, 1, 0,
		15 / sd, 0, 1, 1, 0,
		5 / sd, 0, 0, 0, 1,
		-15 / sd, 1, 0, 1, 0,
	}
	x := d.Features[0]
	if x.Rows != 5 || x.Cols != 10 {
		t.Fatalf("features are %d×%d, want 5×10", x.Rows, x.Cols)
	}
	for i, w := range want {
		if got := x.Values[i/5*10+i%5]; math.Abs(float64(got-w)) > 1e-6 { // rounding of float32
			t.Errorf("feature %d of %s is %v, want %v", i%5, d.IDs.At(int32(i/5)), got, w)
		}
	}
	if report.Missing != 2 {
		t.Errorf("%d missing values, want 2", report.Missing)
	}
	checkRejects(t, filepath.Join(dir, "rejects.csv"), [][]string{
		{"people.csv", "7", `the id "ann" was there before`, "ann,99,Rome,true,2022-01-01,again,ops"},
		{"people.csv", "8", "the id is missing", ",1,Rome,true,2022-01-01,nobody,ops"},
		{"follows.csv", "6", `the source "zoe" is not among the nodes`, "zoe,ann,1,2020"},
		{"follows.csv", "7", "the target is missing", "dan,,1,2020"},
		{"follows.csv", "8", `the weight "-3" is not a number ≥ 0`, "dan,eve,-3,2020"},
		{"follows.csv", "9", `the weight "x" is not a number ≥ 0`, "dan,eve,x,2021"},
	})
}

// checkRejects compares a file of rejects, with the base names of files.
func checkRejects(t *testing.T, path string, want [][]string) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	got, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for i := range got {
		got[i][0] = filepath.Base(got[i][0])
	}
	if want = append([][]string{{"file", "line", "reason", "row"}}, want...); !reflect.DeepEqual(got, want) {
		t.Errorf("rejects\n%q, want\n%q", got, want)
	}
}

// transforms are the columns of a schema without why they are what they are: an export says what its import guessed.
func transforms(s *dataset.Schema) (list []dataset.Column) {
	if s == nil {
		return nil
	}
	for _, t := range s.Types {
		list = append(list, dataset.Column{Name: t.Name, Levels: []string{t.ID, t.Label}})
		for _, c := range t.Columns {
			c.Why = ""
			list = append(list, c)
		}
	}
	return list
}

// sameData fails where two data sets differ.
func sameData(t *testing.T, a, b *dataset.Dataset) {
	t.Helper()
	if !reflect.DeepEqual(a.Graph.Triples(), b.Graph.Triples()) ||
		!reflect.DeepEqual(a.Graph.Weights(), b.Graph.Weights()) ||
		a.Graph.Undirected() != b.Graph.Undirected() || !reflect.DeepEqual(a.Graph.NodeTypes(), b.Graph.NodeTypes()) {
		t.Error("graphs differ")
	}
	for v := range int32(a.Graph.NumNodes()) {
		if a.IDs.At(v) != b.IDs.At(v) {
			t.Errorf("node %d is %q and %q", v, a.IDs.At(v), b.IDs.At(v))
		}
	}
	for _, c := range []struct {
		name string
		a, b any
	}{
		{"types", a.Types, b.Types}, {"relations", a.Relations, b.Relations}, {"features", a.Features, b.Features},
		{"labels", a.Labels, b.Labels}, {"splits", a.Splits, b.Splits}, {"valid", a.Valid, b.Valid},
		{"test", a.Test, b.Test},
		{"schema", transforms(a.Schema), transforms(b.Schema)}, {"metric", a.Metric, b.Metric},
	} {
		if !reflect.DeepEqual(c.a, c.b) {
			t.Errorf("%s differ: %v and %v", c.name, c.a, c.b)
		}
	}
}

// TestRoundTrip imports, exports, imports that and exports again, in every format: nothing changes.
func TestRoundTrip(t *testing.T) {
	files := map[string]string{
		"people.csv": peopleCSV, "follows.csv": followsCSV,
		"users.jsonl": `{"user_id":1,"score":0.10,"name":"Ada \"x\", y"}` + "\n" +
			`{"user_id":2,"score":7e-1,"name":"#b\nc"}` + "\n",
		"films.tsv": "id\tyear\tgenre\n1\t1999\tscifi\n2\t2001\tdrama\n3\t1999\tscifi\n4\t2010\tdrama\n",
		"likes.csv": "user,film,stars\n1,1,5\n1,2,3\n2,1,1\n2,9,1\n",
		"seq.csv":   "source,target\n2,1\n3,2\n",
		"kg.tsv":    "head\trelation\ttail\tweight\tnote\n" + kgRows(),
	}
	dir := tables(t, files)
	at := func(name string) string { return filepath.Join(dir, name) }
	for name, spec := range map[string]Spec{
		"classes": {Nodes: []Input{{Table: at("people.csv")}}, Edges: []Input{{Table: at("follows.csv")}},
			Label: "dept", Split: Split{Seed: 3, Ratio: [3]float64{0.5, 0.5, 0}}},
		"by time": {Nodes: []Input{{Name: "person", Table: at("people.csv")}},
			Edges: []Input{{Table: at("follows.csv")}}, Label: "dept",
			Split: Split{Time: "joined", Cuts: [2]string{"2020", "2022-01-01"}}},
		"directed": {Nodes: []Input{{Table: at("people.csv")}}, Edges: []Input{{Table: at("follows.csv")}},
			Direction: Directed, KeepDuplicates: true},
		"types": {Nodes: []Input{{"user", at("users.jsonl")}, {"film", at("films.tsv")}}, Label: "genre",
			Split: Split{Ratio: [3]float64{0.5, 0.5, 0}},
			Edges: []Input{{"user:likes:film", at("likes.csv")}, {"film:sequel:film", at("seq.csv")}}},
		"links":     {Edges: []Input{{Table: at("kg.tsv")}}, Split: Split{Ratio: [3]float64{0.5, 0.2, 0.3}, Seed: 1}},
		"no labels": {Edges: []Input{{Table: at("follows.csv")}}},
	} {
		for _, format := range table.Formats {
			t.Run(fmt.Sprint(name, " ", format), func(t *testing.T) { roundTrip(t, spec, format) })
		}
	}
}

// kgRows are the rows of a small knowledge graph.
func kgRows() string {
	const seed = 5
	rng := rand.New(rand.NewPCG(seed, 0))
	var b strings.Builder
	for i := range 60 {
		fmt.Fprintf(&b, "e%d\tr%d\te%d\t%.2f\tn%d\n", rng.IntN(8), rng.IntN(3), rng.IntN(8), rng.Float64(), i)
	}
	return b.String()
}

func roundTrip(t *testing.T, spec Spec, format table.Format) {
	first, _, err := Run(context.Background(), spec)
	if err != nil {
		t.Fatal(err)
	}
	one, two := filepath.Join(t.TempDir(), "one"), filepath.Join(t.TempDir(), "two")
	again, err := Export(first, one, ExportOptions{Format: string(format)})
	if err != nil {
		t.Fatal(err)
	}
	second, report, err := Run(context.Background(), again)
	if err != nil {
		t.Fatal(err)
	}
	if report.Rejected > 0 {
		t.Errorf("%d rows of the export were rejected", report.Rejected)
	}
	a, b := *first, *second
	if len(spec.Nodes) == 0 { // the first had no table of nodes, the second has one
		a.Schema, a.Features, b.Schema, b.Features = nil, nil, nil, nil
	}
	sameData(t, &a, &b)
	if _, err := Export(second, two, ExportOptions{Format: string(format)}); err != nil {
		t.Fatal(err)
	}
	names, err := os.ReadDir(one)
	if err != nil || len(names) < 2 {
		t.Fatal(err, names)
	}
	for _, name := range names {
		a, _ := os.ReadFile(filepath.Join(one, name.Name()))
		b, err := os.ReadFile(filepath.Join(two, name.Name()))
		if err != nil || string(a) != string(b) {
			t.Errorf("%s: %v\n%s\nand\n%s", name.Name(), err, a, b)
		}
	}
}

// TestExportKeepsTexts looks for every value of the tables that were imported.
func TestExportKeepsTexts(t *testing.T) {
	d, _, _ := team(t)
	dir := t.TempDir()
	if _, err := Export(d, dir, ExportOptions{}); err != nil {
		t.Fatal(err)
	}
	nodes, _ := os.ReadFile(filepath.Join(dir, "nodes.csv"))
	rows := strings.SplitAfter(peopleCSV, "\n")
	for i, line := range strings.Split(strings.TrimSpace(string(nodes)), "\n") {
		if want := strings.TrimSuffix(rows[i], "\n") + ","; !strings.HasPrefix(line, want) {
			t.Errorf("line %d is %q, want %q and the split", i+1, line, want)
		}
	}
	edges, _ := os.ReadFile(filepath.Join(dir, "edges.csv"))
	want := "source,target,since,weight\nann,bob,2020,0.5\nbob,cat,2020,1\ncat,cat,2020,1\neve,dan,2022,1.25\n"
	if string(edges) != want {
		t.Errorf("edges\n%s, want\n%s", edges, want)
	}
}

// TestOrderOfNodes reads a table of many blocks on several cores and compares with reading it line by line.
func TestOrderOfNodes(t *testing.T) {
	path := writeEdges(t, 120_000, func(i int) string { return fmt.Sprintf("n%x", i*i) })
	d, report, err := Run(context.Background(), Spec{Edges: []Input{{Table: path}}, Direction: Directed,
		KeepDuplicates: true})
	if err != nil {
		t.Fatal(err)
	}
	text, _ := os.ReadFile(path)
	number := map[string]int32{}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")[1:]
	if len(lines) != d.Graph.NumEdges() || report.Edges[0].Rows != len(lines) {
		t.Fatalf("%d edges of %d rows, want %d", d.Graph.NumEdges(), report.Edges[0].Rows, len(lines))
	}
	for e, line := range lines {
		ends := [2]int32{}
		for k, id := range strings.Split(line, ",") {
			if _, known := number[id]; !known {
				number[id] = int32(len(number))
			}
			ends[k] = number[id]
		}
		if got := d.Graph.Edge(int32(e)); got.U != ends[0] || got.V != ends[1] {
			t.Fatalf("edge %d is %v, want %v", e, got, ends)
		}
	}
	for id, v := range number {
		if d.IDs.At(v) != id {
			t.Fatalf("node %d is %q, want %q", v, d.IDs.At(v), id)
		}
	}
}

func TestImportMistakes(t *testing.T) {
	dir := tables(t, map[string]string{
		"people.csv": peopleCSV, "follows.csv": followsCSV, "one.csv": "a\nx\n",
		"strangers.csv": "source,target\nx,y\n",
		"ragged.csv":    "source,target\nann,bob\nann\n", "fold.csv": "id,dept,fold\nann,a,train\nbob,b,sometimes\n",
	})
	at := func(name string) []Input { return []Input{{Table: filepath.Join(dir, name)}} }
	for _, c := range []struct {
		spec Spec
		want string
	}{
		{Spec{}, "needs a table of edges"},
		{Spec{Edges: at("none.csv")}, "none.csv"},
		{Spec{Edges: at("one.csv")}, "a table of edges needs two columns"},
		{Spec{Edges: at("ragged.csv"), Strict: true}, "ragged.csv:3: the row has 1 field"},
		{Spec{Edges: at("follows.csv"), Label: "dept"}, "needs a table of nodes"},
		{Spec{Nodes: at("people.csv"), Edges: at("follows.csv"), Label: "dpt"}, `did you mean "dept"?`},
		{Spec{Nodes: at("people.csv"), Edges: at("follows.csv"), Source: "src"},
			`there is no column "src"; columns are from, to`},
		{Spec{Nodes: at("people.csv"), Edges: at("strangers.csv")},
			`no edge of 1 can be used; line 2: the source "x" is not among the nodes`},
		{Spec{Nodes: at("people.csv"), Edges: at("follows.csv"), Kinds: map[string]string{"bio": dataset.Text,
			"x": dataset.Number}}, `no column "x"`},
		{Spec{Nodes: at("people.csv"), Edges: at("follows.csv"),
			Kinds: map[string]string{"city": dataset.Number}}, `column "city" cannot be "number"`},
		{Spec{Nodes: at("fold.csv"), Edges: at("follows.csv"), Label: "dept", Split: Split{Columns: []string{"fold"}}},
			`column "fold": row 2: "sometimes" is not train`},
		{Spec{Nodes: append(at("people.csv"), at("fold.csv")...), Edges: at("follows.csv")}, "need names"},
	} {
		_, _, err := Run(context.Background(), c.spec)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("got %v, want … %s …", err, c.want)
		}
	}
	stopped, cancel := context.WithCancel(context.Background())
	cancel()
	if _, _, err := Run(stopped, Spec{Edges: at("follows.csv")}); !errors.Is(err, context.Canceled) {
		t.Errorf("after a stop: %v", err)
	}
	var place *files.Error
	if _, _, err := Run(context.Background(), Spec{Edges: at("ragged.csv"), Strict: true}); !errors.As(err, &place) ||
		place.Line != 3 {
		t.Errorf("the error has no line: %v", err)
	}
}

func TestParseSplit(t *testing.T) {
	for text, want := range map[string]Split{
		"none":                                  {None: true},
		"train=0.6,valid=0.2,test=0.2":          {Ratio: [3]float64{0.6, 0.2, 0.2}},
		"train=0.5,test=0.5,seed=7":             {Ratio: [3]float64{0.5, 0, 0.5}, Seed: 7},
		"column=fold":                           {Columns: []string{"fold"}},
		"column=a,column=b":                     {Columns: []string{"a", "b"}},
		"time=t,valid=2018,test=2019-06-01":     {Time: "t", Cuts: [2]string{"2018", "2019-06-01"}},
		"time=t,train=0.5,valid=0.25,test=0.25": {Time: "t", Ratio: [3]float64{0.5, 0.25, 0.25}},
	} {
		if got, err := ParseSplit(text); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v, %v; want %+v", text, got, err, want)
		}
	}
	for _, text := range []string{"", "half", "train=x", "train=0.9,test=0.9", "valid=0.5", "time=t",
		"column=a,train=0.5", "train=0.1,train=0.2", "seed=x,train=1"} {
		if _, err := ParseSplit(text); err == nil {
			t.Errorf("%q was accepted", text)
		}
	}
}

// TestTimeSplit divides at two times and by shares in the order of time.
func TestTimeSplit(t *testing.T) {
	var times dataset.Texts
	for _, s := range []string{"2020-01-01", "2018-05-05", "", "2019-01-01 10:00:00", "2021-01-01T00:00:00Z"} {
		times.Append([]byte(s))
	}
	s := Split{Time: "t", Cuts: [2]string{"2019-01-01", "2020-01-01"}}
	if got, _, err := s.partsByTime(&times); err != nil || !slices.Equal(got, []int8{2, 0, -1, 1, 2}) {
		t.Errorf("by cuts: %v, %v", got, err)
	}
	s = Split{Time: "t", Ratio: [3]float64{0.5, 0.25, 0.25}}
	if got, _, err := s.partsByTime(&times); err != nil || !slices.Equal(got, []int8{1, 0, -1, 0, 2}) {
		t.Errorf("by shares: %v, %v", got, err)
	}
}

// TestImportWarnsOfTheFuture: an edge from a training node to one that is later than all of them is told.
func TestImportWarnsOfTheFuture(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	nodes := write("nodes.csv",
		"id,x,dept,since\na,1,p,2001-01-01\nb,2,q,2002-01-01\nc,3,p,2003-01-01\nd,4,q,2004-01-01\ne,5,p,2005-01-01\n")
	edges := write("edges.csv", "source,target\na,b\nb,c\na,e\n")
	split, err := ParseSplit("time=since,train=0.6,valid=0.2,test=0.2")
	if err != nil {
		t.Fatal(err)
	}
	d, _, err := Run(context.Background(), Spec{Nodes: []Input{{Table: nodes}}, Edges: []Input{{Table: edges}},
		Label: "dept", Split: split})
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range audit.Describe(d).Warnings {
		if w.Kind == "future_edges" && w.Count == 1 {
			return
		}
	}
	t.Errorf("warnings %v, times %v", audit.Describe(d).Warnings, d.Times)
}

// TestOrderOfTypedNodes is the same for ends of two types, whose equal ids are different nodes.
func TestOrderOfTypedNodes(t *testing.T) {
	path := writeEdges(t, 60_000, func(i int) string { return fmt.Sprintf("n%x", i*i) })
	d, _, err := Run(context.Background(), Spec{Edges: []Input{{Name: "user:likes:film", Table: path}},
		Direction: Directed, KeepDuplicates: true})
	if err != nil {
		t.Fatal(err)
	}
	text, _ := os.ReadFile(path)
	number := map[string]int32{}
	for e, line := range strings.Split(strings.TrimSpace(string(text)), "\n")[1:] {
		u, v, _ := strings.Cut(line, ",")
		got := d.Graph.Edge(int32(e))
		for kind, end := range []struct {
			id   string
			node int32
		}{{u, got.U}, {v, got.V}} {
			key := fmt.Sprint(kind, end.id)
			if _, known := number[key]; !known {
				number[key] = int32(len(number))
			}
			if end.node != number[key] || d.IDs.At(end.node) != end.id || d.Graph.NodeTypes()[end.node] != int32(kind) {
				t.Fatalf("edge %d, %q: node %d, named %q; want %d", e, line, end.node, d.IDs.At(end.node), number[key])
			}
		}
	}
}

// TestMore: room is made for the rest of a table as far as its begin tells, and half as much again where it does not.
func TestMore(t *testing.T) {
	e := &edgeImport{first: 100, src: make([]int32, 900)}
	for _, c := range []struct {
		done, total int64
		n, want     int
	}{
		{0, 0, 200, 450},              // nothing is known
		{sure - 1, 1 << 40, 200, 450}, // too little is
		{sure, sure, 200, 450},        // the last block
		{sure, 4 * sure, 200, 3320},   // 1000 edges are a quarter: 1.03·4000 less the 800 that are there
		{sure, sure + 1, 200, 230},    // hardly more
		{sure, 1 << 60, 200, 450},     // not to be believed
	} {
		if got := e.more(&chunk{done: c.done, total: c.total}, c.n); got != c.want {
			t.Errorf("%d of %d bytes, %d rows: room for %d, want %d", c.done, c.total, c.n, got, c.want)
		}
	}
}
