package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/bloomgml/bloom/internal/command"
	"github.com/bloomgml/bloom/mat"
)

// paper runs a command line on the cells of this folder.
func paper(t *testing.T, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	threads := mat.Threads()
	t.Cleanup(func() { mat.SetThreads(threads) })
	var out, text bytes.Buffer
	code = command.Execute(context.Background(), newRoot(), append([]string{"--cells", "cells"}, args...), &out, &text)
	return out.String(), text.String(), code
}

// TestMistakes: a mistake in the command line ends with the exit code for it and a sentence that says what is meant.
func TestMistakes(t *testing.T) {
	for _, c := range []struct {
		line, says string
		code       int
	}{
		{"lst", `unknown command "lst"; did you mean "list"?`, command.BadLine},
		{"list noise", "takes no argument", command.BadLine},
		{"show nois", `did you mean "noise"?`, command.BadLine},
		{"run", "want the name of one table or figure, got 0 arguments", command.BadLine},
		{"run nois", `did you mean "noise"?`, command.BadLine},
		{"run noise --seeds -1", "-1 seeds, want 1 or more", command.BadLine},
		{"faults", "want the name of a data set", command.BadLine},
		{"run noise --jobs 0", "0 jobs, want 1 or more", command.BadLine},
		{"run noise --jobs 3 --threads 2", "3 jobs on 2 threads", command.BadLine},
		{"run heterophily --rows gat", `row "gat"`, command.BadLine},
		{"run lp --data-sets core", `did you mean "cora"?`, command.BadLine},
		{"record noise --commit=", "name it with --commit", command.BadLine},
		{"show noise --cells elsewhere", "say where they are with --cells", command.BadData},
	} {
		stdout, stderr, code := paper(t, strings.Fields(c.line)...)
		if code != c.code || stdout != "" || !strings.HasPrefix(stderr, "bloom-paper: ") ||
			!strings.Contains(stderr, c.says) {
			t.Errorf("bloom-paper %s: exit %d, stdout %q, stderr %q; want exit %d and %q", c.line, code, stdout, stderr,
				c.code, c.says)
		}
	}
}

// TestRunWithoutData: a table without its data says which files are missing and where they go, and is still a table.
func TestRunWithoutData(t *testing.T) {
	t.Setenv("BLOOM_DATA", t.TempDir())
	t.Setenv("BLOOM_CACHE", t.TempDir())
	stdout, stderr, code := paper(t, "run", "energy-figure", "--out", t.TempDir())
	if code != command.Done || !strings.Contains(stderr, "ind.cora.allx") ||
		!strings.Contains(stderr, "bloom data get Cora") {
		t.Errorf("exit %d and\n%s\nwant 0 and the missing files", code, stderr)
	}
	if !strings.Contains(stdout, "jacobi steps") {
		t.Errorf("no table:\n%s", stdout)
	}
}

// TestList names every table and figure of the paper that there is, with recorded cells.
func TestList(t *testing.T) {
	stdout, _, code := paper(t, "list")
	for _, id := range []string{"noise", "heterophily", "full", "lambda", "momentum", "lp", "energy-figure",
		"layernorm-figure", "norm-figure"} {
		if code != command.Done || !strings.Contains("\n"+stdout, "\n"+id+" ") {
			t.Errorf("exit %d, no %s in\n%s", code, id, stdout)
		}
	}
	if strings.Contains(stdout, " 0 of 0 ") {
		t.Errorf("a table without cells:\n%s", stdout)
	}
}

// TestShow prints a table as recorded, and the same lines as JSON.
func TestShow(t *testing.T) {
	text, _, code := paper(t, "show", "noise")
	objects, _, _ := paper(t, "show", "noise", "--json")
	if code != command.Done || !strings.Contains(text, "robust − base") ||
		strings.Count(objects, "\n")+1 != strings.Count(text, "\n") {
		t.Errorf("exit %d\n%s\n%s", code, text, objects)
	}
}

// TestDocs: what documents say to type names tables and rows that there are.
func TestDocs(t *testing.T) {
	files, _ := filepath.Glob("../../docs/*.md")
	lab, _ := filepath.Glob("../../docs/lab/*.md")
	files = append(files, lab...)
	typed := regexp.MustCompile("bloom-paper (run|show|record) ([a-z][a-z-]*)( --rows ([a-z,-]+))?")
	count := 0
	for _, name := range append(files, "../../README.md", "../../CHANGELOG.md", "../../bench/README.md") {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, words := range typed.FindAllStringSubmatch(string(text), -1) {
			count++
			e, err := Find(words[2])
			if err != nil {
				t.Errorf("%s: %s: %v", name, words[0], err)
				continue
			}
			rows := strings.FieldsFunc(words[4], func(r rune) bool { return r == ',' })
			if _, err := e.chosen("cells", rows, nil); err != nil {
				t.Errorf("%s: %s: %v", name, words[0], err)
			}
		}
	}
	if count < 15 {
		t.Errorf("%d commands found", count)
	}
}
