package main

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/bloomgml/bloom/task/node"
)

// docs is where the documents are, from this package.
var docs = filepath.Join("..", "..", "docs")

// exchange is a command of a transcript and what it shows.
type exchange struct {
	line   int // of the document
	typed  string
	expect []string
}

// transcript are the exchanges in the console blocks of a document.
func transcript(text string) []exchange {
	var list []exchange
	inside := false
	for i, line := range strings.Split(text, "\n") {
		switch {
		case line == "```console":
			inside = true
		case line == "```":
			inside = false
		case inside && strings.HasPrefix(line, "$ "):
			list = append(list, exchange{line: i + 1, typed: line[2:]})
		case inside:
			last := &list[len(list)-1]
			last.expect = append(last.expect, line)
		}
	}
	return list
}

// matches compares what was shown with what a document says, line by line. There … is any text within a line, and alone
// on a line any number of lines.
func matches(shown, expect []string) bool {
	if len(expect) == 0 {
		return len(shown) == 0
	}
	if expect[0] == "…" {
		return matches(shown, expect[1:]) || len(shown) > 0 && matches(shown[1:], expect)
	}
	pattern := "^" + strings.ReplaceAll(regexp.QuoteMeta(expect[0]), "…", ".*") + "$"
	return len(shown) > 0 && regexp.MustCompile(pattern).MatchString(shown[0]) && matches(shown[1:], expect[1:])
}

func TestMatches(t *testing.T) {
	for _, c := range []struct {
		shown, expect string
		want          bool
	}{
		{"a\nb", "a\nb", true},
		{"a\nb", "a", false},
		{"a", "a\nb", false},
		{"took 3.2s", "took …", true},
		{"took 3.2s of (time)", "took … of (time)", true},
		{"spent 3.2s", "took …", false},
		{"a\nb\nc\nd", "a\n…\nd", true},
		{"a\nd", "a\n…\nd", true},
		{"a\nb\nc", "a\n…\nd", false},
		{"a.b", "axb", false},
	} {
		if got := matches(strings.Split(c.shown, "\n"), strings.Split(c.expect, "\n")); got != c.want {
			t.Errorf("%q against %q: %v", c.shown, c.expect, got)
		}
	}
}

// TestTutorial types what the tutorial says into an empty folder, compares what comes, and looks whether the mistakes
// that were planted are found.
func TestTutorial(t *testing.T) {
	if testing.Short() {
		t.Skip("trains on a company of 4,000 accounts")
	}
	text := document(t, "tutorial.md")
	t.Chdir(t.TempDir())
	all := transcript(text)
	if len(all) < 10 {
		t.Fatalf("only %d commands", len(all))
	}
	var seen strings.Builder
	for _, x := range all {
		if next := strings.HasPrefix(x.typed, "bloom audit ") || x.typed == "bloom train --data company.bloom" ||
			strings.Contains(x.typed, "--label segment"); next && !strings.Contains(seen.String(), x.typed+"\n") {
			t.Errorf("docs/tutorial.md:%d: nothing before proposes %s", x.line, x.typed)
		}
		shown := typed(t, x)
		seen.WriteString(strings.Join(shown, "\n") + "\n")
		if !matches(shown, x.expect) {
			t.Errorf("docs/tutorial.md:%d: %s shows\n%s\nand not\n%s", x.line, x.typed, strings.Join(shown, "\n"),
				strings.Join(x.expect, "\n"))
		}
	}
	plantedFound(t)
	if ours, alone := testScore(t, "runs/fraud"), testScore(t, "alone"); !(ours >= 1.5*alone) {
		t.Errorf("average precision %.3f, a logistic regression has %.3f", ours, alone)
	}
}

// plantedFound counts the planted mistakes among the first n of the audit, where n of them were planted.
func plantedFound(t *testing.T) {
	t.Helper()
	truth, err := os.Open("company/truth.csv")
	if err != nil {
		t.Fatal(err)
	}
	defer truth.Close()
	rows, err := csv.NewReader(truth).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var a node.Audit
	readJSON(t, "runs/company-robust/audit.json", &a)
	wrong, first := map[string]bool{}, map[string][]string{}
	count := map[string]int{}
	for _, r := range rows[1:] {
		count[r[0]]++
		wrong[r[0]+r[1]] = true
		if r[0] == "edge" {
			wrong[r[0]+r[1]+r[3]], wrong[r[0]+r[3]+r[1]] = true, true
		}
	}
	for _, x := range a.Rows[:count["outlier"]] {
		first["outlier"] = append(first["outlier"], x.ID)
	}
	for _, x := range a.Labels[:count["label"]] {
		first["label"] = append(first["label"], x.ID)
	}
	for _, x := range a.Edges[:count["edge"]] {
		first["edge"] = append(first["edge"], x.Source+x.Target)
	}
	for fault, least := range map[string]float64{"outlier": 0.65, "label": 0.6, "edge": 0.25} {
		found := 0
		for _, thing := range first[fault] {
			if wrong[fault+thing] {
				found++
			}
		}
		if got := float64(found) / float64(count[fault]); !(got >= least) {
			t.Errorf("%s: %.2f of %d are among the first as many, want %.2f", fault, got, count[fault], least)
		}
	}
}

// testScore is the metric of the test nodes of a run.
func testScore(t *testing.T, dir string) float64 {
	t.Helper()
	var r struct{ Test struct{ Mean float64 } }
	readJSON(t, dir+"/result.json", &r)
	return r.Test.Mean
}

// readJSON decodes a file.
func readJSON(t *testing.T, name string, to any) {
	t.Helper()
	text, err := os.ReadFile(filepath.FromSlash(name))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, to); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
}

// typed runs a command of the tutorial and returns what a terminal would show.
func typed(t *testing.T, x exchange) []string {
	t.Helper()
	words := wordsOf(x.typed)
	var screen bytes.Buffer
	switch words[0] {
	case "head":
		n, err := strconv.Atoi(strings.TrimPrefix(words[1], "-"))
		text, err2 := os.ReadFile(words[2])
		if err != nil || err2 != nil {
			t.Fatalf("line %d: %v, %v", x.line, err, err2)
		}
		lines := strings.SplitAfter(strings.ReplaceAll(string(text), "\r\n", "\n"), "\n")
		screen.WriteString(strings.Join(lines[:min(n, len(lines))], ""))
	case "bloom":
		if code := execute(context.Background(), newRoot(commands()...), words[1:], &screen,
			&screen); code != exitDone {
			t.Fatalf("line %d: %s: exit %d\n%s", x.line, x.typed, code, screen.String())
		}
	default:
		t.Fatalf("line %d: %s: neither bloom nor head", x.line, x.typed)
	}
	return strings.Split(strings.TrimSuffix(filepath.ToSlash(screen.String()), "\n"), "\n")
}

// wordsOf are the words of a command line; quotes keep spaces in one.
func wordsOf(line string) []string {
	var words []string
	for i, part := range strings.Split(line, "'") {
		if i%2 == 1 {
			words = append(words, part)
		} else {
			words = append(words, strings.Fields(part)...)
		}
	}
	return words
}

// TestKnowledgeGraphs types what kg.md says into an empty folder with its files, and compares what comes.
func TestKnowledgeGraphs(t *testing.T) {
	text := document(t, "kg.md")
	files := os.DirFS(filepath.Join(docs, "kg"))
	dir := t.TempDir()
	if err := os.CopyFS(dir, files); err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	all := transcript(text)
	if len(all) < 7 {
		t.Fatalf("only %d commands", len(all))
	}
	for _, x := range all {
		if shown := typed(t, x); !matches(shown, x.expect) {
			t.Errorf("docs/kg.md:%d: %s shows\n%s\nand not\n%s", x.line, x.typed, strings.Join(shown, "\n"),
				strings.Join(x.expect, "\n"))
		}
	}
}
