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
	"github.com/bloomgml/bloom/internal/predicted"
	"github.com/bloomgml/bloom/link"
	"github.com/bloomgml/bloom/run"
)

// kin trains a model of a small knowledge graph, once for all tests, and returns the run folder.
func kin(t testing.TB) string {
	t.Helper()
	trained.Lock()
	defer trained.Unlock()
	dir := filepath.Join(trained.root, "kin")
	if exists(filepath.Join(dir, "result.json")) {
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
	if _, err := link.Run(context.Background(), *c, d, link.Options{Options: run.Options{Dir: dir}}); err != nil {
		t.Fatal(err)
	}
	return dir
}

// pageOfLinks is the page of a run on a knowledge graph.
func pageOfLinks(t testing.TB, dir string) string {
	t.Helper()
	r, err := OpenLinks(dir)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := r.Page(&b, Options{}); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestLinksPage: the page has everything, needs nothing else, and is that which Write stores.
func TestLinksPage(t *testing.T) {
	dir := kin(t)
	page := pageOfLinks(t, dir)
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

// TestRankHistogram: every question is counted once, in the bin of its rank.
func TestRankHistogram(t *testing.T) {
	r := &Links{Ranks: []predicted.Fact{{TailRank: 1, HeadRank: 1}, {TailRank: 9.5, HeadRank: 1},
		{TailRank: 1000, HeadRank: 11}}}
	f := r.histogram()
	if f == nil || strings.Count(f.SVG, "<path") < 4 || !strings.Contains(f.SVG, "1000") ||
		!strings.Contains(f.SVG, ">10<") {
		t.Errorf("the chart is %+v", f)
	}
}

// TestOpenLinksRefuses: a folder that is not whole is an error with the name of the file.
func TestOpenLinksRefuses(t *testing.T) {
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

// TestCompareLinks: a comparison has a row for every run, the curves of all, and the keys that differ.
func TestCompareLinks(t *testing.T) {
	one, err := OpenLinks(kin(t))
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
		fraction(one.Result.Ranking.MRR)} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("the page has no %q", want)
		}
	}
}

// TestLinksAudit: a page shows the facts that an audit flagged, escaped, once there is one.
func TestLinksAudit(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "kin")
	if err := os.CopyFS(dir, os.DirFS(kin(t))); err != nil {
		t.Fatal(err)
	}
	if page := pageOfLinks(t, dir); strings.Contains(page, "What may be wrong") {
		t.Error("there is no audit, and yet it is shown")
	}
	const audit = "rank,head,relation,tail,part,tail_rank,head_rank,suspicion\n" +
		"1,<Ann>,parent_of,Bob,train,30,12.5,2.25\n2,Cat,spouse_of,Dan,valid,1,1,-0.5\n"
	if err := os.WriteFile(filepath.Join(dir, link.AuditFile), []byte(audit), 0o666); err != nil {
		t.Fatal(err)
	}
	page := pageOfLinks(t, dir)
	for _, want := range []string{"What may be wrong", "&lt;Ann&gt;", "parent_of", "12.5", "2.25",
		"Relations by their share", "100", "bloom audit"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page has no %q", want)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, link.AuditFile), []byte("rank\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := OpenLinks(dir); err == nil || !strings.Contains(err.Error(), link.AuditFile) {
		t.Errorf("half an audit: %v", err)
	}
}
