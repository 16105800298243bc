package main

import (
	"bytes"
	"flag"
	"io"
	"os"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write docs/paper.md and docs/lab/studies.md")

// TestMarkdown: docs/paper.md and docs/lab/studies.md are what the cells say today.
func TestMarkdown(t *testing.T) {
	var paper, studies bytes.Buffer
	if err := writeMarkdown(&paper, &studies, "cells"); err != nil {
		t.Fatal(err)
	}
	for file, b := range map[string]*bytes.Buffer{"paper.md": &paper, "lab/studies.md": &studies} {
		path := "../../docs/" + file
		if *update {
			if err := os.WriteFile(path, b.Bytes(), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		have, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(bytes.ReplaceAll(have, []byte("\r\n"), []byte("\n")), b.Bytes()) {
			t.Errorf("docs/%s is out of date: go test ./cmd/bloom-paper -run TestMarkdown -update", file)
		}
	}
}

// TestPublished: every number of the paper stands in docs/paper.md, and a table that names no cell is an error.
func TestPublished(t *testing.T) {
	var b bytes.Buffer
	if err := writeMarkdown(&b, io.Discard, "cells"); err != nil {
		t.Fatal(err)
	}
	for _, e := range experiments {
		r, err := Recorded(e, "cells")
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range r.Lines()[:r.numbers()] {
			if l.Paper != nil && !strings.Contains(b.String(), " "+short(l.Paper, l.SD)+" / ") {
				t.Errorf("%s: %s of %s on %s is missing", e.ID, l.Number, l.Row, l.Data)
			}
		}
		for _, p := range e.Paper {
			p.Rows = append(p.Rows[:len(p.Rows):len(p.Rows)], layoutRow{Label: "x", Row: "absent"})
			if p.write(io.Discard, r.Lines(), func(Line) {}) == nil {
				t.Errorf("%s: a row without cells is accepted", e.ID)
			}
		}
	}
}
