package format

import (
	"testing"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/internal/testkit"
)

// openBenchmark opens a set of $BLOOM_DATA.
func openBenchmark(t testing.TB, path string) *dataset.Dataset {
	t.Helper()
	d, err := Open(testkit.Benchmark(t, path))
	if err != nil {
		t.Fatal(err)
	}
	return d
}
