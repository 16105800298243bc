package serve

import (
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
)

// pageServer answers for no run: the page knows nothing of any.
func pageServer(t *testing.T) *httptest.Server {
	t.Helper()
	mux := http.NewServeMux()
	handlePage(mux)
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	return server
}

// TestPageFiles: every file has its type and a policy that lets nothing else in; no other file is served.
func TestPageFiles(t *testing.T) {
	server := pageServer(t)
	files, err := fs.Glob(pageFiles, "page/*")
	if err != nil || len(files) < 10 {
		t.Fatalf("%v: %v", files, err)
	}
	for _, file := range append(files, "") {
		resp, err := http.Get(server.URL + "/" + file)
		if err != nil {
			t.Fatal(err)
		}
		text, _ := io.ReadAll(resp.Body)
		h := resp.Header
		if resp.StatusCode != 200 || h.Get("Content-Type") == "" || h.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s: status %d, %v", file, resp.StatusCode, h)
		}
		if policy := h.Get("Content-Security-Policy"); strings.Contains(policy, "unsafe") ||
			!strings.HasPrefix(policy, "default-src 'none'") {
			t.Errorf("%s: policy %q", file, policy)
		}
		if found := regexp.MustCompile(`https?://[^w]|//cdn|innerHTML|outerHTML|insertAdjacent|document\.write|eval\(`).
			Find(text); found != nil {
			t.Errorf("%s: has %q", file, found)
		}
		again, _ := http.NewRequest(http.MethodGet, server.URL+"/"+file, nil)
		again.Header.Set("If-None-Match", h.Get("ETag"))
		if resp, err = http.DefaultClient.Do(again); err != nil || resp.StatusCode != http.StatusNotModified {
			t.Errorf("%s again: %v %v", file, resp.StatusCode, err)
		}
	}
	for _, file := range []string{"page/nothing.js", "page/..%2fpage.go", "page/%2e%2e%2fserver.go", "page/",
		"favicon.ico"} {
		resp, err := http.Get(server.URL + "/" + file)
		if err != nil || resp.StatusCode != http.StatusNotFound {
			t.Errorf("%s: %v %v", file, resp.StatusCode, err)
		}
	}
}

// TestPageModules: what a module imports is there.
func TestPageModules(t *testing.T) {
	files, err := fs.Glob(pageFiles, "page/*.js")
	if err != nil {
		t.Fatal(err)
	}
	used := map[string]bool{"page/main.js": true}
	for _, file := range files {
		text, err := fs.ReadFile(pageFiles, file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`from "\./([a-z]+\.js)"`).FindAllStringSubmatch(string(text), -1) {
			used["page/"+m[1]] = true
			if _, err := fs.Stat(pageFiles, "page/"+m[1]); err != nil {
				t.Errorf("%s: %v", file, err)
			}
		}
	}
	if len(used) != len(files) {
		t.Errorf("%d modules, %d used", len(files), len(used))
	}
}
