package importer

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/bloomgml/bloom/internal/files"
)

// TestMemory: small tables that ask for much are refused with the file, what asks, the budget and the flag.
func TestMemory(t *testing.T) {
	dir := t.TempDir()
	edges := filepath.Join(dir, "edges.csv")
	put(t, edges, []byte("source,target\nn0,n1\n"))
	var keys, wide bytes.Buffer
	for i := range 3000 {
		fmt.Fprintf(&keys, "{\"id\":\"n%d\",\"source\":\"a\",\"target\":\"b\",\"k%d\":1}\n", i, i)
		fmt.Fprintf(&wide, "n%d%s\n", i, strings.Repeat(",", 2000))
	}
	for name, text := range map[string][]byte{"keys.jsonl": keys.Bytes(), "wide.csv.gz": packed(t, wide.Bytes()),
		"one.csv.gz": packed(t, bytes.Repeat([]byte("a,b\n"), 1<<21)),
		"header.csv": []byte("id" + strings.Repeat(",", 1<<16) + "\n")} {
		path := filepath.Join(dir, name)
		put(t, path, text)
		files.SetMemory(24 << 20)
		_, _, nodes := Run(t.Context(), Spec{Nodes: []Input{{Table: path}}, Edges: []Input{{Table: edges}}})
		_, _, ends := Run(t.Context(), Spec{Edges: []Input{{Table: path}}})
		files.SetMemory(0)
		for role, err := range map[string]error{"nodes": nodes, "edges": ends} {
			if name == "one.csv.gz" && role == "nodes" {
				continue // one node, and rows that repeat it
			}
			if err == nil || !strings.HasPrefix(err.Error(), path+": ") || !strings.Contains(err.Error(), "--memory") {
				t.Errorf("%s of %s: %v", role, name, err)
			}
		}
	}
}

// TestManyColumns reads 20,000 columns, of nodes and of edges, in time that is linear in them: their square takes
// minutes.
func TestManyColumns(t *testing.T) {
	const n = 20000
	dir := t.TempDir()
	var nodes, edges bytes.Buffer
	nodes.WriteString("id")
	edges.WriteString("source,target")
	for i := range n {
		fmt.Fprintf(&nodes, ",c%d", i)
		fmt.Fprintf(&edges, ",d%d", i)
	}
	for i := range 4 {
		fmt.Fprintf(&nodes, "\nn%d%s", i, strings.Repeat(fmt.Sprintf(",%d", i), n))
		fmt.Fprintf(&edges, "\nn%d,n%d%s", i, (i+1)%4, strings.Repeat(",x", n))
	}
	put(t, filepath.Join(dir, "nodes.csv"), nodes.Bytes())
	put(t, filepath.Join(dir, "edges.csv"), edges.Bytes())
	begin := time.Now()
	d, _, err := Run(t.Context(), Spec{Nodes: []Input{{Table: filepath.Join(dir, "nodes.csv")}},
		Edges: []Input{{Table: filepath.Join(dir, "edges.csv")}}})
	if err != nil || d.Features[0].Cols != n || len(d.Raw.Edges) != n {
		t.Fatal(err)
	}
	if took := time.Since(begin); took > 20*time.Second {
		t.Errorf("%d columns took %v", n, took)
	}
}

func put(t *testing.T, path string, text []byte) {
	t.Helper()
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
}

// packed is text compressed.
func packed(t *testing.T, text []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := z.Write(text); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}
