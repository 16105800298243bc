package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/bloomgml/bloom/dataset/catalogue"
	"github.com/bloomgml/bloom/dataset/native"
	"github.com/bloomgml/bloom/internal/show"
)

// fixtures makes testdata/data the folder of benchmark files and names a cache that is not there.
func fixtures(t *testing.T) {
	t.Setenv("BLOOM_DATA", filepath.Join("testdata", "data"))
	t.Setenv("BLOOM_CACHE", "no-cache")
}

// TestDataSnapshots compares what the user sees with testdata.
func TestDataSnapshots(t *testing.T) {
	fixtures(t)
	for _, c := range []struct {
		name, line string
		code       int
	}{
		{"data-help", "data --help", exitDone},
		{"data-typo", "data lst", exitUsage},
		{"data-list-help", "data list --help", exitDone},
		{"data-list", "data list", exitDone},
		{"data-get-help", "data get --help", exitDone},
		{"data-get-none", "data get", exitUsage},
		{"data-get-typo", "data get coraa", exitUsage},
		{"data-get-both", "data get cora --from-dir x --mirror y", exitUsage},
		{"data-info-help", "data info --help", exitDone},
		{"data-info-none", "data info", exitUsage},
		{"data-info-typo", "data info nation", exitUsage},
		{"data-info-key", "data info csbm:sed=3", exitUsage},
		{"data-info-generated", "data info karate", exitDone},
		{"data-info-links", "data info nations", exitDone},
		{"data-info-links-json", "data info nations --json", exitDone},
		{"data-info-typed", "data info family", exitDone},
		{"data-blocks-help", "data blocks --help", exitDone},
	} {
		snapshotOf(t, c.name, c.line, c.code)
	}
}

// TestDataListFits a terminal of the usual width.
func TestDataListFits(t *testing.T) {
	fixtures(t)
	stdout, _, _ := bloom(t, "data", "list")
	for line := range strings.Lines(stdout) {
		if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > show.UsualWidth {
			t.Errorf("%d columns: %s", n, line)
		}
	}
}

// TestDataMissing: what is not here is bad data, and the message says what to do.
func TestDataMissing(t *testing.T) {
	fixtures(t)
	_, stderr, code := bloom(t, "data", "info", "cora")
	for _, want := range []string{"Cora is not on this machine", filepath.Join("testdata", "data", "planetoid"),
		"ind.cora.x", "bloom data get Cora"} {
		if !strings.Contains(stderr, want) {
			t.Errorf("%s has no %s", stderr, want)
		}
	}
	if code != exitData {
		t.Errorf("exit %d", code)
	}
}

// TestDataKeys: the keys that other programs rely on.
func TestDataKeys(t *testing.T) {
	fixtures(t)
	for _, ref := range []string{"karate", "nations", "family", "csbm"} {
		stdout, stderr, code := bloom(t, "data", "info", ref, "--json")
		var keys map[string]any
		if err := json.Unmarshal([]byte(stdout), &keys); err != nil || code != exitDone || stderr != "" {
			t.Fatalf("%s: %v, exit %d, %s", ref, err, code, stderr)
		}
		for _, key := range []string{"name", "nodes", "edges", "features", "classes", "relations"} {
			if keys[key] == nil {
				t.Errorf("%s has no %s", ref, key)
			}
		}
		split := keys["splits"].([]any)[0].(map[string]any)
		if split["train"] == nil || split["valid"] == nil || split["test"] == nil {
			t.Errorf("%s: a split is %v", ref, split)
		}
		if _, ok := keys["adjusted_homophily"].(float64); ok != (ref == "karate" || ref == "csbm") {
			t.Errorf("%s: adjusted homophily %v", ref, keys["adjusted_homophily"])
		}
	}
}

// TestDataFile: a file of one's own, whole and damaged.
func TestDataFile(t *testing.T) {
	d, err := catalogue.Open("karate")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "club.bloom")
	if err := native.Write(path, d); err != nil {
		t.Fatal(err)
	}
	if stdout, stderr, code := bloom(t, "data", "info", path); code != exitDone ||
		!strings.HasPrefix(stdout, "karate\n") {
		t.Errorf("exit %d, %s%s", code, stdout, stderr)
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, whole[:len(whole)-1], 0o666); err != nil {
		t.Fatal(err)
	}
	if _, stderr, code := bloom(t, "data", "info", path); code != exitData ||
		!strings.Contains(stderr, "club.bloom: byte 16: the file has") {
		t.Errorf("exit %d, %s", code, stderr)
	}
}

// TestDataGet carries a set into the cache, where list and info then find it. A file that is not the
// pinned one is bad data.
func TestDataGet(t *testing.T) {
	t.Setenv("BLOOM_DATA", "")
	cache := t.TempDir()
	t.Setenv("BLOOM_CACHE", cache)
	carried := filepath.Join("testdata", "carried")
	stdout, stderr, code := bloom(t, "data", "get", "nell_v1", "--from-dir", carried)
	if want := filepath.Join(cache, "grail", "nell_v1") + "\n"; code != exitDone || stdout != want || stderr != "" {
		t.Fatalf("exit %d, %q, %q", code, stdout, stderr)
	}
	stdout, _, _ = bloom(t, "data", "list", "--json")
	found := false
	for line := range strings.Lines(stdout) {
		var row dataRow
		if err := json.Unmarshal([]byte(line), &row); err != nil {
			t.Fatal(err)
		}
		if row.Name == "NELL_v1" {
			found = row.Where == placeCache && row.Path != ""
		}
	}
	if !found {
		t.Errorf("list shows %s", stdout)
	}
	if stdout, stderr, code = bloom(t, "data", "info", "NELL_v1"); code != exitDone ||
		!strings.Contains(stdout, "twin       2 nodes, 1 edge") {
		t.Errorf("exit %d, %s%s", code, stdout, stderr)
	}
	_, stderr, code = bloom(t, "data", "get", "nations", "--from-dir", filepath.Join("testdata", "data"))
	if code != exitData || !strings.Contains(stderr, "bytes, want 39101") {
		t.Errorf("exit %d, %s", code, stderr)
	}
}

// TestDataStopped: a download that the user stops.
func TestDataStopped(t *testing.T) {
	t.Setenv("BLOOM_DATA", "")
	t.Setenv("BLOOM_CACHE", t.TempDir())
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var out, err bytes.Buffer
	if code := execute(ctx, newRoot(newData()), []string{"data", "get", "nations", "--mirror",
		"http://nowhere.invalid"}, &out, &err); code != exitStopped {
		t.Errorf("exit %d, %s", code, err.String())
	}
}
