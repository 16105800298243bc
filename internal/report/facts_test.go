package report

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/dataset/catalogue"
	"github.com/bloomgml/bloom/internal/files"
	"github.com/bloomgml/bloom/internal/show"
	"github.com/bloomgml/bloom/task/fact"
	"github.com/bloomgml/bloom/train"
)

// kin trains a model of a small knowledge graph, once for all tests, and returns the run folder.
func kin(t testing.TB) string {
	t.Helper()
	trained.Lock()
	defer trained.Unlock()
	dir := filepath.Join(trained.root, "kin")
	if files.Exists(filepath.Join(dir, "result.json")) {
		return dir
	}
	c, err := config.Load(config.Options{Recipe: "path", Data: "family:families=3,twin=2",
		Set: []string{"train.epochs=4", "model.hidden=8", "train.repeat=2"}})
	if err != nil {
		t.Fatal(err)
	}
	d, err := catalogue.Open(c.Data.Name)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := fact.Run(context.Background(), *c, d, fact.Options{Options: train.Options{Dir: dir}}); err != nil {
		t.Fatal(err)
	}
	return dir
}

// pageOfFacts is the page of a run on a knowledge graph.
func pageOfFacts(t testing.TB, dir string) string {
	t.Helper()
	r, err := OpenPlain(dir, fact.Kind{})
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := r.Page(&b, Options{}); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestFactsPage: the page has everything, needs nothing else, and equals what Write stores.
func TestFactsPage(t *testing.T) {
	dir := kin(t)
	page := pageOfFacts(t, dir)
	for _, want := range []string{"Test hits@10 50", "Test MRR", "over 2 runs", "Validation MRR", "Training loss",
		"ties last", "Questions by rank", "Test facts by relation", "cousin_of",
		"Worst ranks", "entities of the test graph", "bloom predict", "bloom train", "recipe: path",
		"(full, filtered)"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page has no %q", want)
		}
	}
	for _, word := range []string{"<script", "http:", "https:", "src=", "NaN"} {
		if strings.Contains(page, word) {
			t.Errorf("the page has %q", word)
		}
	}
	if err := Write(dir); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(filepath.Join(dir, "report.html")); err != nil || string(text) != page {
		t.Errorf("another page is stored, error %v", err)
	}
}

// TestOpenFactsRefuses: a folder that is not whole is an error with the name of the file.
func TestOpenFactsRefuses(t *testing.T) {
	for file, text := range map[string]string{
		"result.json": "{}", "predictions.csv": "head\n", "metrics.jsonl": "no\n", "config.yaml": "recipe: [",
	} {
		dir := filepath.Join(t.TempDir(), "run")
		if err := os.CopyFS(dir, os.DirFS(kin(t))); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		if err := Write(dir); err == nil || !strings.Contains(err.Error(), file) {
			t.Errorf("%s: %v", file, err)
		}
	}
}

// TestCompareFacts: a comparison has a row for every run, the curves of all, and the keys that differ.
func TestCompareFacts(t *testing.T) {
	one, err := OpenPlain(kin(t), fact.Kind{})
	if err != nil {
		t.Fatal(err)
	}
	two := *one
	two.Dir, two.config = "elsewhere/other", []byte(strings.Replace(string(one.config), "seed: 1", "seed: 77", 1))
	var b bytes.Buffer
	if err := Compare(&b, one, &two); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{">kin<", ">other<", "Validation MRR while training", "train.seed", ">77<",
		show.Fraction(one.Result.Ranking.MRR)} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("the page has no %q", want)
		}
	}
}

// TestFactsAudit: a page shows the facts that an audit flagged, escaped, once there is one.
func TestFactsAudit(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "kin")
	if err := os.CopyFS(dir, os.DirFS(kin(t))); err != nil {
		t.Fatal(err)
	}
	if page := pageOfFacts(t, dir); strings.Contains(page, "What may be wrong") {
		t.Error("there is no audit, and yet it is shown")
	}
	const audit = "rank,head,relation,tail,part,tail_rank,head_rank,suspicion,probability\n" +
		"1,<Ann>,parent_of,Bob,train,30,12.5,2.25,0.25\n2,Cat,spouse_of,Dan,valid,1,1,-0.5,0.75\n"
	if err := os.WriteFile(filepath.Join(dir, fact.AuditFile), []byte(audit), 0o666); err != nil {
		t.Fatal(err)
	}
	page := pageOfFacts(t, dir)
	for _, want := range []string{"What may be wrong", "&lt;Ann&gt;", "parent_of", "12.5", "2.25",
		"Relations by their share", "100", "bloom audit"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page has no %q", want)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, fact.AuditFile), []byte("rank\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := OpenPlain(dir, fact.Kind{}); err == nil || !strings.Contains(err.Error(), fact.AuditFile) {
		t.Errorf("half an audit: %v", err)
	}
}
