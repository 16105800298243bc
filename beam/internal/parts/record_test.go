package parts_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/bloomgml/bloom/beam/internal/parts"
)

// TestRecord wants lists back as they were, and an error that names the file for every byte that is lost or changed.
func TestRecord(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x")
	a, b, c := []int32{1, -2}, []int64{}, []float32{0.5, -1, 3}
	if err := parts.Write(path, a, b, c); err != nil {
		t.Fatal(err)
	}
	var a1 []int32
	var b1 []int64
	var c1 []float32
	err := parts.Read(path, &a1, &b1, &c1)
	if err != nil || !slices.Equal(a, a1) || len(b1) > 0 || !slices.Equal(c, c1) {
		t.Fatal(a1, b1, c1, err)
	}
	if err := parts.Read(path, &a1, &b1); err == nil {
		t.Error("a list that nobody reads")
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for i := range whole {
		changed := slices.Clone(whole)
		changed[i] ^= 4
		for _, spoilt := range [][]byte{changed, whole[:i]} {
			if err := os.WriteFile(path, spoilt, 0o666); err != nil {
				t.Fatal(err)
			}
			if err := parts.Read(path, &a1, &b1, &c1); err == nil || !strings.Contains(err.Error(), path) {
				t.Errorf("byte %d: %v", i, err)
			}
		}
	}
}
