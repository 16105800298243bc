package dataset

import (
	"os"
	"path/filepath"
	"testing"
)

// benchmarkData is a path inside $BLOOM_DATA, where the public benchmark files are. Without them the
// test is skipped.
func benchmarkData(t testing.TB, path string) string {
	t.Helper()
	root := os.Getenv("BLOOM_DATA")
	if root == "" {
		t.Skip("BLOOM_DATA is not set: it names the folder of benchmark files")
	}
	return filepath.Join(root, filepath.FromSlash(path))
}

// openBenchmark opens a set of $BLOOM_DATA.
func openBenchmark(t testing.TB, path string) *Dataset {
	t.Helper()
	d, err := OpenPath(benchmarkData(t, path))
	if err != nil {
		t.Fatal(err)
	}
	return d
}
