package fact

import (
	"os"
	"strings"
	"testing"

	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/dataset"
)

// TestFilterOfTwin: 86 of the 376 questions about WN18RR v1 have right answers among held-out facts, which count as
// mistakes unless link.filter is all; and of reversed test facts those of the graph that is tested are counted.
func TestFilterOfTwin(t *testing.T) {
	c, d := benchmark(t, "WN18RR_v1")
	if n := filterOf(c, d).counted(d.Twin); n != 86 || 2*len(d.Twin.Test) != 376 {
		t.Errorf("%d of %d questions, want 86 of 376", n, 2*len(d.Twin.Test))
	}
	warnings, err := Check(c, d)
	if text := strings.Join(warnings, "\n"); err != nil || !strings.Contains(text, "117 of 188 test triples") ||
		strings.Contains(text, "329") {
		t.Errorf("warnings %q, error %v", warnings, err)
	}
	c.Facts.Filter = "all"
	f := filterOf(c, d)
	if n := f.counted(d.Twin); n != 0 {
		t.Errorf("%d questions, want none", n)
	}
}

// benchmark is opened for data that may be missing.
func benchmark(t *testing.T, name string) (config.Config, *dataset.Dataset) {
	t.Helper()
	if os.Getenv("BLOOM_DATA") == "" {
		t.Skip("BLOOM_DATA is not set")
	}
	return opened(t, "path", name)
}
