package ondisk

import (
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// TestFile: what was written is read, nothing has a name, and what is cut or changed is an error that says what and
// where.
func TestFile(t *testing.T) {
	dir := t.TempDir()
	f, err := NewScratch(dir, "numbers")
	if err != nil {
		t.Fatal(err)
	}
	x := []int32{3, 1, 4, 1, 5}
	sum, err := f.Put(8, bytesOf(x))
	if err != nil {
		t.Fatal(err)
	}
	y := make([]int32, len(x))
	if err := f.Get(8, bytesOf(y), sum, "a part"); err != nil || !slices.Equal(x, y) {
		t.Errorf("%v is read as %v, %v", x, y, err)
	}
	if names, _ := os.ReadDir(dir); len(names) > 0 && runtime.GOOS != "windows" {
		t.Errorf("%s has a name", names[0])
	}
	if err := f.Get(8, bytesOf(y), sum+1, "a part"); err == nil || !strings.Contains(err.Error(), "a part") {
		t.Errorf("a wrong checksum: %v", err)
	}
	if err := f.Get(12, bytesOf(y), sum, "a part"); err == nil || !strings.Contains(err.Error(), "16 of its 20 bytes") {
		t.Errorf("past the end: %v", err)
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}
	if _, err := NewScratch(dir+"/none", "numbers"); err == nil || !strings.Contains(err.Error(), "numbers") {
		t.Errorf("a folder that is not there: %v", err)
	}
}
