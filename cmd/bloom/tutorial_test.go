package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/spf13/cobra"
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

// TestTutorial types what the tutorial says into an empty folder with its files, and compares what comes.
func TestTutorial(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(docs, "tutorial.md"))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(filepath.Join(docs, "tutorial"))); err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	all := transcript(strings.ReplaceAll(string(text), "\r\n", "\n"))
	if len(all) < 7 {
		t.Fatalf("only %d commands", len(all))
	}
	for _, x := range all {
		shown := typed(t, x)
		if !matches(shown, x.expect) {
			t.Errorf("docs/tutorial.md:%d: %s shows\n%s\nand not\n%s", x.line, x.typed, strings.Join(shown, "\n"),
				strings.Join(x.expect, "\n"))
		}
	}
	flagged(t)
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

// flagged looks whether the audit finds the rows that are wrong.
func flagged(t *testing.T) {
	t.Helper()
	stdout, _, _ := bloom(t, "audit", "team", "--top", "4")
	for _, id := range []string{"vito01", "vera02", "noah01", "eva03"} {
		nodes, _, _ := strings.Cut(stdout, "Classes")
		if !strings.Contains(nodes, id) {
			t.Errorf("%s is not among the first:\n%s", id, stdout)
		}
	}
}

// TestDocsNameCommands: what stands in code spans of the documents as a command of bloom is one.
func TestDocsNameCommands(t *testing.T) {
	root := newRoot(commands()...)
	var known []string
	var walk func(*cobra.Command)
	walk = func(c *cobra.Command) {
		known = append(known, c.CommandPath())
		for _, sub := range c.Commands() {
			walk(sub)
		}
	}
	walk(root)
	span := regexp.MustCompile("`(bloom(?: [a-z]+)+)")
	for _, name := range []string{"../../README.md", "../../docs/tutorial.md", "../../docs/kg.md",
		"../../docs/energies.md", "../../docs/peers.md", "../../docs/config.md"} {
		text, err := os.ReadFile(filepath.FromSlash(name))
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range span.FindAllStringSubmatch(string(text), -1) {
			words := strings.Fields(m[1])
			if !slices.Contains(known, strings.Join(words[:2], " ")) {
				t.Errorf("%s: there is no %s", name, m[1])
			}
		}
	}
}
