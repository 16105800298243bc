//go:build cuda && linux

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestCompiled: every compiled kernel was made from the source next to it.
func TestCompiled(t *testing.T) {
	const folder = "../kernels"
	files, err := filepath.Glob(filepath.Join(folder, "*.ptx"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no compiled kernels: %v", err)
	}
	for _, path := range files {
		_, hash, err := readSource(os.DirFS(folder), strings.TrimSuffix(filepath.Base(path), "ptx")+"cu")
		if err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(string(text), header(hash)) {
			t.Errorf("%s is out of date: compile it with cuda/gen", path)
		}
	}
}
