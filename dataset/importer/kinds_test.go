package importer

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/internal/codec"
	"github.com/bloomgml/bloom/mat"
)

// column is the fitted column of values.
func column(t *testing.T, kind string, values ...string) dataset.Column {
	t.Helper()
	c, err := fitColumn(rawOf(values), wish{kind: kind})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func rawOf(values []string) *dataset.RawColumn {
	raw := &dataset.RawColumn{Name: "c"}
	for _, v := range values {
		raw.Values.Append([]byte(v))
	}
	return raw
}

// encodedBy is a value by a fitted column, and what became of it.
func encodedBy(c dataset.Column, text string) (row []mat.Real, o outcome) {
	e := newEncoder(&dataset.TypeSchema{Columns: []dataset.Column{c}})
	e.row(func(int) string { return text }, func(_ int, _ string, got outcome) { o = got })
	m := dataset.Matrix{Cols: c.Width()}
	e.appendTo(&m)
	return m.Values, o
}

// near reports whether two rows are the same but for rounding to float32.
func near(a, b []mat.Real) bool {
	return slices.EqualFunc(a, b, func(x, y mat.Real) bool { return math.Abs(float64(x-y)) < 1e-5 })
}

// TestGuessedKinds: what columns are taken for, with values of other kinds among them, and why.
func TestGuessedKinds(t *testing.T) {
	many := func(format string, n int, more ...string) []string {
		var list []string
		for i := range n {
			list = append(list, strings.ReplaceAll(format, "#", fmt.Sprint(i)))
		}
		return append(list, more...)
	}
	for _, x := range []struct {
		kind, why string
		values    []string
	}{
		{dataset.Time, "20 of 21 values are dates", append(dates(20), "soon")},
		{dataset.Number, "20 of 20 values are numbers", many("453#.5", 20)},
		{dataset.Vector, "20 of 21 values are lists of 2 numbers", many("[#, 1]", 20, "[1]")},
		{dataset.Text, "4 words in a value", many("item # came late", 20)},
		{dataset.Skipped, "3 words in a value; no word is in two rows", many("a# b# c#", 20)},
		{dataset.Skipped, "every value is different", many("user#@example.org", 80)},
		{dataset.Category, "2 levels in 20 values", append(many("it came too late", 10), many("it came", 10)...)},
		{dataset.Skipped, `all values are "[1,2]"`, many("[1,2]", 20)},
	} {
		c := column(t, "", x.values...)
		if c.Kind != x.kind || !strings.Contains(c.Why, x.why) {
			t.Errorf("%q: %s, %q; want %s, %q", x.values[0], c.Kind, c.Why, x.kind, x.why)
		}
	}
	for kind, want := range map[string]string{dataset.Time: `0 of 2 values are dates; not: "a", "b"`, dataset.Vector: "it has no lists",
		dataset.Text: "no word is in two rows", "place": "kinds are number"} {
		if _, err := fitColumn(rawOf([]string{"a", "b"}), wish{kind: kind}); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", kind, err, want)
		}
	}
}

// dates are n days one after another.
func dates(n int) (list []string) {
	for i := range n {
		list = append(list, time.Date(2020, 1, 1+i, 0, 0, 0, 0, time.UTC).Format(time.DateOnly))
	}
	return list
}

// TestTimes: dates become standardised elapsed time and angles, of which those that never differ are left out; the time
// that divides rows has no elapsed time.
func TestTimes(t *testing.T) {
	c := column(t, "", "2020-01-01", "2021-01-01", "2022-01-01", "")
	if !slices.Equal(c.Parts, []string{dataset.Elapsed}) || c.Missing != 1 {
		t.Errorf("%+v", c)
	}
	row, o := encodedBy(c, "2021-01-01")
	days := []float64{366, 0, 365}
	if mean := (days[0] - days[2]) / 3 / 365.5; o != taken || math.Abs(float64(row[0])-mean) > 0.01 {
		t.Errorf("the middle is %v", row)
	}
	c = column(t, "", "2020-01-01T00:00:00", "2020-04-01T06:00:00", "2020-07-02T12:00:00")
	if !slices.Equal(c.Parts, []string{dataset.Elapsed, dataset.Season, dataset.Week, dataset.Day}) || c.Width() != 7 {
		t.Fatalf("%+v", c)
	}
	row, _ = encodedBy(c, "2020-01-01T06:00:00") // a Wednesday
	angle := 2 * math.Pi * 3 / 7
	root := math.Sqrt2
	if want := []mat.Real{0, mat.Real(root), mat.Real(root * math.Sin(angle)), mat.Real(root * math.Cos(angle)),
		mat.Real(root), 0}; !near(row[1:], want) {
		t.Errorf("a Wednesday morning is %v, want %v", row[1:], want)
	}
	if row, o := encodedBy(c, "soon"); o != odd || !near(row, make([]mat.Real, 7)) {
		t.Errorf("no date: %v, %v", row, o)
	}
	divided, err := fitColumn(rawOf(dates(40)), wish{divides: true})
	if err != nil || divided.Kind != dataset.Calendar || slices.Contains(divided.Parts, dataset.Elapsed) {
		t.Errorf("times that divide: %+v, %v", divided, err)
	}
}

// TestVectors: lists are centred by column and have one deviation.
func TestVectors(t *testing.T) {
	c := column(t, "", "[1, 10]", "[3, 14]", "[1,2,3]", "NA")
	if c.Kind == dataset.Vector {
		t.Errorf("a third of other lengths: %+v", c)
	}
	c = column(t, dataset.Vector, "[1, 10]", "[3, 14]", "[1,2,3]", "NA")
	// deviations 1 and 2: the root of (1 + 4)/2
	if !slices.Equal(c.Means, []float64{2, 12}) || math.Abs(c.SD-math.Sqrt(2.5)) > 1e-12 || c.Missing != 2 {
		t.Errorf("%+v", c)
	}
	row, o := encodedBy(c, "[3,12]")
	if o != taken || !near(row, []mat.Real{mat.Real(1 / math.Sqrt(2.5)), 0}) {
		t.Errorf("%v, %v", row, o)
	}
	for _, text := range []string{"[1]", "[1,x]", "[1,NaN]", "1,2", "[]"} {
		if _, o := encodedBy(c, text); o != odd {
			t.Errorf("%s is taken", text)
		}
	}
}

// TestWords: texts are words and pairs by how rare they are, of length 1, and words that were never seen count for
// nothing.
func TestWords(t *testing.T) {
	c := column(t, dataset.Text, "The red door.", "the red house", "a blue house", "the end")
	if !slices.Equal(c.Levels, []string{"house", "red", "the", "the red"}) ||
		!slices.Equal(c.Counts, []int{2, 2, 3, 2}) || c.Rows != 4 {
		t.Fatalf("%+v", c)
	}
	row, o := encodedBy(c, "RED red the unseen")
	weight := func(rows, times float64) float64 { return times * (math.Log(5/(1+rows)) + 1) }
	red, the := weight(2, 2), weight(3, 1)
	length := math.Hypot(red, the)
	if o != taken || !near(row, []mat.Real{0, mat.Real(red / length), mat.Real(the / length), 0}) {
		t.Errorf("%v, %v", row, o)
	}
	if row, o := encodedBy(c, "nothing known"); o != odd || !near(row, make([]mat.Real, 4)) {
		t.Errorf("%v, %v", row, o)
	}
}

// TestSparseTexts: features with texts are sparse, and newcomers are encoded as the rows of the import were.
func TestSparseTexts(t *testing.T) {
	var nodes, edges strings.Builder
	nodes.WriteString("id,age,note,joined,emb\n")
	edges.WriteString("source,target\n")
	for i := range 40 {
		fmt.Fprintf(&nodes, "u%d,%d,order %d of word%d and word%d came,2020-02-%02d,\"[%d,1]\"\n", i, i%9, i, i%11,
			i%13, 1+i%28, i%5)
		fmt.Fprintf(&edges, "u%d,u%d\n", i, (i+1)%40)
	}
	dir := tables(t, map[string]string{"nodes.csv": nodes.String(), "edges.csv": edges.String()})
	d, _, err := Run(t.Context(), late(dir))
	if err != nil {
		t.Fatal(err)
	}
	if !d.Features[0].IsSparse() {
		t.Errorf("%d columns are dense", d.Features[0].Cols)
	}
	again := strings.ReplaceAll(nodes.String(), "\nu", "\nx")
	more := tables(t, map[string]string{"nodes.csv": again, "edges.csv": "source,target\nx1,u1\n"})
	n, _, err := Newcomers(t.Context(), d, late(more))
	if err != nil || len(n.Notes) > 0 || n.Filled > 0 {
		t.Fatalf("%v, %q, %d filled", err, n.Notes, n.Filled)
	}
	if x, y := d.Features[0], n.Features[0]; !slices.Equal(x.Ptr, y.Ptr) || !slices.Equal(x.Idx, y.Idx) ||
		!slices.Equal(x.Values, y.Values) {
		t.Error("the same rows have other features when they come later")
	}
	if names := featureNames(d); len(names) != d.Features[0].Cols || !slices.Contains(names, "note=word3") ||
		!slices.Contains(names, "emb[0]") || !slices.Contains(names, "joined season sin") {
		t.Errorf("features %q", names)
	}
}

func featureNames(d *dataset.Dataset) (names []string) {
	for _, c := range d.Schema.Types[0].Columns {
		for _, f := range c.Features() {
			names = append(names, f.Name)
		}
	}
	return names
}

// array writes an array of rows × 2 whose row i is i, −i, and NaN in row 2.
func array(t *testing.T, dir, name string, rows int) string {
	t.Helper()
	var x []float32
	for i := range rows {
		x = append(x, float32(i), -float32(i))
	}
	x[4] = float32(math.NaN())
	var b bytes.Buffer
	if err := codec.WriteNPY(&b, []int{rows, 2}, x); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, b.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestEmbeddings: an array has a row for every row of the table, rows that are rejected included, and goes with the
// rows that are left; so it does for newcomers.
func TestEmbeddings(t *testing.T) {
	dir := tables(t, map[string]string{"nodes.csv": "id,age\na,1\nb\nc,3\na,4\nd,5\ne,6\n",
		"edges.csv": "source,target\na,c\nd,e\n"})
	spec := late(dir)
	spec.Embeddings = []Input{{Table: array(t, dir, "x.npy", 6)}}
	d, report, err := Run(t.Context(), spec)
	if err != nil {
		t.Fatal(err)
	}
	raw := d.Raw.Nodes[0]
	var got []string
	for i := range d.Graph.NumNodes() {
		got = append(got, string(raw[len(raw)-1].Values.Get(i)))
	}
	// rows 0, 2, 4 and 5 of the table, of which row 2 has no finite numbers
	if want := []string{"[0,-0]", "", "[4,-4]", "[5,-5]"}; !slices.Equal(got, want) || report.Rejected != 2 ||
		d.Features[0].Cols != 3 {
		t.Errorf("%q, want %q; %+v", got, want, report)
	}
	new := tables(t, map[string]string{"nodes.csv": "id,age\nx\ny,3\nz,4\n", "edges.csv": "source,target\ny,a\n"})
	add := late(new)
	if n, _, err := Newcomers(t.Context(), d, add); err != nil ||
		!strings.Contains(strings.Join(n.Notes, "\n"), `column "embedding"`) {
		t.Errorf("without an array: %v, %v", n, err)
	}
	add.Embeddings = []Input{{Table: array(t, new, "y.npy", 3)}}
	n, _, err := Newcomers(t.Context(), d, add)
	if err != nil || len(n.IDs) != 2 {
		t.Fatal(err, n)
	}
	if text := string(n.Raw.Nodes[0][1].Values.Get(0)); text != "[1,-1]" || n.Filled != 1 {
		t.Errorf("y has %q, %d filled", text, n.Filled)
	}
	for _, x := range []struct {
		spec Spec
		want string
	}{
		{Spec{Nodes: spec.Nodes, Edges: spec.Edges, Embeddings: []Input{{Table: array(t, dir, "z.npy", 7)}}},
			"7 rows for 6 rows of the table"},
		{Spec{Nodes: spec.Nodes, Edges: spec.Edges, Embeddings: []Input{{Name: "user", Table: "x.npy"}}},
			`no table of nodes "user"`},
	} {
		if _, _, err := Run(t.Context(), x.spec); err == nil || !strings.Contains(err.Error(), x.want) {
			t.Errorf("%v, want %s", err, x.want)
		}
	}
}

// TestEncode repeats the transforms of an import on its own rows, and counts what is missing and what does not fit.
func TestEncode(t *testing.T) {
	d, _, _ := team(t)
	s := &d.Schema.Types[0]
	count := map[outcome]int{}
	encoded := func(value func(k int) string) []mat.Real {
		m := dataset.Matrix{Cols: width(s)}
		e := newEncoder(s)
		clear(count)
		e.row(value, func(_ int, _ string, o outcome) { count[o]++ })
		e.appendTo(&m)
		return m.Values
	}
	want := make([]mat.Real, width(s))
	for i := range d.Graph.NumNodes() {
		values := map[string]string{}
		for _, c := range d.Raw.Nodes[0] {
			values[c.Name] = string(c.Values.Get(i))
		}
		row := encoded(func(k int) string { return values[s.Columns[k].Name] })
		if d.Features[0].Row(want, i); !slices.Equal(row, want) {
			t.Errorf("row %d is %v, was %v", i, row, want)
		}
	}
	wide := 0
	for _, c := range s.Columns {
		wide += min(1, c.Width())
	}
	for text, as := range map[string]outcome{"": absent, "NA": absent, "Paris!": odd} {
		row := encoded(func(int) string { return text })
		if count[as] != wide || !slices.Equal(row, make([]mat.Real, len(row))) {
			t.Errorf("a row of %q: %v, %v, want %d columns of outcome %d", text, row, count, wide, as)
		}
	}
}
