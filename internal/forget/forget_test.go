package forget

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/dataset/catalogue"
	"github.com/bloomgml/bloom/internal/files"
	"github.com/bloomgml/bloom/task/kinds"
	"github.com/bloomgml/bloom/train"
)

// trained is a request about a run of a recipe, without tables.
func trained(t *testing.T, data, recipe, task string, set ...string) Request {
	t.Helper()
	c, err := config.Load(config.Options{Data: data, Recipe: recipe, Task: task, Set: set})
	if err != nil {
		t.Fatal(err)
	}
	d, err := catalogue.Open(data)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	r := Request{Run: filepath.Join(dir, "run"), Config: *c, Data: d, Out: filepath.Join(dir, "new")}
	if _, err := kinds.Of(c).Train(t.Context(), *c, d, train.Options{Dir: r.Run}); err != nil {
		t.Fatal(err)
	}
	return r
}

// list writes a table and returns its name.
func list(t *testing.T, lines ...string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "gone.csv")
	if err := os.WriteFile(file, []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// edge returns an edge of the data as a line.
func (r *Request) edge(e int32) string {
	x := r.Data.Graph.Edge(e)
	return r.Data.IDs.At(x.V) + "," + r.Data.IDs.At(x.U) // undirected: either way
}

// TestRun: the new run of every kind is what its settings make of the data without what is forgotten, to the last bit;
// the old folder is as it was.
func TestRun(t *testing.T) {
	const csbm = "csbm:nodes=200,features=4"
	for _, c := range []struct{ data, recipe, task string }{
		{csbm, "closed", ""}, {csbm, "base", ""}, {csbm, "trees", ""},
		{"karate", "lp", ""}, {"karate", "base", "links"},
		{"family:families=4,twin=0", "distmult", ""},
	} {
		t.Run(c.recipe+c.task, func(t *testing.T) {
			var set []string
			if c.recipe != "closed" && c.recipe != "lp" {
				set = []string{"train.epochs=4"}
			}
			r := trained(t, c.data, c.recipe, c.task, set...)
			gone := r.Data.IDs.At(int32(r.Data.Graph.NumNodes() - 1))
			r.Nodes = list(t, "id", gone)
			if c.recipe != "distmult" {
				r.Edges = list(t, r.edge(0), r.edge(3), r.edge(0))
			}
			if c.recipe != "distmult" && c.task == "" {
				r.Labels = list(t, r.Data.IDs.At(1))
			}
			before := sums(t, r.Run)
			x, err := Run(t.Context(), r)
			if err != nil {
				t.Fatal(err)
			}
			if !x.Exact || x.Bound != nil || x.Forgotten.Nodes != 1 || x.Checked.IDs != 1 || x.Checked.Files < 8 {
				t.Errorf("receipt %+v", x)
			}
			if now := sums(t, r.Run); now != before {
				t.Error("the old run has changed")
			}
			own, d, err := train.Configured(r.Out, "")
			if err != nil {
				t.Fatal(err)
			}
			if d.Find(gone) != nil || d.Graph.NumNodes() != r.Data.Graph.NumNodes()-1 {
				t.Errorf("%d nodes, of them %v called %s", d.Graph.NumNodes(), d.Find(gone), gone)
			}
			again := filepath.Join(t.TempDir(), "again")
			if _, err := kinds.Of(own).Train(t.Context(), *own, d, train.Options{Dir: again}); err != nil {
				t.Fatal(err)
			}
			for _, name := range []string{"model.safetensors", "predictions.csv"} {
				if sum(t, filepath.Join(r.Out, name)) != sum(t, filepath.Join(again, name)) {
					t.Errorf("%s differs from that of training again", name)
				}
			}
			r.checkReceipt(t, gone)
		})
	}
}

// checkReceipt reads the receipt of a run that has forgotten a node.
func (r *Request) checkReceipt(t *testing.T, gone string) {
	t.Helper()
	var x Receipt
	text, err := files.Read(filepath.Join(r.Out, ReceiptFile))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &x); err != nil || x.Model.After == "" ||
		x.Answers.After != sum(t, filepath.Join(r.Out, answers)) ||
		x.Answers.Before != sum(t, filepath.Join(r.Run, answers)) || strings.Contains(string(text), `"`+gone+`"`) {
		t.Errorf("receipt.json: %v, %s", err, text)
	}
}

// sums returns the checksums of a folder.
func sums(t *testing.T, dir string) (all string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			all += path + " " + sum(t, path) + "\n"
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func sum(t *testing.T, file string) string {
	t.Helper()
	s, err := sumOf(file)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestRefuses: what cannot be done leaves no folder, and says why.
func TestRefuses(t *testing.T) {
	r := trained(t, "csbm:nodes=40", "closed", "")
	r.Out = filepath.Join(filepath.Dir(r.Out), "folder", "new")
	all := make([]string, r.Data.Graph.NumNodes())
	for v := range all {
		all[v] = r.Data.IDs.At(int32(v))
	}
	for want, ask := range map[string]func(*Request){
		"what is to be forgotten":    func(*Request) {},
		"where is the new run to go": func(r *Request) { r.Nodes, r.Out = list(t, "n1"), "" },
		"exists already":             func(r *Request) { r.Nodes, r.Out = list(t, "n1"), r.Run },
		`no node "nobody"`:           func(r *Request) { r.Nodes = list(t, "n1", "nobody") },
		"it names nothing":           func(r *Request) { r.Nodes = list(t, "id") },
		"the file has no rows":       func(r *Request) { r.Labels = list(t) },
		"there is no edge":           func(r *Request) { r.Edges = list(t, "source,target", "n9,n9") },
		"want those of two nodes":    func(r *Request) { r.Edges = list(t, "n9") },
		"nothing is left":            func(r *Request) { r.Nodes = list(t, all...) },
		"no training nodes":          func(r *Request) { r.Labels = list(t, all...) },
		"tolerance is NaN":           func(r *Request) { r.Nodes, r.Tolerance = list(t, "n1"), math.NaN() },
		"there is no such file":      func(r *Request) { r.Nodes = "absent.csv" },
		"it is a file of events; take": func(r *Request) {
			d := *r.Data
			d.Events, r.Nodes, r.Data = &dataset.Events{}, list(t, "n1"), &d
		},
	} {
		try := r
		ask(&try)
		_, err := Run(t.Context(), try)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
		if dir := filepath.Dir(try.Out); try.Out != r.Run && try.Out != "" && files.Exists(dir) {
			t.Errorf("%s: %s is left", want, dir)
		}
	}
}

// TestTraces: ids are found in every kind of file, and not where they are part of others, numbers or words.
func TestTraces(t *testing.T) {
	now := &dataset.Dataset{Name: "d", IDs: dataset.NewIDs([]string{"ann-marie", "Bo Lee", "p417", "42"})}
	tr := &traces{data: now, gone: map[string]bool{"ann": true, "p41": true, "Bo": true, "7": true,
		"O'Neil & Co": true},
		edges: map[[2]string]bool{{"p417", "42"}: true}, labels: map[string]bool{"42": true},
		longer: []string{"ann-marie", "Bo Lee", "p417", "42"}, telling: []string{"O'Neil & Co", "p41"}}
	for _, c := range []struct {
		file, text string
		found      bool
	}{
		{"a.csv", "id,class\np417,a\n", false}, {"b.csv", "id,class\np41,a\n", true},
		{"c.csv", "id,class\n7,a\n", true}, {"d.csv", "node,id,fold\n7,p417,1\n", false},
		{"e.csv", "source,target,p\np417,42,1\n", true}, {"f.csv", "source,target,p\n42,p417,1\n", false},
		{"g.csv", "id,label\n42,\n", false}, {"h.csv", "id,label\n42,x\n", true},
		{"i.csv", "node,id,fold\n1,42,0\n", true},
		{"a.json", `{"epoch": 7, "seed": "7"}`, false}, {"b.json", `[{"id": "7"}]`, true},
		{"c.jsonl", "{\"x\":1}\n{\"y\":[\"see p41.\"]}\n", true},
		{"d.json", `["p41x", "xp41", "p41-b", "p417"]`, false},
		{"e.json", `["O'Neil \u0026 Co"]`, true},
		{"a.html", `<style>.p41{}</style><td class="p41">ann-marie</td>`, false}, {"b.html", "<td>p41</td>", true},
		{"c.html", "<b>O&#39;Neil &amp; Co</b>", true}, {"a.md", "for Bo Lee and ann-marie", false},
		{"a.yaml", "note: (p41)", true}, {"a.bin", "\xff\x00p41\x00", false},
		{"b.bin", "\xff\x00O'Neil & Co\x00", true},
	} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, c.file), []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := tr.search(dir); (err != nil) != c.found {
			t.Errorf("%s %q: %v", c.file, c.text, err)
		}
	}
	for id, want := range map[string]bool{"ann": false, "n1": false, "n17": true, "1234": false, "Mr. Hi": true,
		"train": false, "Anna": false, "McLee": true} {
		if telling(id) != want {
			t.Errorf("telling(%q) is %v", id, !want)
		}
	}
}

// TestMove: a linear head is moved within a bound if that is accepted, and trained again otherwise.
func TestMove(t *testing.T) {
	r := trained(t, "csbm:nodes=300,features=4", "base", "", "model.before=0", "model.after=1",
		"model.norm=none", "train.weight_decay=0.01", "train.rate=0.1", "train.epochs=100", "train.patience=0")
	var ids []string
	for _, v := range r.Data.Splits[0].Train[:9] {
		ids = append(ids, r.Data.IDs.At(v))
	}
	r.Labels, r.Tolerance = list(t, ids...), 10
	x, err := Run(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	if x.Exact || x.Bound == nil || *x.Bound > 1e-4 || x.Steps == 0 {
		t.Fatalf("receipt %+v", x)
	}
	r.Tolerance, r.Out = 1e-9, r.Out+"2"
	if x, err = Run(t.Context(), r); err != nil || !x.Exact || !strings.Contains(x.Why, "not within") {
		t.Errorf("%v, %+v", err, x)
	}
}
