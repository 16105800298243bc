package main

import (
	"bytes"
	"flag"
	"io"
	"os"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write docs/paper.md")

// TestMarkdown: docs/paper.md is what the cells say today.
func TestMarkdown(t *testing.T) {
	var b bytes.Buffer
	if err := WriteMarkdown(&b, "cells"); err != nil {
		t.Fatal(err)
	}
	const file = "../../docs/paper.md"
	if *update {
		if err := os.WriteFile(file, b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	have, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(bytes.ReplaceAll(have, []byte("\r\n"), []byte("\n")), b.Bytes()) {
		t.Error("docs/paper.md is out of date: go test ./cmd/bloom-paper -run TestMarkdown -update")
	}
}

// TestPublished: every number of the paper stands in docs/paper.md, and a table that names no cell is an error.
func TestPublished(t *testing.T) {
	var b bytes.Buffer
	if err := WriteMarkdown(&b, "cells"); err != nil {
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
