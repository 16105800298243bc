package main

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// TestLastResort: a panic becomes a sentence, an exit code and a file that holds the stack.
func TestLastResort(t *testing.T) {
	var stderr strings.Builder
	broken := func() (code int) {
		defer lastResort(&stderr, &code)
		panic("index out of range")
	}
	if code := broken(); code != exitFailed {
		t.Errorf("exit %d", code)
	}
	name := regexp.MustCompile(`in (\S+bloom-crash-\S+\.txt)`).FindStringSubmatch(stderr.String())
	if name == nil || strings.Count(stderr.String(), "\n") != 1 {
		t.Fatalf("it says %q", stderr.String())
	}
	defer os.Remove(name[1])
	text, err := os.ReadFile(name[1])
	if err != nil || !strings.Contains(string(text), "panic_test.go") {
		t.Errorf("the file says %q, %v", text, err)
	}
	none := func() (code int) {
		defer lastResort(&stderr, &code)
		return exitData
	}
	if code := none(); code != exitData {
		t.Errorf("without a panic: exit %d", code)
	}
}
