package files

import (
	"os"
	"path/filepath"
	"testing"
)

// TestUndo: what is new goes, with the folders that were made for it; what was there stays, and what others wrote next
// to it.
func TestUndo(t *testing.T) {
	root := t.TempDir()
	write := func(parts ...string) string {
		path := filepath.Join(append([]string{root}, parts...)...)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	old := write("run", "old")
	undo, deep := Undo(filepath.Join(root, "run")), Undo(filepath.Join(root, "a", "b", "c"))
	fresh, sub, below := write("run", "new"), write("run", "sub", "new"), write("a", "b", "c", "new")
	other := write("a", "other")
	for _, f := range []func() error{undo, deep} {
		if err := f(); err != nil {
			t.Fatal(err)
		}
	}
	for path, want := range map[string]bool{old: true, other: true, fresh: false, filepath.Dir(sub): false,
		below: false, filepath.Join(root, "a", "b"): false} {
		if Exists(path) != want {
			t.Errorf("%s: there %v, want %v", path, !want, want)
		}
	}
}
