package testkit

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/bloomgml/bloom/part"
)

// TestKnown: a part without known values, and known values without a part, fail a test.
func TestKnown(t *testing.T) {
	kind := part.Kind[float64]{Name: "constant", Parts: []part.Part[float64]{{Name: "one", New: 1},
		{Name: "two", New: 2}}}
	values := map[string]map[string][]float64{
		"complete": {"one": {1}, "two": {2, 2}}, "missing": {"one": {1}},
		"stray": {"one": {1}, "two": {2}, "three": {3}}, "wrong": {"one": {1}, "two": {2, 3}}}
	if known := os.Getenv("BLOOM_TEST_KNOWN"); known != "" { // the test runs itself
		Known(t, kind, values[known], func(t *testing.T, p part.Part[float64], want float64) {
			if p.New != want {
				t.Errorf("%s is %v, want %v", p.Name, p.New, want)
			}
		})
		return
	}
	for known, want := range map[string]string{"complete": "PASS", "missing": `constant "two" has no known values`,
		"stray": `constant "three", which is not in the table`, "wrong": "two is 2, want 3"} {
		run := exec.Command(os.Args[0], "-test.run", "^TestKnown$")
		run.Env = append(os.Environ(), "BLOOM_TEST_KNOWN="+known)
		out, err := run.CombinedOutput()
		if (err == nil) != (known == "complete") || !strings.Contains(string(out), want) {
			t.Errorf("%s: %v, %s", known, err, out)
		}
	}
}
