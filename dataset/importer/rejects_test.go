package importer

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/internal/codec/table"
)

// TestRejects: the file is there when the import succeeds and not otherwise; it replaces an older one, nothing else,
// and never a table that is read.
func TestRejects(t *testing.T) {
	dir := t.TempDir()
	nodes, good, bad := filepath.Join(dir, "n.csv"), filepath.Join(dir, "e.csv"), filepath.Join(dir, "bad.csv")
	put(t, nodes, []byte("id\na\nb\n"))
	put(t, good, []byte("source,target\na,b\na,x\n"))
	put(t, bad, []byte("source,target\na,x\na,\"b\n"))
	out := filepath.Join(dir, "rejects.csv")
	run := func(edges, rejects string, force bool) error {
		_, _, err := Run(t.Context(), Spec{Nodes: []Input{{Table: nodes}}, Edges: []Input{{Table: edges}},
			Rejects: rejects, Force: force})
		return err
	}
	if err := run(bad, out, false); err == nil {
		t.Fatal("a spoilt table is read")
	}
	left, err := filepath.Glob(filepath.Join(dir, "*rejects*"))
	if hidden, _ := filepath.Glob(filepath.Join(dir, ".*")); err != nil || len(left)+len(hidden) > 0 {
		t.Errorf("an import that failed leaves %q %q", left, hidden)
	}
	for range 2 { // the second replaces the first
		if err := run(good, out, false); err != nil {
			t.Fatal(err)
		}
	}
	put(t, out, []byte("something else"))
	if err := run(good, out, false); err == nil || !strings.Contains(err.Error(), "--force") {
		t.Errorf("replacing what others wrote: %v", err)
	}
	if err := run(good, out, true); err != nil {
		t.Error(err)
	}
	if err := run(good, nodes, true); err == nil || !strings.Contains(err.Error(), "is an input") {
		t.Errorf("replacing a table that is read: %v", err)
	}
	if text, err := os.ReadFile(nodes); err != nil || string(text) != "id\na\nb\n" {
		t.Errorf("the table of nodes is %q, %v", text, err)
	}
}

// TestRejectsAfterData: where the data set cannot be written, there are no rejects either.
func TestRejectsAfterData(t *testing.T) {
	dir := t.TempDir()
	edges, out := filepath.Join(dir, "e.csv"), filepath.Join(dir, "rejects.csv")
	put(t, edges, []byte("source,target\na,b\na\n"))
	for _, full := range []error{errors.New("the disk is full"), nil} {
		_, report, err := Run(t.Context(), Spec{Edges: []Input{{Table: edges}}, Rejects: out,
			Keep: func(*dataset.Dataset) error {
				if _, err := os.Stat(out); err == nil {
					t.Error("rejects are there before the data set")
				}
				return full
			}})
		if err != full || report.Rejected != 1 {
			t.Errorf("%d rejected, error %v, want %v", report.Rejected, err, full)
		}
		if _, err := os.Stat(out); (err == nil) != (full == nil) {
			t.Errorf("after error %v, rejects: %v", full, err)
		}
	}
}

// TestRejectsBound lists rows up to a size, and counts the others.
func TestRejectsBound(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "e.csv")
	put(t, path, []byte("source,target\n"+strings.Repeat("a,b\n", 1000)))
	s, err := table.Open(path, table.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	var b table.Batch
	if err := s.Next(&b); err != nil {
		t.Fatal(err)
	}
	if err := b.Parse(); err != nil {
		t.Fatal(err)
	}
	r := newRejects(&Spec{Rejects: filepath.Join(dir, "rejects.csv")})
	r.most = 3000
	for i := range b.Rows() {
		if err := r.add(&b, "e.csv", i, "why"); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(r.flush(), r.commit()); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(r.path)
	if err != nil || len(text) > 3100 || !strings.HasSuffix(string(text), " more rows are not listed,\n") {
		t.Errorf("%d bytes, which end with %q, %v", len(text), text[max(0, len(text)-60):], err)
	}
}
