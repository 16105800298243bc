package importer

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestRowsWithoutColumns: JSON objects without a key are an error with the file, not a panic.
func TestRowsWithoutColumns(t *testing.T) {
	dir := t.TempDir()
	nodes, edges := filepath.Join(dir, "nodes.jsonl"), filepath.Join(dir, "edges.csv")
	for name, text := range map[string]string{nodes: "{}\n{}\n", edges: "source,target\na,b\n"} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	_, _, err := Run(t.Context(), Spec{Nodes: []Input{{Table: nodes}}, Edges: []Input{{Table: edges}}})
	if err == nil || !strings.Contains(err.Error(), "nodes.jsonl") {
		t.Errorf("error %v", err)
	}
}
