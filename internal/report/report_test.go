package report

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/dataset/catalogue"
	"github.com/bloomgml/bloom/internal/files"
	"github.com/bloomgml/bloom/internal/keys"
	"github.com/bloomgml/bloom/internal/testkit"
	"github.com/bloomgml/bloom/task"
	"github.com/bloomgml/bloom/task/node"
	"github.com/bloomgml/bloom/train"
)

// folder trains a recipe on built-in data, once for all tests, and returns the run folder.
func folder(t testing.TB, recipe, data string, change func(*config.Config)) string {
	t.Helper()
	trained.Lock()
	defer trained.Unlock()
	name := strings.NewReplacer(":", "-", ",", "-", "=", "-").Replace(recipe + "-" + data)
	dir := filepath.Join(trained.root, name)
	if files.Exists(filepath.Join(dir, "result.json")) {
		return dir
	}
	c, err := config.Default(recipe, data)
	if err != nil {
		t.Fatal(err)
	}
	c.Train.Epochs = 30
	if change != nil {
		change(c)
	}
	d, err := catalogue.Open(data)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := node.Run(context.Background(), *c, d,
		node.Options{Options: train.Options{Dir: dir}, Energies: true}); err != nil {
		t.Fatal(err)
	}
	return dir
}

// trained are the run folders of this test binary.
var trained struct {
	sync.Mutex
	root string
}

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "bloom-report")
	if err != nil {
		panic(err)
	}
	trained.root = dir
	testkit.OneThread()
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(code)
}

// The runs that tests look at: two classes, several classes with corrupted rows, and a baseline with repeats.
func karate(t testing.TB) string { return folder(t, "base", "karate", nil) }
func spoilt(t testing.TB) string {
	return folder(t, "robust", "csbm:nodes=120,classes=4", func(c *config.Config) { c.Data.Corrupt = "rows=0.1" })
}
func manyClasses(t testing.TB) string {
	return folder(t, "base", "csbm:nodes=600,classes=40,degree=5,signal=3", nil)
}
func repeated(t testing.TB) string {
	return folder(t, "gcn", "karate", func(c *config.Config) { c.Train.Repeat = 3 })
}

func opened(t testing.TB, dir string) *Run {
	t.Helper()
	r, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func pageOf(t testing.TB, r *Run, o Options) string {
	t.Helper()
	var b bytes.Buffer
	if err := r.Page(&b, o); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestWrite: the page is in the run folder, is the same when it is made again, and needs nothing from elsewhere.
func TestWrite(t *testing.T) {
	dir := karate(t)
	var pages [2]string
	for i := range pages {
		if err := Write(dir); err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(filepath.Join(dir, "report.html"))
		if err != nil {
			t.Fatal(err)
		}
		pages[i] = string(text)
	}
	if pages[0] != pages[1] {
		t.Error("the page of the same run differs when it is made again")
	}
	for _, word := range []string{"<script", "http:", "https:", "src=", "@import", "url(", "<link"} {
		if strings.Contains(pages[0], word) {
			t.Errorf("the page has %q", word)
		}
	}
	if files.Exists(filepath.Join(dir, "report.html.part")) {
		t.Error("a temporary file is left")
	}
}

// TestPageSections: every page has what its run has, and no more.
func TestPageSections(t *testing.T) {
	all := []string{"Test accuracy", "Training loss", "Energy while training", "Energy per layer",
		"How far each step moves", "Confusion on the test nodes",
		"True positives (ROC)", "How often it is right", "Nodes by homophily", "Nodes by residual",
		"What may be wrong", "The graph around", "What pulls at it",
		"bloom explain", "bloom train", "recipe:"}
	for _, c := range []struct {
		name, dir string
		without   []string
	}{
		{"two classes", karate(t), []string{"Nodes by residual"}},
		{"corrupted", spoilt(t), []string{"True positives (ROC)"}},
		{"baseline", repeated(t), []string{"Energy while training", "Energy per layer", "How far each step moves",
			"Nodes by residual",
			"What pulls at it", "bloom explain"}},
	} {
		page := pageOf(t, opened(t, c.dir), Options{})
		for _, want := range all {
			absent := false
			for _, w := range c.without {
				absent = absent || w == want
			}
			if strings.Contains(page, want) == absent {
				t.Errorf("%s: the page has %q, or lacks it, against expectation (wanted: %v)", c.name, want, !absent)
			}
		}
	}
}

// audited is a run with its audit.
func audited(t testing.TB) *Run {
	t.Helper()
	r := opened(t, spoilt(t))
	var err error
	if r.Audit, err = r.Trained.Task.Audit(); err != nil {
		t.Fatal(err)
	}
	return r
}

// TestAuditSection: the page shows the rows, classes and edges of an audit that is in the folder, escaped, with the
// columns to look at, and begins with the first of them.
func TestAuditSection(t *testing.T) {
	r := opened(t, spoilt(t))
	if page := pageOf(t, r, Options{}); strings.Contains(page, "seem wrong") {
		t.Error("there is no audit, and yet it is shown")
	}
	a := audited(t).Audit
	a.Rows[0].Columns[0].Name = "<b>width"
	if err := r.Trained.KeepAudit(a); err != nil {
		t.Fatal(err)
	}
	defer os.Remove(filepath.Join(r.Dir, node.AuditFile))
	page := pageOf(t, opened(t, r.Dir), Options{})
	for _, want := range []string{"<h3>Rows", "<h3>Classes", "<h3>Edges", "of all seem wrong", "&lt;b&gt;width",
		"The graph around " + a.Rows[0].ID, a.Labels[0].ID, a.Edges[0].Source + " – " + a.Edges[0].Target} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	other := []byte(`{"nodes":[{"id":"nobody"}]}`)
	if err := os.WriteFile(filepath.Join(r.Dir, node.AuditFile), other, 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(r.Dir); err == nil || !strings.Contains(err.Error(), node.AuditFile) {
		t.Errorf("an audit of other data: %v", err)
	}
}

// TestCertified: the page says which share of nodes is certified, and what is proved about the node in the middle.
func TestCertified(t *testing.T) {
	dir := folder(t, "base", "csbm:nodes=120", func(c *config.Config) { c.Train.Seed = 5 })
	if page := pageOf(t, opened(t, dir), Options{}); strings.Contains(page, "Certified") {
		t.Error("nothing is certified, and yet it is shown")
	}
	run, err := node.Kind{}.Open(dir, opened(t, dir).Trained.Config, opened(t, dir).Trained.Data)
	if err != nil {
		t.Fatal(err)
	}
	q := &task.Request{Context: t.Context(), Say: io.Discard, Out: io.Discard,
		Changes: task.Changes{Each: 0, Edges: "existing", Features: true}}
	if err := run.(task.Certifying).Certify(q); err != nil {
		t.Fatal(err)
	}
	defer os.Remove(filepath.Join(dir, node.CertificateFile))
	page := pageOf(t, opened(t, dir), Options{})
	for _, want := range []string{"Certified", "of all nodes keep their class whichever edges are removed, at most 0",
		"This answer holds whichever edges", "its own row of scaled features moves by less than"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
}

// TestConfusion: the table counts every test node once and its diagonal those that are right.
func TestConfusion(t *testing.T) {
	r := opened(t, spoilt(t))
	m := r.confusion()
	total, right := 0, 0
	for y, row := range m.Rows {
		for z, cell := range row.Cells {
			n := 0
			for _, digit := range cell.Text {
				n = 10*n + int(digit-'0')
			}
			total += n
			if y == z {
				right += n
			}
			if cell.Hit != (y == z) {
				t.Errorf("cell %d, %d is a hit: %v", y, z, cell.Hit)
			}
		}
	}
	if total != len(r.Trained.Split.Test) {
		t.Errorf("%d nodes in the table, %d in the test part", total, len(r.Trained.Split.Test))
	}
	if got, want := float64(right)/float64(total), r.Result.Test.Mean; got-want > 1e-9 || want-got > 1e-9 {
		t.Errorf("accuracy of the table %v, of the run %v", got, want)
	}
	var page strings.Builder
	if err := r.Page(&page, Options{}); err != nil || strings.Contains(page.String(), `<th scope="row"><b>`) {
		t.Errorf("classes are numbered where they have names (%v)", err)
	}
}

// TestAgreeing: the shares of neighbours of the same class give edge homophily.
func TestAgreeing(t *testing.T) {
	r := opened(t, karate(t))
	same, all := r.agreeing()
	var s, a float64
	for v := range all {
		s, a = s+same[v], a+all[v]
	}
	if want := r.Data.Homophily.Edge; s/a-want > 1e-9 || want-s/a > 1e-9 {
		t.Errorf("shares of neighbours give edge homophily %v, want %v", s/a, want)
	}
}

// TestNode: the page draws the node that was asked for, and refuses one that is not there.
func TestNode(t *testing.T) {
	r := opened(t, karate(t))
	if page := pageOf(t, r, Options{Node: "9"}); !strings.Contains(page, "The graph around 9<") ||
		!strings.Contains(page, "--node 9") {
		t.Error("the page is not about node 9")
	}
	var absent *keys.Unknown
	if err := r.Page(&bytes.Buffer{}, Options{Node: "nobody"}); !errors.As(err, &absent) || absent.Name != "nobody" {
		t.Errorf("error %v", err)
	}
}

// TestAround: every neighbour of karate's node 9 is drawn, and edges join nodes that are there.
func TestAround(t *testing.T) {
	r := opened(t, karate(t))
	v, err := r.centre("9")
	if err != nil {
		t.Fatal(err)
	}
	a := r.around(v)
	if a.direct != 5 || a.left != 0 || a.nodes[0] != v { // 1, 3, 31, 33 and 34
		t.Errorf("%d neighbours, %d left out", a.direct, a.left)
	}
	own := 0
	for _, e := range a.edges {
		if e[0] == 0 {
			own++
		}
		if e[0] >= e[1] || e[1] >= len(a.nodes) {
			t.Errorf("edge %v", e)
		}
	}
	if own != 5 {
		t.Errorf("%d edges of the centre, want 5", own)
	}
}

// TestDatabase: a run about questions shows the tables that they were about.
func TestDatabase(t *testing.T) {
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(karate(t))); err != nil {
		t.Fatal(err)
	}
	text := `[{"name":"clients","rows":40,"key":"nr"},{"name":"<orders>","rows":900,"time":"placed","foreign_keys":[
		{"column":"who","table":"clients","target":"nr","why":"declared"},
		{"column":"next","table":"<orders>","target":"id","why":"declared"},{"column":"x","table":"gone"}]}]`
	path := filepath.Join(dir, dataset.SchemaFile)
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	page := pageOf(t, opened(t, dir), Options{})
	for _, want := range []string{"The tables that were asked", `<th scope="row">clients</th><td class="n">40</td><td>nr</td>`,
		"&lt;orders&gt;", "<td>placed</td><td>who leads to clients.nr (declared). "} {
		if !strings.Contains(page, want) {
			t.Errorf("the page has no %s", want)
		}
	}
	if err := os.WriteFile(path, []byte("["), 0o666); err != nil {
		t.Fatal(err)
	}
	err := opened(t, dir).Page(io.Discard, Options{})
	if err == nil || !strings.Contains(err.Error(), dataset.SchemaFile) {
		t.Errorf("a spoilt file of tables: %v", err)
	}
}

// TestEscapes: names from the data are text, never markup.
func TestEscapes(t *testing.T) {
	r := opened(t, karate(t))
	const evil = `<b onclick="x">&`
	r.Trained.Data.Labels.Names = []string{evil, "other"}
	r.Result.Data, r.Result.Recipe, r.Dir = evil, evil, evil
	page := pageOf(t, r, Options{})
	if strings.Contains(page, "<b onclick") || !strings.Contains(page, "&lt;b onclick") {
		t.Error("a name from the data is markup")
	}
}

// TestCompare: a comparison has a row for every run and the keys that differ.
func TestCompare(t *testing.T) {
	var b bytes.Buffer
	if err := Compare(&b, opened(t, karate(t)), opened(t, repeated(t))); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"base-karate", "gcn-karate", "<code>recipe</code>", "<code>train.repeat</code>",
		"Validation while training", "2 runs on karate"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("the comparison lacks %q", want)
		}
	}
	if strings.Contains(b.String(), "<code>data.name</code>") {
		t.Error("a key that is the same in both configs is listed")
	}
}

// TestRunNames: names are as short as they can be.
func TestRunNames(t *testing.T) {
	names := runNames([]*runFolder{{Dir: "a/x"}, {Dir: "b/x"}, {Dir: "b/y/"}})
	if strings.Join(names, " ") != "a/x b/x b/y" {
		t.Errorf("names %q", names)
	}
	if names := runNames([]*runFolder{{Dir: "a/x"}, {Dir: "a/x"}}); names[0] != "a/x" {
		t.Errorf("names of the same folder %q", names)
	}
}
