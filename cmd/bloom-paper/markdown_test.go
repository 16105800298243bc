package main

import (
	"bytes"
	"flag"
	"os"
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
