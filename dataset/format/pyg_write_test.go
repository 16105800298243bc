package format

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/bloomgml/bloom/dataset"
)

// TestWriteGeometric: what is written for PyTorch Geometric is read as it was.
func TestWriteGeometric(t *testing.T) {
	for _, c := range []struct{ path, class string }{
		{sampleOf(t, geometricFile{}), "Data"},
		{sampleOf(t, heterophilousFile{}), "Data"},
		{sampleOf(t, factFile{}), "Data"},
		{sampleOf(t, nodeLinkFile{}), "Data"},
		{sampleOf(t, ogbFolder{}), "Data"},
		{"testdata/more/numbers.pt", "Data"},
		{"testdata/more/hetero.pt", "HeteroData"},
		{sampleOf(t, hecoReader{}), "HeteroData"},
	} {
		d, err := Open(c.path)
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(t.TempDir(), d.Name+".pt")
		class, err := WriteGeometric(path, d, false)
		if err != nil || class != c.class {
			t.Fatalf("%s: a %s, %v", c.path, class, err)
		}
		got, err := Open(path)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := said(got), said(d); got != want {
			t.Errorf("%s: read\n%s\nwant\n%s", c.path, got, want)
		}
		again := filepath.Join(t.TempDir(), "again.pt")
		if _, err := WriteGeometric(again, d, false); err != nil {
			t.Fatal(err)
		}
		if a, b := read(t, path), read(t, again); a != b {
			t.Errorf("%s: other bytes the second time", c.path)
		}
	}
}

// said is what a set holds, without what is about the file that it is from. The nodes of a split are ascending.
func said(d *dataset.Dataset) string {
	var text strings.Builder
	copied := *d
	copied.Name, copied.Metric, copied.Notes, copied.Splits = "", "", nil, nil
	for _, s := range d.Splits {
		copied.Splits = append(copied.Splits, dataset.Split{Train: slices.Sorted(slices.Values(s.Train)),
			Valid: slices.Sorted(slices.Values(s.Valid)), Test: slices.Sorted(slices.Values(s.Test))})
	}
	content(&text, &copied)
	return text.String()
}

// read is the content of a file.
func read(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
