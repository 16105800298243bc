package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/dataset/catalogue"
	"github.com/bloomgml/bloom/task/fact"
	"github.com/bloomgml/bloom/train"
)

// done is what a command line prints that must succeed.
func done(t *testing.T, line string) string {
	t.Helper()
	stdout, stderr, code := bloom(t, strings.Fields(line)...)
	if code != exitDone {
		t.Fatalf("%s: exit %d, %s", line, code, stderr)
	}
	return stdout
}

// TestResumeLinks: a run on a knowledge graph that was stopped goes on, and ends as if it had not been.
func TestResumeLinks(t *testing.T) {
	t.Chdir(t.TempDir())
	want := done(t, "train --data family:families=1 --recipe complex --set model.hidden=8 --set train.epochs=5 "+
		"--out whole")
	c, err := config.Load(config.Options{File: "whole/config.yaml"})
	if err != nil {
		t.Fatal(err)
	}
	d, err := catalogue.Open(c.Data.Name)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	_, err = fact.Run(ctx, *c, d, fact.Options{Options: train.Options{Dir: "stopped", Progress: func(train.Event) {
		stop()
	}}})
	if !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(),
		"continue with: bloom train --resume stopped") {
		t.Fatal(err)
	}
	if got := done(t, "train --resume stopped"); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	a, err1 := os.ReadFile("whole/model.safetensors")
	b, err2 := os.ReadFile("stopped/model.safetensors")
	if err1 != nil || err2 != nil || string(a) != string(b) {
		t.Errorf("another model, errors %v and %v", err1, err2)
	}
}

// TestPairs: of a table of pairs links are learnt, with or without --task, and config show says so.
func TestPairs(t *testing.T) {
	t.Chdir(t.TempDir())
	var text strings.Builder
	for v := range 40 {
		fmt.Fprintf(&text, "p%d,p%d\np%d,p%d\n", v, (v+1)%40, v, (v+7)%40)
	}
	write(t, "pairs.csv", []byte(text.String()))
	for i, line := range []string{"--data pairs.csv", "--data pairs.csv --task links"} {
		out := fmt.Sprint("run", i)
		if got := done(t, "train "+line+" --set train.epochs=2 --out "+out); !strings.Contains(got, "roc_auc") {
			t.Errorf("%s prints %s", line, got)
		}
		if got := done(t, "config show "+line); !strings.Contains(got, "task: links") {
			t.Errorf("config show %s prints %s", line, got)
		}
	}
	if a, b := done(t, "config show --data pairs.csv"), done(t, "recipe show --data pairs.csv"); a != b {
		t.Error("recipe show without a name is not config show")
	}
}

// TestAuditLinks: the first facts are shown, all are in the folder, and the page has them. Which they are is up to the
// last bits.
func TestAuditLinks(t *testing.T) {
	home, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	done(t, "train --data family:families=1 --recipe complex --set model.hidden=8 --set train.epochs=3 --out kin")
	shown := done(t, "audit kin --top 3")
	var a fact.Audit
	if err := json.Unmarshal([]byte(done(t, "audit kin --json --sample 60")), &a); err != nil || len(a.Facts) != 60 ||
		a.Facts[0].Rank != 1 || a.Flagged != 3 || len(a.Relations) == 0 {
		t.Errorf("%+v, error %v", a, err)
	}
	file, err1 := os.ReadFile("kin/audit.csv")
	page, err2 := os.ReadFile("kin/report.html")
	if err := errors.Join(err1, err2); err != nil || strings.Count(string(file), "\n") != 61 ||
		!strings.Contains(string(page), a.Facts[0].Head) || !strings.Contains(string(page), "Least expected facts") {
		t.Errorf("%d rows in audit.csv, error %v", strings.Count(string(file), "\n"), err)
	}
	factLine := regexp.MustCompile(`(?m)^( +\d)  .* –\w+→ .* +ranks [0-9.]+ and [0-9.]+, ` +
		`suspicion [0-9.-]+, true with probability [0-9.]+, (train|valid)$`)
	share := regexp.MustCompile(`(?m)^ +[0-9.]+ %  \w+ \d+ of \d+ facts$`)
	t.Chdir(home)
	snapshot(t, "audit-links", share.ReplaceAllString(factLine.ReplaceAllString(shown, "$1  …"), "  …"))
}

// TestExplainLinks: what a person sees of an embedding and of paths, with the figures and the reasons taken out.
func TestExplainLinks(t *testing.T) {
	home, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	write(t, "kin.txt", []byte("ann\tparent_of\tbob\nbob\tparent_of\tcat\nann\tspouse_of\tdan\ndan\tparent_of\tbob\n"))
	figure := regexp.MustCompile(`(scores|be|is) -?[0-9.e-]+`)
	factLine := regexp.MustCompile(`(?m)^  .+ –\w+→ .+ +[+-][0-9.e-]+ +[+-][0-9.e-]+ █*$`)
	way := regexp.MustCompile(`(?m)^ +[+-][0-9.e-]+ +-?[0-9.]+ %  ann –.*→ (bob|cat) █*$`)
	var shown strings.Builder
	for _, recipe := range []string{"complex", "path"} {
		done(t, "train --data kin.txt --recipe "+recipe+" --set model.hidden=8 --set train.epochs=3 --out "+recipe)
		for _, tail := range []string{"bob", "cat"} {
			line := "explain " + recipe + " --head ann --relation parent_of --tail " + tail + " --top 2"
			text := way.ReplaceAllString(factLine.ReplaceAllString(figure.ReplaceAllString(done(t, line), "$1 …"),
				"  fact …"), "  path …")
			shown.WriteString("$ bloom " + line + "\n" + text)
		}
	}
	var e fact.Explanation
	if err := json.Unmarshal([]byte(done(t, "explain complex --head ann --relation parent_of --tail bob --json "+
		"--top 1")), &e); err != nil || !e.Known || len(e.Facts) != 1 || e.Left != 2 {
		t.Errorf("%+v, error %v", e, err)
	}
	t.Chdir(home)
	snapshot(t, "explain-links", shown.String())
}
