package report

import (
	"bytes"
	"context"
	"fmt"
	"html/template"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/dataset/catalogue"
	"github.com/bloomgml/bloom/internal/files"
	"github.com/bloomgml/bloom/internal/show"
	"github.com/bloomgml/bloom/task/fact"
	"github.com/bloomgml/bloom/task/pair"
	"github.com/bloomgml/bloom/train"
)

// evil is a name that is markup where nobody escapes it.
const evil = `"><b onclick='x'>&amp; +`

// standard are the templates of pages as html/template reads them.
func standard(t testing.TB) *template.Template {
	t.Helper()
	all := template.New("pages").Funcs(helpers).Funcs(template.FuncMap{
		"raw":     func(text string) template.HTML { return template.HTML(text) },
		"typeset": func(formula string) template.HTML { return template.HTML(typeset(formula)) },
	})
	template.Must(all.New("chart.css").Parse(show.Style))
	template.Must(all.ParseFS(pageFiles, "templates/*"))
	return all
}

// TestHTMLTemplate: html/template makes the same pages of the same templates and values, evil ones among them. It knows
// where a value stands and escapes it for that place; ours escapes all alike.
func TestHTMLTemplate(t *testing.T) {
	all := standard(t)
	for name, p := range map[string]struct {
		template string
		data     any
	}{
		"two classes": {"nodes", viewOf(t, opened(t, karate(t)))},
		"audited":     {"nodes", viewOf(t, audited(t))},
		"40 classes":  {"nodes", viewOf(t, opened(t, manyClasses(t)))},
		"numbers":     {"nodes", viewOf(t, opened(t, folder(t, "base", "smooth:nodes=300", nil)))},
		"baseline":    {"nodes", viewOf(t, opened(t, repeated(t)))},
		"evil heat":   {"nodes", viewOf(t, spoiltNames(opened(t, manyClasses(t))))},
		"evil nodes":  {"nodes", viewOf(t, spoiltNames(audited(t)))},
		"facts":       {"plain", openedFacts(t, kin(t)).page()},
		"evil facts":  {"plain", evilPlain(openedFacts(t, kin(t))).page()},
		"pairs":       {"plain", openedPairs(t).page()},
		"evil pairs":  {"plain", evilPlain(openedPairs(t)).page()},
		"comparison":  {"comparison", compared([]Opened{opened(t, karate(t)), opened(t, repeated(t))})},
		"evil comparison": {"comparison", compared([]Opened{spoiltNames(opened(t, karate(t))),
			spoiltNames(opened(t, repeated(t)))})},
		"facts compared": {"comparison", compared([]Opened{openedFacts(t, kin(t)), evilPlain(openedFacts(t, kin(t)))})},
		"pairs compared": {"comparison", compared([]Opened{openedPairs(t), evilPlain(openedPairs(t))})},
	} {
		t.Run(name, func(t *testing.T) {
			var want, got bytes.Buffer
			if err := all.ExecuteTemplate(&want, p.template, p.data); err != nil {
				t.Fatal(err)
			}
			if err := write(&got, p.template, p.data); err != nil {
				t.Fatal(err)
			}
			// html/template writes plus signs as references too
			ours, theirs := got.String(), Beginning+strings.ReplaceAll(want.String(), "&#43;", "+")
			if i := differ(ours, theirs); i >= 0 {
				t.Errorf("the page is …%.200s\nwant …%.200s", ours[max(0, i-100):], theirs[max(0, i-100):])
			}
			if strings.Contains(ours, "<b onclick") {
				t.Error("a name is markup")
			}
			if strings.Contains(name, "evil") && !strings.Contains(ours, "&lt;b onclick") {
				t.Error("the name is not on the page")
			}
		})
	}
}

// differ is where two texts begin to differ; −1 where they do not.
func differ(a, b string) int {
	if a == b {
		return -1
	}
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return i
		}
	}
	return min(len(a), len(b))
}

func viewOf(t testing.TB, r *Run) *nodesPage {
	t.Helper()
	p, err := r.page(Options{})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// spoiltNames is r with evil names in all places that data and users name.
func spoiltNames(r *Run) *Run {
	for i := range r.Trained.Data.Labels.Names {
		r.Trained.Data.Labels.Names[i] += evil
	}
	ids := make([]string, r.Trained.Data.Graph.NumNodes())
	for v := range ids {
		ids[v] = fmt.Sprint(v, evil)
	}
	r.Trained.Data.IDs = dataset.NewIDs(ids)
	r.Result.Data, r.Result.Recipe, r.Dir, r.config = evil, evil, evil, []byte(evil)
	r.Result.Warnings = []string{evil}
	if r.Audit != nil {
		r.Audit.Rows[0].ID, r.Audit.Labels[0].ID, r.Audit.Edges[0].Source = evil, evil, evil
		r.Audit.Rows[0].Columns[0].Name = evil
	}
	return r
}

func openedFacts(t testing.TB, dir string) *Plain {
	t.Helper()
	r, err := OpenPlain(dir, fact.Kind{})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// evilPlain is a run whose words are all evil.
func evilPlain(r *Plain) *Plain {
	r.Result.Data, r.Result.Recipe, r.Dir, r.config = evil, evil, evil, []byte(evil)
	r.More.Lead, r.More.Commands, r.Result.Warnings = evil, []string{evil}, []string{evil}
	for _, s := range r.More.Sections {
		for _, t := range s.Tables {
			for _, row := range t.Rows {
				for i := range t.Words {
					row[i] = evil
				}
			}
		}
	}
	return r
}

// openedPairs trains a model of links, once for all tests.
func openedPairs(t testing.TB) *Plain {
	t.Helper()
	trained.Lock()
	defer trained.Unlock()
	dir := filepath.Join(trained.root, "pairs")
	if !files.Exists(filepath.Join(dir, "result.json")) {
		c, err := config.Load(config.Options{Recipe: "base", Data: "karate", Set: []string{"train.epochs=3",
			"task=links"}})
		if err != nil {
			t.Fatal(err)
		}
		d, err := catalogue.Open(c.Data.Name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := pair.Run(context.Background(), *c, d, train.Options{Dir: dir}); err != nil {
			t.Fatal(err)
		}
	}
	r, err := OpenPlain(dir, pair.Kind{})
	if err != nil {
		t.Fatal(err)
	}
	return r
}
